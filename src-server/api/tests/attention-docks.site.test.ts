/** Items of Today about docked recorders: from the plug to the confirmation. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SYSTEM } from '../../db/index.ts';
import type { Docks } from '../../docks/docks.ts';
import { HOUR_MS } from '../../durations.ts';
import { madeCwa } from '../../testing/made-cwa.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { createClient } from '../contract/client.ts';

let api: TestApi;
let docks: Docks;
let drives: string;
const mounts: { path: string; label: string }[] = [];

beforeAll(async () => {
  drives = await mkdtemp(join(tmpdir(), 'outpost-drives-'));
  api = await startTestApi({ mounts });
  docks = api.deps.docks as Docks;
  await mkdir(join(api.deps.inboxDir, 'docks'));
  const rules = { isOn: true, action: 'OFFER' as const, timeZone: 'UTC', folders: [] };
  await api.store.settings.set('docks.rules', rules, SYSTEM);
  await api.client.call('startStudy', { params: { studyId: api.studyId } });
});
afterAll(async () => {
  await docks.close();
  await api.close();
  await rm(drives, { recursive: true, force: true });
  expect(api.problems).toEqual([]);
});

const plug = async (serial: number) => {
  const label = `AX317_${serial}`;
  const path = join(drives, label);
  await mkdir(path);
  await writeFile(join(path, 'CWA-DATA.CWA'), madeCwa({ serial, blocks: 60 }));
  mounts.push({ path, label });
};
const look = async () => {
  for (let i = 0; i < 2; i++) await docks.look();
};
const items = async (user: { credentials: TestApi['client']['credentials'] } = api.client) => {
  const client = createClient({ baseUrl: api.url, credentials: user.credentials! });
  const { items: all } = await client.call('listAttention', { params: { accountId: api.accountId } });
  return all.filter(({ reason }) => reason.startsWith('DOCK_'));
};

it('lists what waits once per study, what is stored until it is confirmed, and nothing after that', async () => {
  expect(await items()).toEqual([]);
  for (const serial of [39434, 40001, 40002, 40003, 40004]) await plug(serial);
  await look();
  // Nobody has registered them: they belong to no study yet.
  expect(await items()).toMatchObject([
    {
      reason: 'DOCK_WAITING',
      evidence: { count: 5, detail: 'AX317_39434, AX317_40001, AX317_40002, +2' },
      action: { kind: 'CHECK_DOCK' },
    },
  ]);
  expect((await items())[0]).not.toHaveProperty('studyId');

  const place = { studyId: api.studyId, subjectId: api.subjectIds[0]! };
  await api.store.equipment.register({ accountId: api.accountId, id: 'AX3-39434', type: 'SENSOR' }, SYSTEM);
  await api.store.equipment.assign('AX3-39434', { ...place, atTs: Date.UTC(2026, 0, 5) }, SYSTEM);
  const waiting = await items();
  expect(waiting.map(({ studyId, evidence }) => [studyId, evidence.count, evidence.detail])).toEqual(
    expect.arrayContaining([
      [api.studyId, 1, 'AX317_39434'],
      [undefined, 4, 'AX317_40001, AX317_40002, AX317_40003, +1'],
    ]),
  );
  const ofStudy = await api.client.call('listStudyAttention', { params: { studyId: api.studyId } });
  expect(ofStudy.items.filter(({ reason }) => reason === 'DOCK_WAITING')).toHaveLength(1);
  // A coordinator who is in no study sees those that nobody can tell apart yet, and no recording of the study.
  expect((await items(api.coordinator)).map(({ studyId }) => studyId)).not.toContain(api.studyId);

  const { items: transfers } = await api.client.call('listTransfers', { params: { accountId: api.accountId } });
  const transferId = transfers.find(({ displayName }) => displayName === 'AX317_39434')!.id;
  const params = { accountId: api.accountId, transferId };
  await api.client.call('takeTransfer', { params, body: place });
  expect((await items()).map(({ studyId }) => studyId)).toEqual([undefined]);
  await expect.poll(async () => (await docks.get(transferId))?.row?.state, { timeout: 20_000 }).toBe('IMPORTING');
  await api.store.transfers.move(transferId, ['IMPORTING'], { state: 'STORED' }, SYSTEM);
  expect((await items()).find(({ reason }) => reason === 'DOCK_STORED')).toMatchObject({
    studyId: api.studyId,
    evidence: { count: 1, detail: 'AX317_39434' },
  });
  // An unplugged recorder is in nobody's hand: nothing asks to confirm it.
  const [drive] = mounts.splice(0, 1);
  await look();
  expect((await items()).map(({ reason }) => reason)).toEqual(['DOCK_WAITING']);
  mounts.push(drive!);
  await look();
  expect((await items()).map(({ reason }) => reason)).toContain('DOCK_STORED');
  await api.store.transfers.move(transferId, ['STORED'], { state: 'CONFIRMED', confirmedTs: api.clock.now() }, SYSTEM);
  expect((await items()).map(({ reason }) => reason)).toEqual(['DOCK_WAITING']);
});

it('lists files of watched folders that could not be read for minutes, by the study of the folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'outpost-closed-'));
  const rules = await api.store.settings.get('docks.rules');
  await api.store.settings.set(
    'docks.rules',
    { ...rules, folders: [{ path: folder, studyId: api.studyId, action: 'OFFER' }] },
    SYSTEM,
  );
  await look();
  const seen = docks.folders[0]!.seen;
  const file = { sizeBytes: 9, modifiedMs: 0, state: 'unreadable' } as const;
  seen.files.set('new.cwa', { ...file, fault: { why: 'IN_USE', sinceMs: 0, isLasting: false, triedMs: 0 } });
  seen.closed.set('c', { why: 'AWAY', sinceMs: 0, isLasting: false });
  const unreadable = async () => (await items()).filter(({ reason }) => reason === 'DOCK_UNREADABLE');
  expect(await unreadable()).toEqual([]);
  const hoursAgo = (hours: number) => performance.now() - hours * HOUR_MS;
  const fault = { why: 'DISK_ERROR', sinceMs: hoursAgo(1), isLasting: true, triedMs: 0 } as const;
  seen.files.set('a/old.cwa', { ...file, fault });
  seen.closed.set('b', { why: 'NO_ACCESS', sinceMs: hoursAgo(5), isLasting: true });
  expect(await unreadable()).toMatchObject([
    { studyId: api.studyId, evidence: { count: 2, detail: 'old.cwa, b' }, action: { kind: 'CHECK_DOCK' } },
  ]);
  // As old as the first of them.
  const age = api.clock.now() - (await unreadable())[0]!.sinceTs;
  expect(Math.floor(age / HOUR_MS)).toBe(5);
  const { folders } = await api.client.call('getDocks', { params: { accountId: api.accountId } });
  expect(folders[0]).toMatchObject({
    unreadable: 4,
    unreadableFiles: [
      { name: 'c/', why: 'AWAY' },
      { name: 'b/', why: 'NO_ACCESS' },
      { name: 'new.cwa', why: 'IN_USE' },
      { name: 'a/old.cwa', why: 'DISK_ERROR' },
    ],
  });
  await rm(folder, { recursive: true, force: true });
});

it('lists a copy that failed for two weeks', async () => {
  const { items: transfers } = await api.client.call('listTransfers', { params: { accountId: api.accountId } });
  const { id } = transfers.find(({ displayName }) => displayName === 'AX317_40001')!;
  const place = { studyId: api.studyId, subjectId: api.subjectIds[1]! };
  const params = { accountId: api.accountId, transferId: id };
  await api.client.call('takeTransfer', { params, body: { ...place, reason: 'Handed out on paper.' } });
  await expect.poll(async () => (await docks.get(id))?.row?.state, { timeout: 20_000 }).toBe('IMPORTING');
  const failure = { state: 'FAILED', code: 'IO_ERROR', message: 'The drive cannot be read.', jobId: null } as const;
  await api.store.transfers.move(id, ['IMPORTING'], failure, SYSTEM);
  expect((await items()).map(({ reason }) => reason)).toContain('DOCK_FAILED');
  api.clock.advance(15 * 24 * HOUR_MS);
  expect((await items(await api.signIn())).map(({ reason }) => reason)).not.toContain('DOCK_FAILED');
});
