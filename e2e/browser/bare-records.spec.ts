/** Records with only their required members, made through the API: each of their screens works and names them. */

import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { HOUR_MS } from '../../src-server/durations.ts';
import { SimulatedHub } from '../../src-server/simulator/hub/hub.ts';
import { makeUploadFile } from '../../src-server/testing/upload-site.ts';
import { leaksOf } from '../support/absent-members.ts';
import { watchPage } from '../support/desk.ts';
import { test } from '../support/lan-site.ts';
import { removeFolder } from '../support/remove-folder.ts';

test.use({ siteName: 'bare records' });

test.setTimeout(240_000);

test('receives recordings of a sensor registered without its address, and shows them on every screen of its subject', async ({
  desk,
  lan,
}) => {
  const { client, clock } = lan;
  const { accountId } = lan.place;
  const nowMs = Date.now();
  clock.aheadMs = -8 * HOUR_MS;
  const { id: studyId } = await client.call('createStudy', { params: { accountId }, body: { displayName: 'Bare' } });
  await client.call('startStudy', { params: { studyId } });
  const { id: subjectId } = await client.call('createSubject', {
    params: { studyId },
    body: { displayName: 'N-1', timezone: 'UTC' },
  });
  const sensors = ['SN-EMPTY', 'SN-LEARNT'];
  for (const id of sensors) {
    await client.call('registerEquipment', { params: { accountId }, body: { id, type: 'SENSOR' } });
    await client.call('assignEquipment', { params: { studyId, subjectId, equipmentId: id } });
  }
  const folder = await mkdtemp(join(tmpdir(), 'outpost-bare-'));
  const hub = await SimulatedHub.open({
    folder: join(folder, 'hub'),
    serial: 'HUB-BARE',
    displayName: 'Hub',
    clock: () => Date.now() + clock.aheadMs,
  });
  try {
    const { id, link } = await client.call('startPairing', { body: { studyId, subjectId } });
    const onCheckCode = async (checkCode: string) =>
      void (await client.call('confirmPairing', { params: { pairingId: id }, body: { checkCode } }));
    await hub.pair({ link }, { onCheckCode, collectEveryMs: 50 });
    clock.aheadMs = 0;
    for (const [serial, udid] of [
      ['SN-EMPTY', ''],
      ['SN-LEARNT', '0A:00:00:00:00:01'],
    ] as const) {
      const startUs = (nowMs - (serial === 'SN-EMPTY' ? 2 : 4) * HOUR_MS) * 1000;
      const path = join(folder, `${serial}.sig`);
      await writeFile(path, (await makeUploadFile(folder, { udid, startUs })).bytes);
      await hub.takeRecording(path, serial);
    }
    await hub.sendAll();
    await lan.site.engine.jobs.whenIdle();
  } finally {
    hub.close();
    await removeFolder(folder);
  }
  const { items: recordings } = await client.call('listSubjectRecordings', { params: { studyId, subjectId } });
  expect(recordings.map(({ equipmentId }) => equipmentId).sort()).toEqual(sensors);

  const expectNoProblems = watchPage(desk);
  const subject = `/studies/${studyId}/subjects/${subjectId}`;
  const views = ['days', 'metrics', 'tasks', 'recordings', 'labels', 'coverage', 'equipment', 'messages', 'history'];
  for (const path of [
    ...views.map((view) => `${subject}/${view}`),
    ...recordings.map((recording) => `${subject}/recordings/${recording.id}`),
    ...['', '/subjects', '/definition', '/history', '/members'].map((view) => `/studies/${studyId}${view}`),
    ...['/', '/subjects', '/equipment', '/equipment/uploads', '/events', '/site/audit', '/exports'],
    ...sensors.map((id) => `/equipment/${id}`),
  ]) {
    await desk.goto(path);
    await expect(desk.getByRole('heading', { level: 1 }).first()).toBeVisible();
    await expect(desk.locator('[aria-busy=true]')).toHaveCount(0);
    expect.soft(await leaksOf(desk), path).toEqual([]);
  }
  await desk.goto(`${subject}/coverage`);
  for (const id of sensors) await expect(desk.getByRole('columnheader', { name: id })).toBeVisible();
  await desk.goto('/equipment/SN-LEARNT');
  await expect(desk.getByText('0A:00:00:00:00:01')).toBeVisible();
  await expect(desk.getByText('no contact yet')).toHaveCount(0);
  expectNoProblems();

  await desk.goto('/equipment/SN-EMPTY');
  await desk.getByRole('button', { name: 'Edit' }).click();
  await desk.getByRole('textbox', { name: 'MAC address' }).fill('0A:00:00:00:00:01');
  await desk.getByRole('button', { name: 'Save' }).click();
  await expect(desk.getByRole('alert')).toContainText('registered already');
  await desk.getByRole('textbox', { name: 'MAC address' }).fill('0A:00:00:00:00:02');
  await desk.getByRole('button', { name: 'Save' }).click();
  await expect(desk.getByRole('dialog')).toHaveCount(0);
  await expect(desk.getByText('0A:00:00:00:00:02')).toBeVisible();
});
