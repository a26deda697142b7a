import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSite, type SiteFolder } from '../../src-server/site/folder.ts';
import { makeTestSite, type TestSite } from '../../src-server/testing/test-site.ts';
import type { UpdateAttempt } from './attempt.ts';
import { auditUpdate } from './update-audit.ts';

let site: TestSite;
let folder: SiteFolder;
beforeEach(async () => {
  site = await makeTestSite();
  folder = await openSite(site.dir);
});
afterEach(async () => {
  await folder.close();
  await site.remove();
});

const ATTEMPT: UpdateAttempt = {
  from: '1.1.0',
  to: '1.2.0',
  stage: 'trial',
  atMs: 1_700_000_000_000,
  opens: 1,
  selfTest: 'passed',
  backup: { id: 'b1', directory: 'backups', createdTs: 1 },
  by: 'robin',
};
const entries = async () =>
  (await folder.store.audit.list({ entityType: 'site' })).map(({ action, actor, reason, changes }) => ({
    action,
    actor: actor.type,
    reason,
    changes,
  }));

test('tells an update once: versions, user of the computer, self-test and backup', async () => {
  for (const stage of ['ready', 'installing', 'failed', 'confirmed', 'not-installed'] as const)
    await auditUpdate(folder, { ...ATTEMPT, stage });
  expect(await entries()).toEqual([]);
  // The second time after a crash between the entry and the record of the update.
  for (let turn = 0; turn < 2; turn++) await auditUpdate(folder, ATTEMPT);
  expect(await entries()).toMatchObject([
    {
      action: 'site.update',
      actor: 'SYSTEM',
      changes: {
        programVersion: { old: '1.1.0', new: '1.2.0' },
        selfTest: { new: 'passed' },
        backup: { new: 'b1' },
        computerUser: { new: 'robin' },
        preparedTs: { new: ATTEMPT.atMs },
      },
    },
  ]);
});

test('tells the way back with what failed, and why there was no backup', async () => {
  await auditUpdate(folder, { ...ATTEMPT, backup: { declined: 'The disk is full' } });
  const failed = { ...ATTEMPT, selfTest: { failed: 'worker-threads' }, returnedBy: 'kim', problem: 'It did not open.' };
  await auditUpdate(folder, { ...failed, stage: 'returned' });
  const [back, update] = await entries();
  expect(update).toMatchObject({ action: 'site.update', reason: 'The disk is full' });
  expect(update?.changes).not.toHaveProperty('backup');
  expect(back).toMatchObject({
    action: 'site.update-return',
    changes: {
      programVersion: { old: '1.2.0', new: '1.1.0' },
      selfTest: { new: 'worker-threads' },
      computerUser: { new: 'kim' },
      problem: { new: 'It did not open.' },
    },
  });
});
