/** Plants a marker in every text that a study can hold, and finds markers, ids and true times that leak into an export. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { newId, SYSTEM } from '../db/index.ts';
import type { Store } from '../services/index.ts';
import { createSignalFile } from '../signals/index.ts';
import type { SignalHeader } from '../signals/types.ts';
import { addDays, fixedZone, midnightWindow } from '../study/day-windows.ts';
import { addRecordingRow } from './recording-row.ts';
import { storeTestAnalytics } from './test-analytics.ts';

/** The marker in every planted text; letters only, so that it survives any rewriting of names. */
export const MARK = 'zqxmark';
const mac = (last: string) => `DE:AD:BE:EF:00:${last}`;
export const PLANTED_ZONE = 'US/Eastern';
/** Clocks went forward on the second. */
export const PLANTED_DATES = ['2026-03-07', '2026-03-08', '2026-03-09'];
/** A number entered by a person, such as a record number. */
export const PLANTED_NUMBER = '7718293';

let planted = 0;
/** A unique text with the marker. */
const text = (what: string): string => `${MARK} ${what} ${++planted}`;

export interface PlantedStudy {
  accountId: string;
  userId: string;
  studyId: string;
  subjectId: string;
}

/** The definition of the planted study, for `putDefinition`. */
export function plantedDefinition() {
  const questions = [
    { text: text('pain?'), type: 'MULTIPLECHOICE', values: [text('none'), text('much')] },
    { text: text('what?'), type: 'FREETEXT' },
    { text: text('slept?'), type: 'BOOLEAN', values: ['YES', 'NO'] },
    { text: text('other?'), type: text('type') },
  ];
  return {
    subjectMetadataFields: [
      { displayName: text('note'), type: 'FREETEXT' as const },
      { displayName: text('arm'), type: 'MULTIPLECHOICE' as const, values: [text('arm A'), text('arm B')] },
      { displayName: text('record'), type: 'NUMBER' as const },
      { displayName: text('consents'), type: 'BOOLEAN' as const },
    ],
    activities: [
      { displayName: text('walk'), mode: text('mode'), durationSec: 360, instructions: text('call'), questions },
    ],
    diaries: [{ displayName: text('evening'), mode: text('mode'), questions }],
    deviceConfigs: [
      {
        mode: text('mode'),
        physicalConfig: { location: text('arm of'), side: text('side'), signal: text('sig') },
        sensorConfig: { sensingType: text('sensing'), gyro: { mode: text('gyro'), periodMs: 32 } },
      },
    ],
  };
}

/** Fills the study: subject, equipment, recordings, faults, reports, labels, messages and analytics, all of them marked. */
export async function plantStudy(store: Store, signalsDir: string, place: PlantedStudy): Promise<string[]> {
  const { accountId, userId, studyId, subjectId } = place;
  const byUser = { actor: { type: 'USER', id: userId } } as const;
  const bySubject = { actor: { type: 'SUBJECT', id: subjectId } } as const;
  await store.studies.update(studyId, { displayName: text('study'), title: text('title') }, byUser);
  const study = (await store.studies.getDetail(studyId))!;
  const [note, arm, record, consents] = study.metadataFields;
  await store.subjects.update(
    subjectId,
    {
      displayName: text('subject'),
      age: 97,
      gender: 'FEMALE',
      height: 1.71,
      weight: 63.5,
      metadataFields: [
        { displayName: note!.displayName, value: text('lives in') },
        { displayName: arm!.displayName, value: arm!.values[1]! },
        { displayName: record!.displayName, value: PLANTED_NUMBER },
        { displayName: consents!.displayName, value: 'YES' },
      ],
    },
    byUser,
  );
  const serials = [text('sensor-serial').replaceAll(' ', '-'), text('hub-serial').replaceAll(' ', '-')];
  await store.equipment.register(
    { accountId, id: serials[0]!, type: 'SENSOR', displayName: text('sensor of'), udid: mac('01') },
    byUser,
  );
  await store.equipment.register({ accountId, id: serials[1]!, type: 'LINK_HUB', displayName: text('hub of') }, byUser);
  for (const serial of serials) await store.equipment.assign(serial, { studyId, subjectId }, byUser);

  const starts = PLANTED_DATES.map((date) => midnightWindow(date, fixedZone(PLANTED_ZONE)).startMs + 3_600_000);
  const ids: string[] = [];
  for (const startMs of starts) ids.push(await plantRecording(store, signalsDir, place, startMs * 1000 + 123_457));

  await store.faults.add(
    [
      {
        studyId,
        subjectId,
        equipmentId: serials[0]!,
        recordingId: ids[0]!,
        faultTs: starts[0]! + 1234,
        faultFlag: text('flag'),
        faultType: text('fault'),
        mobileAppVersion: text('app'),
        sensorFirmwareId: text('firmware'),
        sensorId: mac('01'),
      },
    ],
    SYSTEM,
  );
  for (const task of [...study.activities, ...study.diaries]) {
    const [pain, what, slept, other] = task.questions;
    const answers = [
      { questionId: pain!.id, value: pain!.values[1]! },
      { questionId: what!.id, value: text('answer') },
      { questionId: slept!.id, value: 'YES' },
      { questionId: other!.id, value: text('answer') },
    ];
    const report = { studyId, subjectId, taskId: task.id, startTs: starts[1]! + 5000, stopTs: starts[1]! + 9000 };
    await store.annotations.reportTask({ ...report, answers }, bySubject);
  }
  const label = (displayName: string, value?: string) => ({
    studyId,
    subjectId,
    recordingId: ids[0]!,
    type: 'recording' as const,
    displayName,
    ...(value !== undefined && { value }),
    startTs: starts[0]! + 2000,
    stopTs: starts[0]! + 2000,
  });
  await store.annotations.addLabels(
    [
      label(text('fell'), text('seen by')),
      label('Premature ventricular contraction', 'V'),
      label('Rhythm change', '(AFIB'),
      label('Comment', text('comment')),
      label('Sleep stage N2'),
      label(study.activities[0]!.displayName),
    ],
    byUser,
  );
  await store.messages.post({ studyId, subjectId, body: text('message') }, byUser);
  const call = await store.notes.add({ studyId, subjectId, kind: 'CALL', isReached: true, body: text('note') }, byUser);
  await store.notes.edit(call, { version: 1, body: text('call') }, byUser);
  await store.notes.withdraw(call, { ...byUser, reason: text('withdrawn') });
  await store.notes.add({ studyId, kind: 'NOTE', body: text('study note') }, byUser);
  const day = { target: 'DAY', date: PLANTED_DATES[0]!, metric: text('metric') } as const;
  const query = await store.dataQueries.open({ studyId, subjectId, ...day, text: text('query') }, byUser);
  await store.dataQueries.addStep(query, { kind: 'ANSWER', text: text('answer') }, byUser);
  await plantParticipation(store, place);
  await plantAnalytics(store, place, starts);
  return ids;
}

/** A consent with a document, a group and a visit, all of them marked. */
async function plantParticipation(store: Store, { userId, studyId, subjectId }: PlantedStudy): Promise<void> {
  const byUser = { actor: { type: 'USER', id: userId } } as const;
  const place = { studyId, subjectId };
  const version = text('version');
  const choice = (name: string) => ({ id: name, displayName: text(name) });
  const visit = { ...choice('visit'), anchor: 'CONSENT', offsetDays: 7, windowBefore: 1, windowAfter: 1 } as const;
  const plan = {
    consentForms: [{ version, isRequired: true }],
    ...{ groups: [choice('group')], strata: [choice('stratum')] },
    visits: [{ ...visit, isOptional: false, isReminded: true }],
  };
  await store.participation.setPlan(studyId, plan, 0, byUser);
  const document = { file: 'planted.pdf', name: text('form'), mimeType: 'application/pdf', sizeBytes: 9, sha256: 'f' };
  const reason = text('why');
  await store.participation.setConsent(
    { ...place, state: 'GIVEN', version, date: PLANTED_DATES[0]!, reason, document },
    byUser,
  );
  await store.participation.setGroup({ ...place, groupId: 'group', stratumId: 'stratum', reason }, byUser);
  await store.participation.setVisit({ ...place, visitId: 'visit', state: 'MISSED', reason }, byUser);
}

/** Worn around the clock, on the day of 23 hours as well. */
async function plantAnalytics(store: Store, place: PlantedStudy, starts: readonly number[]): Promise<void> {
  const spans = starts.map((startMs) => ({ startMs, stopMs: startMs + 90_000 }));
  await storeTestAnalytics(store, place, PLANTED_ZONE, [...PLANTED_DATES, addDays(PLANTED_DATES.at(-1)!, 1)], spans);
  const days = PLANTED_DATES.map((date) => {
    const { startMs, stopMs } = midnightWindow(date, fixedZone(PLANTED_ZONE));
    const metrics = {
      SENSOR_WEAR_DURATION: (stopMs - startMs) / 1000,
      MOVING_AVG_HR: 71.25,
      SLEEPING_DURATION: 25_200,
      SLEEPING_ONSET_TS: startMs - 3_600_000,
      SLEEPING_WAKE_TS: startMs + 6 * 3_600_000,
    };
    const day = { date, dayStartMs: startMs, dayStopMs: stopMs, dataStartMs: startMs, dataStopMs: stopMs };
    return { metrics: { ...day, metrics, validSeconds: {} }, timezone: PLANTED_ZONE, inputsHash: date };
  });
  const { studyId, subjectId } = place;
  await store.analytics.store({ studyId, subjectId, algorithmVersion: 'test', windows: [], days }, SYSTEM);
}

/** A recording of a foreign file whose every text is marked; a known channel and two of unknown labels. */
async function plantRecording(store: Store, signalsDir: string, place: PlantedStudy, startUs: number): Promise<string> {
  const id = newId();
  const channel = (type: string, dimensions: string[], unit: string) => ({
    type,
    dimensions,
    unit,
    nominalRateHz: 50,
    scale: dimensions.map(() => 0.001),
    offset: dimensions.map(() => 0),
    sampleBits: 16 as const,
  });
  const header: SignalHeader = {
    version: 1,
    recordingId: id,
    deviceRecordingId: Math.floor(startUs / 1e6),
    udid: mac('02'),
    hardwareId: text('hardware'),
    firmwareId: text('firmware'),
    physicalConfig: { location: text('arm of'), side: text('side'), signal: text('signal') },
    sensorConfig: {
      sensingType: text('sensing'),
      afe: { gain: Math.floor(startUs / 1000), rate: 50, [MARK]: text('afe') },
      gyro: { mode: text('gyro'), periodMs: 20, accelLowPower: false, accelRange: 4, gyroAutoCalib: false },
      [MARK]: text('further'),
    },
    channels: [
      channel('ECG', ['v', text('lead')], 'V'),
      channel(text('label').toUpperCase(), ['v'], text('unit')),
      channel('ACCEL', ['x', 'y', 'z'], 'g'),
    ],
    syncPoints: [{ sensorUs: startUs, hostUs: startUs + 5_000_000 }],
    source: { format: text('format'), fileName: `${text('file')}.edf`, sha256: 'ab'.repeat(32) },
  };
  const writer = await createSignalFile(join(signalsDir, `${id}.sig`), header);
  for (let second = 0; second < 60; second += 30) {
    for (const [index, { dimensions }] of header.channels.entries()) {
      const columns = dimensions.map((_, d) => Int16Array.from({ length: 1500 }, (_unused, i) => (i * (d + 3)) % 500));
      await writer.append({ channel: index, startUs: startUs + second * 1e6, periodUs: 20_000, count: 1500, columns });
    }
  }
  await writer.mark({ channel: 0, timeUs: startUs + 1_000_000, reason: text('reason') });
  await addRecordingRow(store, place, header, await writer.finish(), {
    syncPoints: header.syncPoints,
    contentSha256: createHash('sha256').update(id).digest('hex'),
    notes: [text('note')],
  });
  return id;
}

const WHITESPACE = /[\s_-]+/g;
/** Patterns that must not occur; digits inside hexadecimal hashes do not count as times. */
const FORBIDDEN: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['an id, which tells when it was made', /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/gi],
  ['an id without dashes', /(?<![0-9a-f])[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}(?![0-9a-f])/gi],
  ['a MAC address', /de[:-]?ad[:-]?be[:-]?ef[:-]?00[:-]?0[12]/gi],
  ['a MAC address', /(?:[0-9a-f]{2}:){5}[0-9a-f]{2}/gi],
  ['a zone', /(?:US|America|Asia|Europe)\/[A-Z]|[+-]0[45]:?00/g],
  ['a true day', /20[1-9]\d-[01]\d-[0-3]\d|(?<![\da-f])20[12]\d[01]\d[0-3]\d(?![\da-f])/g],
  ['a true day of EDF', /[0-3]\d\.[01]\d\.2[0-9](?!\d)|[0-3]\d-[A-Z]{3}-20[12]\d/g],
  ['a number that was entered', new RegExp(PLANTED_NUMBER, 'g')],
  ['the sum of a day of 23 hours', /(?<![\da-f])82800(?![\da-f])/g],
];
/** From 2010 to 2040, in seconds, milliseconds and microseconds. */
const TRUE_SECONDS = [1_262_304_000, 2_208_988_800] as const;

/** Returns what leaks into a text of an export. */
export function leaksIn(content: string): string[] {
  const leaks: string[] = [];
  const flat = content.toLowerCase().replace(WHITESPACE, '');
  for (let at = flat.indexOf(MARK); at >= 0; at = flat.indexOf(MARK, at + 1)) leaks.push(flat.slice(at, at + 25));
  for (const [what, pattern] of FORBIDDEN) {
    for (const [found] of content.matchAll(pattern)) leaks.push(`${what}: ${found}`);
  }
  for (const [number] of content.matchAll(/(?<![\da-f.])\d{10}(?:\d{3}|\d{6})?(?![\da-f])/g)) {
    const seconds = Number(number.slice(0, 10));
    if (seconds >= TRUE_SECONDS[0] && seconds < TRUE_SECONDS[1]) leaks.push(`a true time: ${number}`);
  }
  return [...new Set(leaks)];
}

/** The metadata in the central directory of a ZIP: member times, comments, extra fields. */
export function zipDirectory(
  bytes: Buffer,
): { name: string; dosTime: number; extraBytes: number; commentBytes: number }[] {
  const entries = [];
  const end = bytes.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  const count = bytes.readUInt16LE(end + 10);
  let at = bytes.readUInt32LE(end + 16);
  for (let i = 0; i < count; i++) {
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset));
    const name = bytes.toString('utf8', at + 46, at + 46 + nameBytes!);
    entries.push({
      name,
      dosTime: bytes.readUInt32LE(at + 12),
      extraBytes: extraBytes!,
      commentBytes: commentBytes! + bytes.readUInt16LE(end + 20),
    });
    at += 46 + nameBytes! + extraBytes! + commentBytes!;
  }
  return entries;
}
