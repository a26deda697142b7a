/** Files, the database and its lock, signal files and everything that is stored compressed. */
import { createWriteStream } from 'node:fs';
import { mkdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { type Check, expectSame, expectThat, REINSTALL, type SelfTestContext, SelfTestFailure } from '../check.ts';
import { STORED_ARRAYS } from '../made-under-openssl.ts';
import { simulatedRecording } from '../simulated-recording.ts';

/** Beyond the 260 characters that old programs on Windows can open, with spaces and letters outside ASCII. */
export const AWKWARD_FOLDERS: readonly string[] = [
  'Klinik für Innere Medizin – Station 3',
  '研究データ 2026',
  ...Array.from({ length: 5 }, (_, i) => `${'long folder name '.repeat(3)}${i}`),
];

async function checkDurableFiles({ dir }: SelfTestContext): Promise<void> {
  const { writeDurably } = await import('../../files/durable-files.ts');
  const folder = join(dir, 'files', ...AWKWARD_FOLDERS);
  expectThat(folder.length > 260, `the folder has only ${folder.length} characters`);
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'reçu.json');
  for (const content of ['first', 'second']) {
    await writeDurably(path, content, 0o600);
    expectSame('a file written durably', await readFile(path, 'utf8'), content);
  }
  const moved = join(folder, 'renamed.json');
  await rename(path, moved);
  expectSame('a renamed file', await readFile(moved, 'utf8'), 'second');
}

async function checkFreeSpace({ dir }: SelfTestContext): Promise<void> {
  const { DiskBudget } = await import('../../files/disk-budget.ts');
  const roomBytes = (await new DiskBudget(dir).state())?.freeBytes;
  expectThat(Number.isFinite(roomBytes), `the free space of the disk reads as ${roomBytes} bytes`);
}

async function checkDatabase({ dir }: SelfTestContext): Promise<void> {
  const { SYSTEM } = await import('../../db/index.ts');
  const { openStore } = await import('../../services/index.ts');
  const folder = join(dir, 'database', ...AWKWARD_FOLDERS.slice(0, 2));
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'site.db');
  const backupsDir = join(folder, 'backups');
  const displayName = `試験 ${'Ward 3, '.repeat(40)}`;
  const created = openStore(path, { mode: 'create', backupsDir });
  let id: string;
  try {
    ({ id } = await created.transaction(({ accounts }) => accounts.create({ displayName }, SYSTEM)));
  } finally {
    await created.close();
  }
  const store = openStore(path, { backupsDir });
  try {
    expectSame('a stored name', (await store.accounts.get(id))?.displayName, displayName);
    expectSame('the problems of a new database', store.integrityProblems(), []);
    expectThat((await store.audit.head()).sequence > 0, 'a change left no audit row');
  } finally {
    await store.close();
  }
}

async function checkSiteLock({ dir }: SelfTestContext): Promise<void> {
  const { takeFileLock } = await import('../../db/index.ts');
  const path = join(dir, 'self-test.lock');
  const owner = { pid: process.pid, host: 'self-test', sinceTs: 1 };
  const first = takeFileLock(path, owner);
  expectThat('lock' in first, 'a free lock could not be taken');
  try {
    const second = takeFileLock(path, { ...owner, sinceTs: 2 });
    if ('lock' in second) {
      second.lock.release();
      throw new SelfTestFailure('a lock was given to two owners');
    }
    expectSame('the owner of the lock', second.heldBy, owner);
  } finally {
    first.lock.release();
  }
  const again = takeFileLock(path, owner);
  expectThat('lock' in again, 'a released lock could not be taken');
  again.lock.release();
}

async function checkSignalFiles({ dir }: SelfTestContext): Promise<void> {
  const { openSignalFile, verifySignalFile } = await import('../../signals/index.ts');
  const { path, summary } = await simulatedRecording(join(dir, 'signals'));
  const { problems, sampleCounts } = await verifySignalFile(path, summary.sha256);
  expectSame('the problems of a new signal file', problems, []);
  expectSame('the samples of a signal file', sampleCounts, summary.sampleCounts);
  const file = await openSignalFile(path);
  try {
    expectThat(file.complete, 'a finished signal file reads as unfinished');
  } finally {
    await file.close();
  }
}

async function checkStoredColumns(): Promise<void> {
  const { decodeArrays, encodeArrays } = await import('../../db/array-codec.ts');
  const value = { rateHz: 250, counts: Int16Array.from({ length: 64 }, (_, i) => i * i) };
  expectSame('columns stored under Node', decodeArrays(Buffer.from(STORED_ARRAYS, 'base64')), value);
  expectSame('columns stored here', decodeArrays(encodeArrays(value)), value);
}

async function checkAuditChanges(): Promise<void> {
  const { packChanges, unpackChanges } = await import('../../db/packed-changes.ts');
  const json = JSON.stringify({ displayName: { new: 'Ward 3, '.repeat(100), old: '' } });
  const packed = packChanges(json);
  expectThat(packed.packedChanges !== null, 'long changes of the audit trail were not compressed');
  expectSame('changes of the audit trail', unpackChanges(packed), json);
}

const ZIP_LIMITS = { maxMembers: 10, maxBytes: 1 << 20, maxRatio: 1000 };

async function checkZipFiles({ dir }: SelfTestContext): Promise<void> {
  const { ZipWriter } = await import('../../exporters/zip-writer.ts');
  const { openZipArchive } = await import('../../files/zip-archive.ts');
  const name = '患者/ecg – 1.csv';
  const text = 'time,ecg\n'.repeat(1000);
  for (const members of ['few', 'many'] as const) {
    const path = join(dir, `${members}.zip`);
    const zip = new ZipWriter(createWriteStream(path), members);
    await zip.add(name, [text]);
    await zip.finish();
    const archive = await openZipArchive(path, ZIP_LIMITS);
    try {
      const [member] = archive.members;
      expectSame('the name of a ZIP member', member?.name, name);
      const read: Uint8Array[] = [];
      for await (const chunk of member?.open() ?? []) read.push(chunk);
      expectThat(Buffer.concat(read).toString() === text, `a ZIP member changed (ZIP of ${members} members)`);
    } finally {
      archive.close();
    }
  }
}

async function checkParquet(): Promise<void> {
  const { parquetFile } = await import('../../exporters/parquet/table.ts');
  const rows = Float64Array.from({ length: 1000 }, (_, i) => i % 10);
  const parts: Uint8Array[] = [];
  for await (const part of parquetFile([{ name: 'value', type: 'double', isNullable: false }], [[rows]]))
    parts.push(part);
  const bytes = Buffer.concat(parts);
  expectSame('the first bytes of a Parquet file', bytes.toString('latin1', 0, 4), 'PAR1');
  expectThat(
    bytes.length < rows.byteLength / 2,
    `a Parquet file of ${rows.byteLength} bytes of values has ${bytes.length}`,
  );
}

const LOCAL_DISK = 'Keep sites on a local disk whose folder this account may write to. ';

export const storageChecks: readonly Check[] = [
  {
    name: 'durable-files',
    subject: 'Files flushed to disk, in long paths with spaces and letters of all scripts',
    advice: `${LOCAL_DISK}On Windows, allow long paths or choose a shorter folder.`,
    run: checkDurableFiles,
  },
  { name: 'free-space', subject: 'The free space of the disk', advice: LOCAL_DISK.trim(), run: checkFreeSpace },
  {
    name: 'database',
    subject: 'The database (better-sqlite3) with its safe settings',
    advice: `${LOCAL_DISK}${REINSTALL}`,
    run: checkDatabase,
  },
  {
    name: 'site-lock',
    subject: 'The lock that keeps two programs from one site',
    advice: `${LOCAL_DISK}Two programs could open one site: do not use network folders.`,
    run: checkSiteLock,
  },
  {
    name: 'signal-files',
    subject: 'Signal files: zstd, CRC-32C, SHA-256',
    advice: `Recordings could not be stored. ${REINSTALL}`,
    run: checkSignalFiles,
  },
  {
    name: 'stored-columns',
    subject: 'Stored results: zstd and CRC-32',
    advice: `Results of analyses could not be read. ${REINSTALL}`,
    run: checkStoredColumns,
  },
  {
    name: 'audit-changes',
    subject: 'Changes in the audit trail: deflate with a dictionary',
    advice: `The audit trail could not be read. ${REINSTALL}`,
    run: checkAuditChanges,
  },
  {
    name: 'zip-files',
    subject: 'ZIP files: deflate and CRC-32',
    advice: `Exports would fail. ${REINSTALL}`,
    run: checkZipFiles,
  },
  {
    name: 'parquet',
    subject: 'Parquet files: zstd',
    advice: `Parquet exports would fail. ${REINSTALL}`,
    run: checkParquet,
  },
];
