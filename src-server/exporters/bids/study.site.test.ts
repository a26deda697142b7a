import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId, type RecordingRecord, SYSTEM } from '../../db/index.ts';
import type { NewCorrection } from '../../services/corrections.ts';
import { createSignalFile, openSignalFileSync } from '../../signals/index.ts';
import { fixedZone, midnightWindow } from '../../study/day-windows.ts';
import { bidsBreaches } from '../../testing/bids-rules.ts';
import { bidsErrors, isBidsValidatorMissing } from '../../testing/bids-validator.ts';
import { channelOf, headerOf, temporaryFolder } from '../../testing/signal-fixtures.ts';
import { storeTestAnalytics } from '../../testing/test-analytics.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { addTestRecording, TEST_SCALE, testCount } from '../../testing/test-recording.ts';
import { testDeidentifier, unpackStudyExport } from '../../testing/test-study-export.ts';
import { declaredText } from './declared.ts';
import { DERIVATIVES } from './derivatives.ts';
import { uniqueLabels } from './names.ts';
import { segmentsOf } from './runs.ts';
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
  const second = { studyId: api.studyId, subjectId: api.subjectIds[1]! };
  const both = { startUs: START_MS * 1000, durationSeconds: 300 };
  await addTestRecording(api.store, api.deps.signalsDir, second, { ...both, udid: 'CHEST' });
  const thigh = { location: 'ANTERIOR_THIGH', udid: 'THIGH', missingMinutes: [2] };
  await addTestRecording(api.store, api.deps.signalsDir, second, { ...both, ...thigh, startUs: START_MS * 1000 + 5e6 });
  await storeTestAnalytics(api.store, place, ZONE, [DATE], [{ startMs: START_MS, stopMs: START_MS + 90_000 }]);
  const [first, undone] = [newId(), newId()];
  const correct = (corrections: NewCorrection[]) =>
    api.store.corrections.add(place, corrections, {
      actor: { type: 'USER', id: api.admin.userId },
      reason: 'seen with Dr Sato',
    });
  await correct([
    { id: first, kind: 'NOT_WORN', startTs: START_MS + 1000, stopTs: START_MS + 9000 },
    { id: undone, kind: 'ASLEEP', startTs: START_MS, stopTs: START_MS + 60_000 },
  ]);
  await correct([{ id: newId(), kind: 'UNDO', undoes: undone }]);
  await api.store.annotations.addLabels(
    [
      {
        ...second,
        type: 'subject',
        displayName: 'Walk',
        value: 'slow',
        startTs: START_MS + 9000,
        stopTs: START_MS + 70_000,
      },
      { ...second, type: 'subject', displayName: 'Elsewhere', startTs: START_MS - 9000, stopTs: START_MS - 7000 },
    ],
    SYSTEM,
  );
});
afterAll(async () => {
  await api.close();
  folder.remove();
});

const source = () => ({ store: api.store, signalsDir: api.deps.signalsDir });
const lines = (bytes: Buffer | undefined) => String(bytes).trimEnd().split('\n');

/** The dataset of what was computed, as a dataset of its own. */
const derivativesOf = (members: Map<string, Buffer>) =>
  new Map(
    [...members].flatMap(([path, bytes]) =>
      path.startsWith(DERIVATIVES) ? [[path.slice(DERIVATIVES.length), bytes] as const] : [],
    ),
  );

const isValidatorMissing = isBidsValidatorMissing();
if (isValidatorMissing) console.warn('Skipped: the BIDS validator is not there; .ci/bids-validator fetches it.');

describe.skipIf(isValidatorMissing)('the validator of BIDS', () => {
  it('finds no error in a study with several subjects, sensors at the same time, labels and breaks', async () => {
    const { members } = await unpackStudyExport(writeBidsStudy, source(), join(folder.path, 'valid'), {
      studyId: api.studyId,
    });
    expect(await bidsErrors(members)).toEqual([]);
    expect(await bidsErrors(derivativesOf(members))).toEqual([]);
    const folders = ['beh', 'motion'].map((folder) => `sub-Subject2/ses-20260109/${folder}`);
    const stem = 'sub-Subject2_ses-20260109_task-daily';
    expect(
      [...members.keys()].filter((path) => /^sub-Subject2.*(motion\.tsv|tsv\.gz|events\.tsv)$/.test(path)).sort(),
    ).toEqual([
      `${folders[0]}/${stem}_acq-part2_run-1_recording-AnteriorThighEcg_physio.tsv.gz`,
      `${folders[0]}/${stem}_run-1_events.tsv`,
      `${folders[0]}/${stem}_run-1_recording-AnteriorThighEcg_physio.tsv.gz`,
      `${folders[0]}/${stem}_run-1_recording-MedialChestEcg_physio.tsv.gz`,
      `${folders[1]}/${stem}_run-1_events.tsv`,
      `${folders[1]}/${stem}_tracksys-AnteriorThighAccel_acq-part2_run-1_motion.tsv`,
      `${folders[1]}/${stem}_tracksys-AnteriorThighAccel_run-1_motion.tsv`,
      `${folders[1]}/${stem}_tracksys-MedialChestAccel_run-1_motion.tsv`,
    ]);
    expect(lines(members.get(`${folders[0]}/${stem}_run-1_events.tsv`))).toEqual([
      'onset\tduration\ttrial_type\tkind\tvalue',
      '9.000\t61.000\tWalk\tsystem\tslow',
    ]);
    const thigh = `${folders[0]}/${stem}_run-1_recording-AnteriorThighEcg_physio.json`;
    expect(JSON.parse(String(members.get(thigh)))).toMatchObject({ StartTime: 5 });
  });

  it('finds no error in a de-identified study', async () => {
    const options = { studyId: api.studyId, deidentify: testDeidentifier };
    const { members } = await unpackStudyExport(writeBidsStudy, source(), join(folder.path, 'valid-coded'), options);
    expect(await bidsErrors(members)).toEqual([]);
    expect(await bidsErrors(derivativesOf(members))).toEqual([]);
  });

  it('reports a computed table whose name BIDS does not know', async () => {
    const { members } = await unpackStudyExport(writeBidsStudy, source(), join(folder.path, 'misnamed'), {
      studyId: api.studyId,
    });
    const derivatives = derivativesOf(members);
    const name = [...derivatives.keys()].find((path) => path.endsWith('_desc-metrics_beh.tsv'))!;
    derivatives.set(name.replace('_beh.tsv', '_metrics.tsv'), derivatives.get(name)!);
    expect((await bidsErrors(derivatives)).join()).toContain('_metrics.tsv');
  });

  it('reports a time with an offset', async () => {
    const { members } = await unpackStudyExport(writeBidsStudy, source(), join(folder.path, 'invalid'), {
      studyId: api.studyId,
    });
    const scans = [...members.keys()].find((path) => path.endsWith('_scans.tsv'))!;
    members.set(scans, Buffer.from(String(members.get(scans)).replace(/(T\d\d:\d\d:\d\d\.\d{6})/, '$1+09:00')));
    const errors = await bidsErrors(members);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain('acq_time');
  });
});

describe('a study as BIDS', () => {
  it('follows the rules and holds every sample with its time', async () => {
    const { facts, members } = await unpackStudyExport(writeBidsStudy, source(), join(folder.path, 'plain'), {
      studyId: api.studyId,
    });
    expect(bidsBreaches(members)).toEqual([]);
    expect(facts).toMatchObject({ subjects: 2, recordings: 5 });
    expect(lines(members.get('participants.tsv'))).toEqual([
      'participant_id\tage\tsex\thandedness\theight\tweight\tname',
      'sub-Subject1\t89\tF\tL\t1.6\t55.5\tSubject 1',
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
      `beh/${physio.split('/').at(-1)}.tsv.gz\t${new Date(START_MS + 9 * 3_600_000).toISOString().slice(0, -1)}007\t+09:00\t${recording.id}`,
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

  it('holds no name and no true date when de-identified; shifted dates lie before 1926', async () => {
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
      'Dr Sato',
      api.admin.userId,
    ];
    for (const secret of secrets) expect(everything).not.toContain(secret);
    const label = testDeidentifier.code('subject', api.subjectIds[0]!).replace('-', '');
    const sessions = lines(members.get(`sub-${label}/sub-${label}_sessions.tsv`)).slice(1);
    const [first, second] = sessions.map((line) => Date.parse(`${line.split('\t')[1]!.slice(0, -3)}Z`));
    expect(second! - first!).toBe(86_400_000);
    expect(new Date(first!).getUTCFullYear()).toBeLessThanOrEqual(1925);
    // Local time is written as UTC.
    expect((START_MS + 9 * 3_600_000 - first!) % (7 * 86_400_000)).toBe(0);
    expect(everything).not.toContain('+09:00');
  });

  it('declares a class for every field and column that a dataset has', async () => {
    const [plain, coded] = await Promise.all(
      [null, testDeidentifier].map(async (deidentify) => {
        const options = { studyId: api.studyId, deidentify };
        const dir = join(folder.path, `declared-${deidentify !== null}`);
        return (await unpackStudyExport(writeBidsStudy, source(), dir, options)).members;
      }),
    );
    // Withheld on purpose. A new field or column belongs either in `declared.ts` or in this list.
    const withheld = [
      ...['name', 'ManufacturersModelName', 'SoftwareVersions', 'requestedTs', 'dataTs'],
      // Of signatures.
      ...['signed_at', 'signer_name', 'content_sha256', 'comment'],
      // Of corrections and beats, and instants of a continuous recording, which move when clocks change.
      ...['author_name', 'reason', 'undone_by_name', 'undone_reason', 'inputs', 'recordingSha256'],
      ...['data_start', 'data_stop'],
    ];
    const namesOf = (members: Map<string, Buffer>) => {
      const names = new Set<string>();
      const collect = (value: unknown): void => {
        if (typeof value !== 'object' || value === null) return;
        for (const [key, part] of Object.entries(value)) {
          if (!Array.isArray(value)) names.add(key);
          collect(part);
        }
      };
      for (const [path, bytes] of members) {
        if (path.endsWith('.json')) collect(JSON.parse(String(bytes)));
        if (path.endsWith('.tsv') && !path.endsWith('_motion.tsv'))
          for (const name of lines(bytes)[0]!.split('\t')) names.add(name);
      }
      return names;
    };
    const leaving = namesOf(coded!);
    expect([...namesOf(plain!)].filter((name) => !leaving.has(name) && !withheld.includes(name))).toEqual([]);
    // No value fails its class where the plain dataset has one.
    for (const [path, bytes] of coded!) {
      if (!/_(?:scans|sessions|channels)\.tsv$/.test(path)) continue;
      for (const line of lines(bytes).slice(1))
        expect(line.replace(/^latency.*/, '').replace(/\tn\/a\tLATENCY/, '')).not.toContain('n/a');
    }
    expect(declaredText('x.json')!('{"Operator":"Ms Brenner","SamplingFrequency":250,"Name":"Ms Brenner"}')).toBe(
      '{\n  "SamplingFrequency": 250\n}\n',
    );
    expect(declaredText('x_scans.tsv')!('operator\tacq_time\nBrenner\t2026-01-10T00:00:00\n')).toBe('acq_time\nn/a\n');
  });

  it('lists unreadable pages in the manifest and leaves their time empty', async () => {
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
  it('restart after a gap of more than a second, not after a shorter one', async () => {
    const path = join(folder.path, 'breaks.sig');
    const writer = await createSignalFile(path, headerOf([channelOf('ECG', ['v'], 100)]));
    for (const startUs of [0, 10_000_000, 20_900_000, 40_000_000]) {
      const columns = [new Int16Array(1000)];
      await writer.append({ channel: 0, startUs: 1e15 + startUs, periodUs: 10_000, count: 1000, columns });
    }
    await writer.finish();
    const file = openSignalFileSync(path);
    const segments = segmentsOf(file, 0).map(({ firstUs, count }) => [firstUs - 1e15, count]);
    file.closeSync();
    expect(segments).toEqual([
      [0, 3000],
      [40_000_000, 1000],
    ]);
  });
});

describe('labels', () => {
  it('are letters and digits, and are unique even where names are not', () => {
    expect(uniqueLabels(['S-01', 's 01', 'Ünï', '痛み', '日本'], 'subject')).toEqual([
      'S01',
      's01x2',
      'Uni',
      'subject',
      'subjectx2',
    ]);
  });
});
