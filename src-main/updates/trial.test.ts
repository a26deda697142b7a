import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { OutpostError } from '../../src-server/errors.ts';
import { type UpdateAttempt, UpdateRecord } from './attempt.ts';
import { outcomeOf, Trial } from './trial.ts';

let root: string;
let path: string;
let tests: number;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'outpost-trial-'));
  path = join(root, 'updates', 'update.json');
  tests = 0;
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const report = (ok: boolean) =>
  JSON.stringify({
    checks: [
      { name: 'hashes', ok: true },
      { name: 'database', ok },
    ],
  });

/** A start of the program: what is on the disk is all that it knows. */
const started = (version: string, isSound = true) => {
  const record = new UpdateRecord(path);
  const source = `console.log(${JSON.stringify(report(isSound))}); process.exit(${isSound ? 0 : 7})`;
  return { record, trial: new Trial(record, version, { program: process.execPath, args: ['-e', source] }) };
};
const mayOpen = ({ trial }: ReturnType<typeof started>) =>
  trial.mayOpen(() => {
    tests++;
  });

const begin = async (stage: UpdateAttempt['stage'] = 'installing') =>
  await new UpdateRecord(path).begin({ from: '1.1.0', to: '1.2.0', stage, atMs: 0 });
const corrupt = new OutpostError('SITE_MIGRATION_FAILED', 'The site could not be migrated.');

test('tests a new version once, before it opens a site, and trusts it when it has', async () => {
  await begin();
  const first = started('1.2.0');
  expect(await mayOpen(first)).toBe(true);
  await first.trial.opened();
  expect(first.record.attempt).toMatchObject({ stage: 'confirmed', selfTest: 'passed' });
  // Another site is opened, and the program starts again.
  expect(await mayOpen(first)).toBe(true);
  expect(await mayOpen(started('1.2.0'))).toBe(true);
  expect(tests).toBe(1);
});

test('opens nothing with a version whose self-test fails, and says which checks', async () => {
  await begin();
  const first = started('1.2.0', false);
  expect(await mayOpen(first)).toBe(false);
  expect(first.record.attempt).toMatchObject({ stage: 'failed', opens: 0, selfTest: { failed: 'database' } });
  expect(await mayOpen(started('1.2.0'))).toBe(false);
  // Back with the version before.
  await first.record.change({ stage: 'returning' });
  const back = started('1.1.0');
  expect(await mayOpen(back)).toBe(true);
  expect(back.record.attempt?.stage).toBe('returned');
});

test('offers the way back after two starts that did not open the site, by an error or a crash', async () => {
  await begin();
  const first = started('1.2.0');
  expect(await mayOpen(first)).toBe(true);
  expect(await first.trial.notOpened(corrupt)).toBe(false);
  // The second start ends in a crash, which nobody reports.
  expect(await mayOpen(started('1.2.0'))).toBe(true);
  const third = started('1.2.0');
  expect(await mayOpen(third)).toBe(false);
  expect(third.record.attempt).toMatchObject({ opens: 2, problem: corrupt.message });
  // One more attempt, on request.
  await third.trial.again();
  expect(await mayOpen(third)).toBe(true);
  await third.trial.opened();
  expect(third.record.attempt?.stage).toBe('confirmed');
});

test('offers it within one start as well, when trying again does not help', async () => {
  await begin();
  const only = started('1.2.0');
  expect(await mayOpen(only)).toBe(true);
  expect(await only.trial.notOpened(corrupt)).toBe(false);
  expect(await mayOpen(only)).toBe(true);
  expect(await only.trial.notOpened(corrupt)).toBe(true);
});

test.each(['PORT_TAKEN', 'SITE_LOCKED', 'DISK_FULL'] as const)(
  'does not hold %s against the new version',
  async (code) => {
    await begin();
    const only = started('1.2.0');
    for (let attempt = 0; attempt < 4; attempt++) {
      expect(await mayOpen(only)).toBe(true);
      expect(await only.trial.notOpened(new OutpostError(code, 'Not now.'))).toBe(false);
    }
  },
);

test('notices an installation that did not happen, and a version installed by hand', async () => {
  await begin();
  const same = started('1.1.0');
  expect(await mayOpen(same)).toBe(true);
  expect(same.record.attempt?.stage).toBe('not-installed');
  // The installer did its work after all.
  const late = started('1.2.0');
  expect(await mayOpen(late)).toBe(true);
  expect(late.record.attempt?.stage).toBe('trial');
  const other = started('1.3.0');
  expect(await mayOpen(other)).toBe(true);
  expect(other.record.attempt).toBeUndefined();
  expect(tests).toBe(1);
});

test('a return that did not happen still shows the way back', async () => {
  await begin('returning');
  expect(await mayOpen(started('1.2.0'))).toBe(false);
});

test('starts as usual without a record, and with one that cannot be read', async () => {
  expect(await mayOpen(started('1.2.0'))).toBe(true);
  mkdirSync(dirname(path));
  writeFileSync(path, '{"attempt":');
  expect(await mayOpen(started('1.2.0'))).toBe(true);
  writeFileSync(path, '{"attempt":{"stage":"unheard-of"}}');
  expect(await mayOpen(started('1.2.0'))).toBe(true);
});

test('reads the outcome of a self-test, also of one that did not come to its report', () => {
  expect(outcomeOf(0, report(true), '')).toBe('passed');
  expect(outcomeOf(7, report(false), '')).toEqual({ failed: 'database' });
  expect(outcomeOf(0, '', '')).toEqual({ failed: 'code 0' });
  expect(outcomeOf(null, '', 'checking hashes\nIllegal instruction')).toEqual({ failed: 'Illegal instruction' });
});
