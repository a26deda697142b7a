import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { MASTER_ID, PIPELINE_ID } from '../../api/contract/channels.ts';
import { MINUTE_MS } from '../../durations.ts';
import { createSignalFile } from '../../signals/index.ts';
import { addRecordingRow } from '../../testing/recording-row.ts';
import { channelOf, headerOf } from '../../testing/signal-fixtures.ts';
import { ASKEW, syntheticMotion } from '../../testing/synthetic-motion.ts';
import { startTestLanSite, type TestLanSite } from '../../testing/test-lan-site.ts';
import { SimulatedPhone } from './phone.ts';

let test: TestLanSite;
let folder: string;
let place: { studyId: string; subjectId: string };

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'outpost-calibration-'));
  test = await startTestLanSite();
  place = { studyId: test.place.studyId, subjectId: test.place.subjectIds[0] ?? '' };
});
afterAll(async () => {
  await test.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A chest sensor, worn askew, of somebody who stands for a minute and lies for ten: nothing but a label shows its vertical. */
async function addChestRecording(startMs: number): Promise<void> {
  const { store, signalsDir } = test.site.folder;
  const input = syntheticMotion({
    site: 'chest',
    startUs: startMs * 1000,
    mounting: ASKEW,
    episodes: [
      { doing: 'stand', seconds: 60 },
      { doing: 'lieLeft', seconds: 600 },
    ],
  });
  const channel = { ...channelOf('ACCEL', ['x', 'y', 'z'], input.nominalRateHz), scale: input.scale };
  const header = { ...headerOf([channel]), recordingId: randomUUID() };
  const writer = await createSignalFile(join(signalsDir, `${header.recordingId}.sig`), header);
  for (const chunk of input.chunks) await writer.append({ channel: 0, ...chunk });
  const summary = await writer.finish();
  const row = await addRecordingRow(store, place, header, summary, { contentSha256: summary.sha256 });
  await store.jobs.queue(
    'analyse',
    { ...place, fromMs: startMs, toMs: startMs + 660_000, recordingIds: [row.id] },
    { actor: { type: 'SYSTEM' } },
  );
}

async function activities(startMs: number): Promise<(string | null)[]> {
  const { channels } = await test.client.call('getChannels', {
    params: { ...place, pipelineId: PIPELINE_ID },
    query: { masterId: MASTER_ID, from: startMs + 2 * MINUTE_MS, to: startMs + 9 * MINUTE_MS },
  });
  return (channels.find(({ type }) => type === 'activity')?.values ?? []) as (string | null)[];
}

it('orients a sensor by the calibration that a phone reports after the recording was analysed', async () => {
  const { store } = test.site.folder;
  const { studyId } = place;
  const change = { actor: { type: 'USER', id: test.place.userId } } as const;
  const calibration = {
    displayName: 'Posture calibration',
    durationSec: 20,
    instructions: 'Stand still.',
    mode: 'UNSUPERVISED' as const,
    pipelineIds: [],
    questions: [],
  };
  const { activities: tasks } = await store.studies.putDefinition(studyId, { activities: [calibration] }, change);
  await store.studies.move(studyId, 'start', change);
  const startMs = Date.now() - 60 * MINUTE_MS;
  await addChestRecording(startMs);
  await vi.waitFor(async () => expect(await activities(startMs)).not.toEqual([]), { timeout: 20_000 });
  expect(new Set(await activities(startMs))).toEqual(new Set([null]));

  const phone = await SimulatedPhone.open({ folder: join(folder, 'phone'), clock: Date.now });
  const { token } = await test.client.call('createSubjectToken', { params: place });
  await phone.signIn(test.lanUrl, token, test.site.lan.fingerprint);
  const span = { startTs: startMs + 10_000, stopTs: startMs + 30_000 };
  const marks = [{ id: randomUUID(), displayName: 'Calibration: standing', ...span }];
  await phone.report({ taskId: tasks[0]?.id ?? '', ...span, answers: [], marks });
  expect(await phone.sync()).toMatchObject([{ state: 'STORED' }]);
  phone.close();
  await vi.waitFor(async () => expect(new Set(await activities(startMs))).toEqual(new Set(['RESTING:LYING'])), {
    timeout: 20_000,
  });

  // Staff remove it, and enter one of their own.
  const label = { annotationId: marks[0]?.id ?? '', ...place };
  await test.client.call('deleteLabel', { params: label, query: {} });
  await vi.waitFor(async () => expect(new Set(await activities(startMs))).toEqual(new Set([null])), {
    timeout: 20_000,
  });
  await test.client.call('createLabel', { params: place, body: { displayName: 'calibration: Standing ', ...span } });
  await vi.waitFor(async () => expect(new Set(await activities(startMs))).toEqual(new Set(['RESTING:LYING'])), {
    timeout: 20_000,
  });
});
