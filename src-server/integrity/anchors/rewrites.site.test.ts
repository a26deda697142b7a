/**
 * 200 scripted rewrites of an audit trail by somebody who has the files, each found by its code; and 20 honest histories, which are
 * none. `OUTPOST_SEED` repeats a run.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SYSTEM } from '../../db/index.ts';
import { openStore } from '../../services/index.ts';
import { openSite, type SiteFolder } from '../../site/folder.ts';
import { startSite } from '../../site/server.ts';
import { addPerson } from '../../testing/person.ts';
import { rewriteAudit, rewriteKnownAnchor, signAgain } from '../../testing/rewritten-audit.ts';
import { seededRandom } from '../../testing/signal-fixtures.ts';
import { allJobsEnd, makeTestSite, signIn, type TestSite } from '../../testing/test-site.ts';
import { makeBackup } from '../backup/make.ts';
import { restoreSite } from '../backup/restore.ts';
import { sitePaths } from '../site-file.ts';
import { verifySite } from '../verify.ts';
import { compareSite } from './compare-site.ts';

const seed = Number(process.env.OUTPOST_SEED ?? Math.floor(Math.random() * 1e9));
const random = seededRandom(seed);
const below = (limit: number) => Math.floor(random() * limit);
const oneOf = <T>(values: readonly T[]): T => values[below(values.length)]!;

let place: TestSite;
let other: TestSite;
let scratch: string;
/** The site at four moments, the last one as it is now: folders without their backups and exports. */
const moments: string[] = [];
let now: string;

async function addRows(folder: SiteFolder, count: number): Promise<void> {
  await folder.store.transaction(async ({ audit }) => {
    for (let i = 0; i < count; i += 1) {
      const changes = { value: { old: i, new: below(1000) } };
      await audit.note(SYSTEM, { action: 'test', entityType: 'setting', entityId: `row-${i}`, changes });
    }
  });
}

const backup = async (dir: string) =>
  await makeBackup({ siteDir: dir, to: sitePaths(dir).backupsDir, reason: 'manual', nowTs: Date.now() });

/** A copy of the site as it is on the disk. */
function copyOf(dir: string): string {
  const copy = join(scratch, `copy-${below(1e9)}`);
  cpSync(dir, copy, { recursive: true });
  return copy;
}

/** A copy that shares the content of its backups with the site: hundreds of files that no rewrite touches. */
function lightCopyOf(dir: string): string {
  const copy = join(scratch, `copy-${below(1e9)}`);
  const content = join(sitePaths(dir).backupsDir, 'files');
  cpSync(dir, copy, { recursive: true, filter: (path) => path !== content });
  symlinkSync(content, join(sitePaths(copy).backupsDir, 'files'));
  return copy;
}

/** The codes of what does not fit. @param isWhole computes the chain again, as `outpost verify` does */
async function codesOf(dir: string, isWhole = false): Promise<string[]> {
  if (isWhole) {
    const { problems } = await verifySite(dir);
    return problems.flatMap(({ step, code }) => (step === 'audit' && code !== undefined ? [code] : []));
  }
  const { id } = JSON.parse(readFileSync(sitePaths(dir).siteFile, 'utf8')) as { id: string };
  const store = openStore(sitePaths(dir).database, { readonly: true, isChecked: true });
  try {
    const { problems } = await compareSite(dir, id, store);
    return problems.map(({ code }) => code!);
  } finally {
    await store.close();
  }
}

beforeAll(async () => {
  process.stdout.write(`rewrites of the audit: OUTPOST_SEED=${seed}\n`);
  scratch = await mkdtemp(join(tmpdir(), 'outpost-rewrites-'));
  place = await makeTestSite({ timeZones: [] });
  other = await makeTestSite({ timeZones: [] });
  const site = await startSite({ dir: place.dir, port: 0 });
  const client = await signIn(site.url);
  const about = { accountId: place.accountId, studyId: place.studyId, userId: place.userId };
  const gone = await addPerson(site.folder, { ...about, tag: 'Quandary', seed: 1 });
  await addPerson(site.folder, { ...about, tag: 'Remainer', seed: 2 });
  await addRows(site.folder, 150);
  await client.call('eraseSubject', {
    params: { studyId: gone.studyId, subjectId: gone.subjectId },
    body: { reason: 'Asked for in writing', confirmation: gone.words.name!, password: 'correct horse 1' },
  });
  await allJobsEnd(client);
  await site.close();
  for (let i = 0; i < 3; i += 1) {
    moments.push(copyOf(place.dir));
    const folder = await openSite(place.dir);
    await addRows(folder, 40 + below(20));
    await folder.anchors.anchor();
    await addRows(folder, 20 + below(20));
    await folder.close();
    if (i === 1) {
      const again = await startSite({ dir: place.dir, port: 0 });
      const user = await signIn(again.url);
      await user.call('requestStudyExport', { params: { studyId: place.studyId }, body: { format: 'ARCHIVE' } });
      await allJobsEnd(user);
      await again.close();
    }
    await backup(place.dir);
  }
  const folder = await openSite(place.dir);
  await addRows(folder, 30);
  await folder.close();
  now = place.dir;
}, 120_000);
afterAll(async () => {
  await place.remove();
  await other.remove();
  await rm(scratch, { recursive: true, force: true });
});

/** A rewrite, and the codes of which each must be found one. */
interface Attack {
  name: string;
  /** The chain alone is clean. */
  isRecomputed: boolean;
  expected: readonly string[];
  act(dir: string): Promise<void> | void;
}

const anyRow = (count: number) => 5 + below(count - 40);
const log = (dir: string) => sitePaths(dir).anchorLog;
const linesOf = (dir: string) => readFileSync(log(dir), 'utf8').split('\n').slice(0, -1);

const ATTACKS: readonly Attack[] = [
  {
    name: 'edits a row',
    isRecomputed: true,
    expected: ['AUDIT_ANCHOR_OTHER'],
    act: (dir) =>
      rewriteAudit(dir, (rows) => {
        const plain = rows.filter(({ erasedBy, action }) => erasedBy === null && action !== 'subject.erase');
        Object.assign(plain[anyRow(plain.length)]!, { reason: `forged ${below(1e6)}` });
        return undefined;
      }),
  },
  {
    name: 'deletes rows from the middle',
    isRecomputed: true,
    expected: ['AUDIT_ANCHOR_OTHER', 'AUDIT_SHORTER'],
    act: (dir) =>
      rewriteAudit(dir, (rows) => {
        const plain = rows.filter(({ action, erasedBy }) => action === 'test' && erasedBy === null);
        const removed = new Set([oneOf(plain), oneOf(plain)]);
        return rows.filter((row) => !removed.has(row));
      }),
  },
  {
    name: 'cuts the end off',
    isRecomputed: true,
    expected: ['AUDIT_SHORTER'],
    act: (dir) => rewriteAudit(dir, (rows) => rows.slice(0, -1 - below(50))),
  },
  {
    name: 'inserts a row',
    isRecomputed: true,
    expected: ['AUDIT_ANCHOR_OTHER'],
    act: (dir) =>
      rewriteAudit(dir, (rows) => {
        const at = 5 + below(rows.length - 10);
        const plain = rows.find(({ action, erasedBy }) => action === 'test' && erasedBy === null)!;
        return rows.toSpliced(at, 0, { ...plain, reason: 'inserted' });
      }),
  },
  {
    name: 'adds rows at the end',
    isRecomputed: true,
    expected: ['AUDIT_WRITTEN_CLOSED'],
    act: (dir) =>
      rewriteAudit(dir, (rows) => {
        const plain = rows.findLast(({ action, erasedBy }) => action === 'test' && erasedBy === null)!;
        return [...rows, ...Array.from({ length: 1 + below(3) }, () => ({ ...plain, reason: 'added' }))];
      }),
  },
  {
    name: 'puts the database of an earlier time in place',
    isRecomputed: true,
    expected: ['AUDIT_SHORTER'],
    act: (dir) => {
      for (const suffix of ['-wal', '-shm']) rmSync(sitePaths(dir).database + suffix, { force: true });
      cpSync(sitePaths(oneOf(moments)).database, sitePaths(dir).database);
    },
  },
  {
    name: 'puts the database and the log of an earlier time in place',
    isRecomputed: true,
    expected: ['AUDIT_LOG_CUT'],
    act: (dir) => {
      const before = oneOf(moments);
      for (const suffix of ['-wal', '-shm']) rmSync(sitePaths(dir).database + suffix, { force: true });
      cpSync(sitePaths(before).database, sitePaths(dir).database);
      cpSync(log(before), log(dir));
    },
  },
  {
    name: 'changes an erased row and the digest of its erasure',
    isRecomputed: true,
    expected: ['AUDIT_ANCHOR_OTHER'],
    act: (dir) =>
      rewriteAudit(dir, (rows) => {
        const erased = rows.filter(({ erasedBy }) => erasedBy !== null);
        Object.assign(oneOf(erased), { timeTs: 1_700_000_000_000 + below(1e6) });
        return undefined;
      }),
  },
  {
    name: 'edits the log of anchors',
    isRecomputed: false,
    expected: ['AUDIT_LOG_FORGED'],
    act: (dir) => {
      const lines = linesOf(dir);
      const at = below(lines.length);
      const anchor = JSON.parse(lines[at]!) as { timeTs: number };
      lines[at] = JSON.stringify({ ...anchor, timeTs: anchor.timeTs + 1 });
      writeFileSync(log(dir), `${lines.join('\n')}\n`);
    },
  },
  {
    name: 'cuts the log of anchors',
    isRecomputed: false,
    expected: ['AUDIT_LOG_CUT'],
    act: (dir) => {
      const lines = linesOf(dir);
      writeFileSync(log(dir), `${lines.slice(0, 1 + below(lines.length - 1)).join('\n')}\n`);
    },
  },
  {
    name: 'removes the log of anchors',
    isRecomputed: false,
    expected: ['AUDIT_LOG_MISSING'],
    act: (dir) => {
      rmSync(log(dir));
      if (random() < 0.5) rmSync(sitePaths(dir).anchorKey);
      if (random() < 0.5) rewriteKnownAnchor(dir, null);
    },
  },
  {
    name: 'removes the key',
    isRecomputed: false,
    expected: ['AUDIT_KEY_MISSING'],
    act: (dir) => rmSync(sitePaths(dir).anchorKey),
  },
  {
    name: "puts another site's log in place",
    isRecomputed: false,
    expected: ['AUDIT_LOG_FOREIGN'],
    act: (dir) => {
      cpSync(log(other.dir), log(dir));
      if (random() < 0.5) cpSync(sitePaths(other.dir).anchorKey, sitePaths(dir).anchorKey);
    },
  },
  {
    name: 'edits a row and signs everything again with another key',
    isRecomputed: true,
    expected: ['AUDIT_KEY_OTHER'],
    act: async (dir) => {
      rewriteAudit(dir, (rows) => {
        const plain = rows.filter(({ action, erasedBy }) => action === 'test' && erasedBy === null);
        Object.assign(oneOf(plain), { changes: '{"value":{"new":"forged"}}', packedChanges: null });
        return undefined;
      });
      await signAgain(dir);
    },
  },
  {
    name: 'edits the receipt in the manifest of a backup',
    isRecomputed: false,
    expected: ['AUDIT_BACKUP_FORGED'],
    act: async (dir) => {
      const { sha256Hex } = await import('../../files/content-hash.ts');
      const { backupsDir } = sitePaths(dir);
      const folder = join(backupsDir, oneOf((await readdir(backupsDir)).filter((name) => name.startsWith('backup-2'))));
      rmSync(join(folder, 'summary.json'));
      const path = join(folder, 'manifest.json');
      const manifest = JSON.parse(readFileSync(path, 'utf8')) as { auditHead: { sequence: number } };
      manifest.auditHead.sequence -= 1;
      const text = JSON.stringify(manifest);
      writeFileSync(path, text);
      writeFileSync(join(folder, 'manifest.sha256'), `${sha256Hex(text)}  manifest.json\n`);
    },
  },
  {
    name: 'rolls everything back that is on the disk of the site, but not a backup elsewhere',
    isRecomputed: true,
    expected: ['AUDIT_LOG_CUT'],
    act: (dir) => {
      const before = oneOf(moments);
      const kept = join(scratch, `kept-${below(1e9)}`);
      cpSync(sitePaths(dir).backupsDir, kept, { recursive: true });
      rmSync(dir, { recursive: true });
      cpSync(before, dir, { recursive: true });
      rmSync(sitePaths(dir).backupsDir, { recursive: true });
      cpSync(kept, sitePaths(dir).backupsDir, { recursive: true });
      rmSync(kept, { recursive: true });
    },
  },
];

const COUNT = 200;
/** Each of these computes the chain again as well, which takes most of the time. */
const WHOLE_EVERY = 7;

describe('an audit trail that is rewritten past Outpost', () => {
  it('is as it was before any rewrite', async () => {
    expect(await codesOf(now, true)).toEqual([]);
    const store = openStore(sitePaths(now).database, { readonly: true });
    const { sequence } = await store.audit.head();
    await store.close();
    expect(sequence).toBeGreaterThan(300);
  });

  it(`is found ${COUNT} times of ${COUNT}, with the code of what was done`, async () => {
    const counts = new Map<string, number>();
    for (let i = 0; i < COUNT; i += 1) {
      const attack = ATTACKS[i % ATTACKS.length]!;
      const dir = lightCopyOf(now);
      const about = `${attack.name} (no. ${i} of seed ${seed})`;
      await attack.act(dir);
      const isWhole = i % WHOLE_EVERY === 0;
      const codes = await codesOf(dir, isWhole);
      if (!codes.some((code) => attack.expected.includes(code)))
        throw new Error(`${about}: found ${codes.join(', ') || 'nothing'}`);
      if (attack.isRecomputed && isWhole)
        expect({
          about,
          chain: codes.filter((code) => /^AUDIT_(MISSING|ORDER|CHANGED|NOT_ERASED|CUT)$/.test(code)),
        }).toEqual({
          about,
          chain: [],
        });
      counts.set(attack.name, (counts.get(attack.name) ?? 0) + 1);
      rmSync(dir, { recursive: true });
    }
    expect([...counts.values()].reduce((sum, one) => sum + one, 0)).toBe(COUNT);
  }, 200_000);

  it.each(ATTACKS.filter(({ name }) => !name.includes('manifest')))(
    'is still found after the site was opened and written again: $name',
    async ({ act }) => {
      const dir = lightCopyOf(now);
      await act(dir);
      for (let i = 0; i < 2; i += 1) {
        const folder = await openSite(dir);
        await addRows(folder, 60);
        await folder.close();
      }
      expect(await codesOf(dir)).not.toEqual([]);
      rmSync(dir, { recursive: true });
    },
  );
});

describe('an honest history', () => {
  type Step = (dir: string) => Promise<string>;
  let lastBackup = '';
  const write: Step = async (dir) => {
    const folder = await openSite(dir);
    await addRows(folder, 10 + below(250));
    if (random() < 0.5) await folder.anchors.anchor();
    await folder.close();
    return dir;
  };
  const makeOne: Step = async (dir) => {
    lastBackup = (await backup(dir)).path;
    return dir;
  };
  /** The process ends in the middle, with rows that no anchor has, and half a line of the log. */
  const crash: Step = async (dir) => {
    const folder = await openSite(dir);
    await addRows(folder, 10 + below(100));
    const torn = copyOf(dir);
    await folder.close();
    if (random() < 0.5)
      writeFileSync(
        log(torn),
        linesOf(dir)
          .at(-1)!
          .slice(0, 1 + below(200)),
        { flag: 'a' },
      );
    rmSync(join(torn, 'site.lock'), { force: true });
    await (await openSite(torn)).close();
    return torn;
  };
  const erase: Step = async (dir) => {
    const folder = await openSite(dir);
    const about = { accountId: place.accountId, studyId: place.studyId, userId: place.userId };
    const person = await addPerson(folder, {
      ...about,
      tag: `Erased${'abcdefghij'[below(10)]}${below(1e6)}`.replaceAll(/\d/g, (digit) => 'klmnopqrst'[Number(digit)]!),
      seed: below(1e6),
    });
    await folder.anchors.anchor();
    await folder.store.erasures.order(
      { studyId: person.studyId, subjectId: person.subjectId, confirmation: person.words.name! },
      { actor: { type: 'USER', id: place.userId }, reason: 'Asked for in writing' },
    );
    await folder.close();
    // Completed by the next opening.
    await (await openSite(dir)).close();
    return dir;
  };
  const copy: Step = async (dir) => copyOf(dir);
  /** With the key and the log of the replaced site, or on another computer without both; the folder of backups is the same. */
  const restore: Step = async (dir) => {
    if (!existsSync(lastBackup)) await makeOne(dir);
    if (random() < 0.5) await write(dir);
    if (random() < 0.3) await backup(dir);
    const to = join(scratch, `restored-${below(1e9)}`);
    await restoreSite(lastBackup, to, random() < 0.5 ? { anchorsIn: dir } : {});
    rmSync(sitePaths(to).backupsDir, { recursive: true });
    mkdirSync(sitePaths(to).backupsDir);
    cpSync(sitePaths(dir).backupsDir, sitePaths(to).backupsDir, { recursive: true });
    const folder = await openSite(to);
    await addRows(folder, below(100));
    await folder.close();
    lastBackup = '';
    return to;
  };
  /** A site of an older version has no anchors; its backups have no receipts. */
  const upgrade: Step = async (dir) => {
    const older = copyOf(dir);
    for (const path of [log(older), sitePaths(older).anchorKey]) rmSync(path, { force: true });
    rmSync(sitePaths(older).backupsDir, { recursive: true });
    rmSync(sitePaths(older).exportsDir, { recursive: true });
    rewriteKnownAnchor(older, null);
    await (await openSite(older)).close();
    lastBackup = '';
    return older;
  };
  const steps = { write, makeOne, crash, erase, copy, restore, upgrade };
  const names = Object.keys(steps) as (keyof typeof steps)[];

  it.each(Array.from({ length: 20 }, (_, index) => index))('no. %i shows nothing', async (index) => {
    let dir = copyOf(now);
    lastBackup = '';
    const done: string[] = [];
    // Each step comes first in some, and the others are drawn.
    const plan = [names[index % names.length]!, oneOf(names), oneOf(names), 'write' as const];
    for (const name of plan) {
      done.push(name);
      dir = await steps[name](dir);
    }
    expect({ done, seed, codes: await codesOf(dir, index % 4 === 0) }).toEqual({ done, seed, codes: [] });
  });

  it('says since when the site continues from a backup, and whether with its former key', async () => {
    for (const isSameKey of [true, false]) {
      const dir = copyOf(now);
      const made = await backup(dir);
      await write(dir);
      const to = join(scratch, `told-${isSameKey}`);
      await restoreSite(made.path, to, isSameKey ? { anchorsIn: dir } : {});
      const { anchors, problems } = await verifySite(to);
      expect(problems.filter(({ step }) => step === 'audit')).toEqual([]);
      expect(anchors?.continuedSince).toMatchObject({ backupId: made.id, isNewKey: !isSameKey });
    }
  });
});
