import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RecordingRecord, SYSTEM } from '../../db/index.ts';
import { createSignalFile, openSignalFileSync } from '../../signals/index.ts';
import { fixedZone, midnightWindow } from '../../study/day-windows.ts';
import { bidsBreaches } from '../../testing/bids-rules.ts';
import { channelOf, headerOf, temporaryFolder } from '../../testing/signal-fixtures.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { addTestRecording, TEST_SCALE, testCount } from '../../testing/test-recording.ts';
import { testDeidentifier, unpackStudyExport } from '../../testing/test-study-export.ts';
import { uniqueLabels } from './names.ts';
import { stretchesOf } from './runs.ts';
import { writeBidsStudy } from './study.ts';

const ZONE = 'Asia/Tokyo';
const DATE = '2026-01-10';
/** Before 09:00 in Tokyo: another date in UTC. */
const START_MS = midnightWindow(DATE, fixedZone(ZONE)).startMs + 3_600_000;

let api: TestApi;
let folder: ReturnType<typeof temporaryFolder>;
let recording: RecordingRecord;
beforeAll(async () => {
  folder = temporaryFolder();
  api = await startTestApi({ timeZones: [ZONE, 'US/Eastern'] });
  await api.store.subjects.update(
    api.subjectIds[0]!,
    { age: 91, gender: 'FEMALE', height: 1.6, weight: 55.5, dominantHand: 'LEFT' },
    SYSTEM,
  );
  const place = { studyId: api.studyId, subjectId: api.subjectIds[0]! };
  const add = (startMs: number, udid: string) =>
    addTestRecording(api.store, api.deps.signalsDir, place, { startUs: startMs * 1000 + 7, durationSeconds: 90, udid });
  recording = await add(START_MS, 'AA:BB:CC:00:00:01');
  await add(START_MS + 600_000, 'AA:BB:CC:00:00:02');
  await add(START_MS + 86_400_000, 'AA:BB:CC:00:00:01');
});
afterAll(async () => {
  await api.close();
  folder.remove();
});

const source = () => ({ store: api.store, signalsDir: api.deps.signalsDir });
const lines = (bytes: Buffer | undefined) => String(bytes).trimEnd().split('\n');

describe('a study as BIDS', () => {
  it('keeps the rules and every sample with its time', async () => {
    const { facts, members } = await unpackStudyExport(writeBidsStudy, source(), join(folder.path, 'plain'), {
      studyId: api.studyId,
    });
    expect(bidsBreaches(members)).toEqual([]);
    expect(facts).toMatchObject({ subjects: 2, recordings: 3 });
    expect(lines(members.get('participants.tsv'))).toEqual([
      'participant_id\tage\tsex\thandedness\theight\tweight\tname',
      'sub-Subject1\t89+\tF\tL\t1.6\t55.5\tSubject 1',
      'sub-Subject2\tn/a\tn/a\tn/a\tn/a\tn/a\tSubject 2',
    ]);
    const session = 'sub-Subject1/ses-20260110';
    const physio = `${session}/beh/sub-Subject1_ses-20260110_task-daily_run-1_recording-MedialChestEcg_physio`;
    const ecg = lines(gunzipSync(members.get(`${physio}.tsv.gz`)!)).map((line) => line.split('\t').map(Number));
    expect(ecg).toEqual(
      Array.from({ length: 90 * 250 }, (_, i) => [(4000 * i) / 1e6, testCount(i, 0) * TEST_SCALE.ECG]),
    );
    expect(JSON.parse(String(members.get(`${physio}.json`)))).toMatchObject({
      SamplingFrequency: 250,
      StartTime: 0,
      Columns: ['timestamp', 'cardiac'],
      cardiac: { Units: 'V' },
      DeviceSerialNumber: 'AA:BB:CC:00:00:01',
    });
    const motion = `${session}/motion/sub-Subject1_ses-20260110_task-daily_tracksys-MedialChestAccel_run-2`;
    expect(lines(members.get(`${motion}_motion.tsv`))).toHaveLength(Math.ceil(90 * 31.25));
    expect(lines(members.get(`${motion}_channels.tsv`))).toEqual([
      'name\tcomponent\ttype\ttracked_point\tunits',
      'latency\tn/a\tLATENCY\tn/a\ts',
      ...['x', 'y', 'z'].map((axis) => `acc_${axis}\t${axis}\tACCEL\tMEDIAL_CHEST\tg`),
    ]);
    const scans = lines(members.get(`${session}/sub-Subject1_ses-20260110_scans.tsv`));
    expect(scans[0]).toBe('filename\tacq_time\tutc_offset\trecording_id');
    expect(scans).toHaveLength(1 + 4);
    expect(scans).toContain(
      `beh/${physio.split('/').at(-1)}.tsv.gz\t${new Date(START_MS).toISOString().slice(0, -1)}007Z\t+09:00\t${recording.id}`,
    );
    expect(lines(members.get('sub-Subject1/sub-Subject1_sessions.tsv')).map((line) => line.split('\t')[0])).toEqual([
      'session_id',
      'ses-20260110',
      'ses-20260111',
    ]);
    for (const { path, sha256 } of JSON.parse(String(members.get('outpost.json'))).files) {
      expect(createHash('sha256').update(members.get(path)!).digest('hex')).toBe(sha256);
    }
  });

  it('names nobody and no day when de-identified; shifted dates lie before 1926', async () => {
    const options = { studyId: api.studyId, deidentify: testDeidentifier };
    const { members } = await unpackStudyExport(writeBidsStudy, source(), join(folder.path, 'coded'), options);
    expect(bidsBreaches(members)).toEqual([]);
    const texts = [...members].map(([name, bytes]) => `${name}\n${name.endsWith('.gz') ? gunzipSync(bytes) : bytes}`);
    const everything = texts.join('\n');
    const secrets = [
      api.subjectIds[0]!,
      api.studyId,
      recording.id,
      'Subject1',
      'Subject 1',
      'AA:BB:CC',
      '2026-01',
      '202601',
      'Tokyo',
    ];
    for (const secret of secrets) expect(everything).not.toContain(secret);
    const label = testDeidentifier.code('subject', api.subjectIds[0]!).replace('-', '');
    const sessions = lines(members.get(`sub-${label}/sub-${label}_sessions.tsv`)).slice(1);
    const [first, second] = sessions.map((line) => Date.parse(line.split('\t')[1]!.replace(/\d{3}Z$/, 'Z')));
    expect(second! - first!).toBe(86_400_000);
    expect(new Date(first!).getUTCFullYear()).toBeLessThanOrEqual(1925);
    expect((START_MS - first!) % (7 * 86_400_000)).toBe(0);
    expect(everything).toContain('+09:00');
  });

  it('tells of pages that could not be read, and leaves their time open', async () => {
    const path = join(api.deps.signalsDir, `${recording.id}.sig`);
    const file = openSignalFileSync(path);
    const { offset, payloadLength } = file.pageIndex[1]![0]!;
    file.closeSync();
    const handle = await open(path, 'r+');
    await handle.write(new Uint8Array(8).fill(0x5a), 0, 8, offset + Math.floor(payloadLength / 2));
    await handle.close();
    const { members } = await unpackStudyExport(writeBidsStudy, source(), join(folder.path, 'damaged'), {
      studyId: api.studyId,
      subjectIds: [api.subjectIds[0]!],
    });
    expect(bidsBreaches(members)).toEqual([]);
    expect(JSON.parse(String(members.get('outpost.json'))).problems).toEqual([
      { recordingId: recording.id, problems: [expect.stringContaining('15000 samples are lost')] },
    ]);
    const name = [...members.keys()].find((one) => one.includes('20260110_task-daily_run-1') && one.endsWith('.gz'));
    expect(lines(gunzipSync(members.get(name!)!))[0]!.split('\t')[0]).toBe('60.000000');
  });
});

describe('runs', () => {
  it('begin anew after a break of more than a second, not after a shorter one', async () => {
    const path = join(folder.path, 'breaks.sig');
    const writer = await createSignalFile(path, headerOf([channelOf('ECG', ['v'], 100)]));
    for (const startUs of [0, 10_000_000, 20_900_000, 40_000_000]) {
      const columns = [new Int16Array(1000)];
      await writer.append({ channel: 0, startUs: 1e15 + startUs, periodUs: 10_000, count: 1000, columns });
    }
    await writer.finish();
    const file = openSignalFileSync(path);
    const stretches = stretchesOf(file, 0).map(({ firstUs, count }) => [firstUs - 1e15, count]);
    file.closeSync();
    expect(stretches).toEqual([
      [0, 3000],
      [40_000_000, 1000],
    ]);
  });
});

describe('labels', () => {
  it('are letters and digits, and differ even where names do not', () => {
    expect(uniqueLabels(['S-01', 's 01', 'Ünï', '痛み', '日本'], 'subject')).toEqual([
      'S01',
      's01x2',
      'Uni',
      'subject',
      'subjectx2',
    ]);
  });
});
