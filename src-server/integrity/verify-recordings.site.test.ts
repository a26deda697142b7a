/** Every kind of damage to a recording is found without decoding its samples; what only decoding finds is named here too. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { syncPointText } from '../db/sync-point-text.ts';
import { BLOCK_HEAD_BYTES, type BlockEntry } from '../signals/codec/block.ts';
import { mapThrough, openSignalFileSync, writeClockMap } from '../signals/index.ts';
import { encodeBlock, encodeFooter, readBlockHead } from '../signals/node-codec.ts';
import { openSite } from '../site/folder.ts';
import type { SyncPoint } from '../study/recording.ts';
import { addTestRecording } from '../testing/test-recording.ts';
import { makeTestSite, type TestSite } from '../testing/test-site.ts';
import { verifySite } from './verify.ts';

let site: TestSite;
let ids: string[];
beforeEach(async () => {
  site = await makeTestSite({ timeZones: ['US/Eastern'] });
  const folder = await openSite(site.dir);
  const place = { studyId: site.studyId, subjectId: site.subjectIds[0]! };
  ids = [];
  for (const [hour, durationSeconds] of [
    [0, 600],
    [2, 300],
  ] as const) {
    const startUs = Date.UTC(2026, 0, 15, hour) * 1000;
    const { id } = await addTestRecording(folder.store, folder.signalsDir, place, { startUs, durationSeconds });
    ids.push(id);
  }
  await folder.close();
});
afterEach(async () => await site.remove());

const pathOf = (index: number) => join(site.dir, 'signals', `${ids[index]}.sig`);
const sql = (statement: string, ...values: unknown[]) => {
  const database = new Database(join(site.dir, 'site.db'));
  database.prepare(statement).run(...values);
  database.close();
};
const entriesOf = (path: string): BlockEntry[] => {
  const file = openSignalFileSync(path);
  const entries = file.pageIndex.flat().sort((a, b) => a.offset - b.offset);
  file.closeSync();
  return entries;
};
function flip(path: string, at: number, mask = 4): void {
  const bytes = readFileSync(path);
  bytes[at]! ^= mask;
  writeFileSync(path, bytes);
}
/** Records the bytes that are on the disk, as if they had been accepted. */
function recordHash(index: number): void {
  const bytes = readFileSync(pathOf(index));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  sql('UPDATE recording SET sha256 = ?, sizeBytes = ? WHERE id = ?', sha256, bytes.length, ids[index]);
  sql(
    'UPDATE subjectSummary SET sizeBytes = (SELECT sum(sizeBytes) FROM recording AS r WHERE r.subjectId = subjectSummary.subjectId)',
  );
}
/** Adds the row of a correction by a clock that runs as the site's does, with readings at these times. */
function correct(index: number, readingsUs: readonly number[]): SyncPoint[] {
  const knots = readingsUs.map((us) => ({ sensorUs: us, hostUs: us }));
  sql('INSERT INTO recordingClock VALUES (?, 0, 0, 0, 0, ?, 0)', ids[index], syncPointText(knots));
  return knots;
}
/** Puts a page whose frame cannot be decompressed in place of the first one, with right sums, index and recorded hash. */
function storeWrong(index: number): void {
  const path = pathOf(index);
  const bytes = readFileSync(path);
  const file = openSignalFileSync(path);
  const totals = [...file.sampleCounts];
  file.closeSync();
  const [first, ...others] = entriesOf(path);
  const payload = bytes.subarray(first!.offset + BLOCK_HEAD_BYTES, others[0]!.offset);
  payload.fill(0xff, 32);
  const block = encodeBlock(first!, [payload]);
  bytes.set(block, first!.offset);
  const entries = [{ ...readBlockHead(block, 0)!, offset: first!.offset }, ...others];
  const end = entries.at(-1)!.offset + BLOCK_HEAD_BYTES + entries.at(-1)!.payloadLength;
  writeFileSync(path, Buffer.concat([bytes.subarray(0, end), encodeFooter(entries, totals, end, entries.length)]));
  recordHash(index);
}

const found = async (isDeep: boolean) =>
  (await verifySite(site.dir, { isDeep })).problems.map(({ step, code, id }) => `${step} ${code} ${ids.indexOf(id!)}`);

const DAMAGED = 'recordings RECORDING_FILE_DAMAGED';
const KINDS: [string, () => unknown, string[]][] = [
  ['a missing file', () => rmSync(pathOf(0)), ['recordings RECORDING_FILE_MISSING 0']],
  ['an empty file', () => truncateSync(pathOf(0), 0), ['recordings RECORDING_FILE_SIZE 0', `${DAMAGED} 0`]],
  ['a truncated file', () => truncateSync(pathOf(0), 9000), ['recordings RECORDING_FILE_SIZE 0', `${DAMAGED} 0`]],
  ['bytes after the end', () => writeFileSync(pathOf(0), 'x', { flag: 'a' }), ['recordings RECORDING_FILE_SIZE 0']],
  ['a changed byte in the header', () => flip(pathOf(0), 40), [`${DAMAGED} 0`]],
  [
    'a changed byte in a page',
    () => flip(pathOf(0), entriesOf(pathOf(0))[3]!.offset + BLOCK_HEAD_BYTES + 100),
    [`${DAMAGED} 0`],
  ],
  ['a changed byte in the index', () => flip(pathOf(0), readFileSync(pathOf(0)).length - 60), [`${DAMAGED} 0`]],
  ['a changed byte in the trailer', () => flip(pathOf(0), readFileSync(pathOf(0)).length - 4), [`${DAMAGED} 0`]],
  [
    'a damaged file whose hash was recorded',
    () => {
      flip(pathOf(0), entriesOf(pathOf(0))[3]!.offset + BLOCK_HEAD_BYTES + 100);
      recordHash(0);
    },
    [`${DAMAGED} 0`],
  ],
  [
    'a wrong recorded hash',
    () => sql('UPDATE recording SET sha256 = ?', 'e'.repeat(64)),
    [`${DAMAGED} 0`, `${DAMAGED} 1`],
  ],
  [
    'files that were swapped',
    () => {
      renameSync(pathOf(0), `${pathOf(0)}.kept`);
      renameSync(pathOf(1), pathOf(0));
      renameSync(`${pathOf(0)}.kept`, pathOf(1));
    },
    ['recordings RECORDING_FILE_SIZE 0', `${DAMAGED} 0`, 'recordings RECORDING_FILE_SIZE 1', `${DAMAGED} 1`],
  ],
  [
    'swapped files whose hashes were recorded',
    () => {
      renameSync(pathOf(0), `${pathOf(0)}.kept`);
      renameSync(pathOf(1), pathOf(0));
      renameSync(`${pathOf(0)}.kept`, pathOf(1));
      for (const index of [0, 1]) recordHash(index);
    },
    [0, 1].flatMap((i) => [`recordings RECORDING_MOVED ${i}`, `recordings RECORDING_SAMPLES ${i}`]),
  ],
  [
    'a row with another start',
    () => sql('UPDATE recording SET startUs = startUs - 1 WHERE id = ?', ids[0]),
    ['recordings RECORDING_MOVED 0'],
  ],
  [
    'a row with another number of samples',
    () => sql("UPDATE recording SET sampleCounts = '[1,2]' WHERE id = ?", ids[0]),
    ['recordings RECORDING_SAMPLES 0'],
  ],
  [
    'a clock map of no row',
    () => writeClockMap(pathOf(0).replace('.sig', '.clock'), { knots: [{ sensorUs: 0, hostUs: 0 }], outerSlope: 1 }),
    ['recordings CLOCK_MAP_UNWANTED 0'],
  ],
  ['a lost clock map', () => correct(0, [10]), ['recordings CLOCK_MAP_MISSING 0']],
  [
    'a clock map of other readings',
    async () => {
      correct(0, [10]);
      await writeClockMap(pathOf(0).replace('.sig', '.clock'), mapThrough([{ sensorUs: 10, hostUs: 11 }]));
    },
    ['recordings CLOCK_MAP_OTHER 0'],
  ],
  [
    'a clock map that cannot be read',
    () => {
      correct(0, [10]);
      mkdirSync(pathOf(0).replace('.sig', '.clock'));
    },
    [`${DAMAGED} 0`],
  ],
  ['a damaged clock map', () => writeFileSync(pathOf(0).replace('.sig', '.clock'), '{'), [`${DAMAGED} 0`]],
];

describe('verify', () => {
  it('finds a recording without what its sensor measured, which no list would show', async () => {
    sql('UPDATE recording SET setupId = NULL WHERE id = ?', ids[0]);
    for (const isDeep of [false, true]) expect(await found(isDeep)).toEqual(['database DATABASE_DAMAGED 0']);
  });

  it('names folders that cannot be read, and checks the rest', async () => {
    const folders = ['columns', 'images', 'inbox/orphaned', 'signals'];
    for (const folder of folders) {
      rmSync(join(site.dir, folder), { recursive: true, force: true });
      writeFileSync(join(site.dir, folder), 'a file in its place');
    }
    const { problems } = await verifySite(site.dir);
    const unreadable = problems.filter(({ code }) => code === 'FOLDER_UNREADABLE').map(({ id }) => id);
    expect(unreadable.sort()).toEqual(folders);
    const missing = problems.filter(({ code }) => code !== 'FOLDER_UNREADABLE').map(({ id }) => id);
    expect(new Set(missing)).toEqual(new Set(ids));
  });

  it('reports what every step found where a page of the database cannot be read', async () => {
    sql('CREATE TABLE filling (bytes BLOB)');
    // A database of this size is not read whole when it is opened.
    sql('INSERT INTO filling VALUES (zeroblob(17 << 20))');
    truncateSync(pathOf(0), 100);
    writeFileSync(join(site.dir, 'signals', 'notes.txt'), 'by a person');
    const database = new Database(join(site.dir, 'site.db'), { readonly: true });
    const pages = database.prepare<[], number>("SELECT pageno FROM dbstat WHERE name = 'subjectSummary'").pluck().all();
    database.close();
    const bytes = readFileSync(join(site.dir, 'site.db'));
    for (const page of pages) bytes.fill(0xa5, (page - 1) * 4096, page * 4096);
    writeFileSync(join(site.dir, 'site.db'), bytes);
    const { problems } = await verifySite(site.dir);
    const codes = new Set(problems.map(({ code }) => code));
    expect(codes).toEqual(
      new Set(['DATABASE_DAMAGED', 'RECORDING_FILE_SIZE', 'RECORDING_FILE_DAMAGED', 'FILE_FOREIGN']),
    );
    expect(problems.map(({ message }) => message).join(' ')).toMatch(/check of the summaries ended early/);
  });

  it.each(KINDS)('finds %s, with and without decoding', async (_kind, damage, expected) => {
    await damage();
    for (const isDeep of [false, true]) {
      const problems = (await found(isDeep)).filter((problem) => problem.startsWith('recordings'));
      expect([isDeep, [...new Set(problems)]]).toEqual([isDeep, expect.arrayContaining(expected)]);
    }
  });

  it.each([
    ['as it is written now', JSON.stringify],
    ['with other spaces', (map: unknown) => JSON.stringify(map, null, 1)],
  ])('accepts a clock map %s', async (_form, write) => {
    const path = pathOf(0).replace('.sig', '.clock');
    await writeClockMap(path, mapThrough(correct(0, [10, 20])));
    writeFileSync(path, write(JSON.parse(readFileSync(path, 'utf8'))));
    for (const isDeep of [false, true]) expect(await found(isDeep)).toEqual([]);
  });

  it('of the same damage reports the same sentences with and without decoding', async () => {
    flip(pathOf(0), entriesOf(pathOf(0))[3]!.offset + BLOCK_HEAD_BYTES + 100);
    const { problems } = await verifySite(site.dir);
    expect(problems).toEqual((await verifySite(site.dir, { isDeep: true })).problems);
    expect(problems.map(({ message }) => message).join(' ')).toMatch(/samples are lost/);
  });

  it('finds by decoding alone a page that was stored wrong and accepted', async () => {
    storeWrong(0);
    expect(await found(false)).toEqual([]);
    expect(await found(true)).toEqual([`${DAMAGED} 0`]);
  });

  it('decodes no sample of a site in which all is well', async () => {
    const page = await import('../signals/codec/columns.ts');
    const decoded = vi.spyOn(page, 'decodeColumn').mockName('decodeColumn');
    expect(await found(false)).toEqual([]);
    expect(decoded).not.toHaveBeenCalled();
    expect(await found(true)).toEqual([]);
    expect(decoded).toHaveBeenCalled();
    decoded.mockRestore();
  });
});
