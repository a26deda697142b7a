/** Rows that a site gets every day for each subject: recordings as they arrive, contacts, clocks, answers, faults, messages, jobs. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { syncPointText } from '../../db/sync-point-text.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../durations.ts';
import { clockMapText, clockPath, mapThrough, type SignalFileSummary } from '../../signals/index.ts';
import { changesFromNothing } from '../../study/changes.ts';
import type { SyncPoint } from '../../study/recording.ts';
import {
  type FullDatabaseSize,
  type FullRecording,
  type FullSubject,
  isMissing,
  recordingOf,
  SENSOR_CONFIG,
} from './place.ts';
import { chanceOf, idOf, type Rows } from './rows.ts';
import { shortSignalFile } from './signal-file.ts';

const CONTACTS_PER_DAY = 4;
/** A hub reads the sensor's clock when the recording begins and when it collects it; between them it reports it at contacts. */
const SYNC_POINTS = 2;
const KNOTS = 4;

export interface DayContext {
  rows: Rows;
  size: FullDatabaseSize;
  taskIds: { diary: string; activity: string };
  questionIds: { diary: string; activity: string };
  webhookId: string | null;
  /** Where signal files are written; null: rows only. */
  signalsDir: string | null;
  /** Files that were written before, by recording. */
  written: ReadonlyMap<string, SignalFileSummary>;
}

/** What a recording without a file would hold. */
function summaryWithoutFile({ header, startTs, stopTs }: FullRecording): SignalFileSummary {
  const sampleCounts = header.channels.map(({ nominalRateHz }) => Math.round(nominalRateHz * 43_200));
  return {
    sizeBytes: 5_000_000,
    sha256: header.source.sha256,
    startUs: startTs * 1000,
    stopUs: stopTs * 1000,
    sampleCounts,
  };
}

function fileOf(context: DayContext, recording: FullRecording): SignalFileSummary {
  if (context.signalsDir === null) return summaryWithoutFile(recording);
  const path = join(context.signalsDir, `${recording.id}.sig`);
  const summary = context.written.get(recording.id) ?? writeShortFile(path, recording);
  writeFileSync(clockPath(path), clockMapText(mapThrough(clockReadings(summary, KNOTS))));
  return summary;
}

function writeShortFile(path: string, { header, startTs, stopTs }: FullRecording): SignalFileSummary {
  const { bytes, summary } = shortSignalFile(header, startTs * 1000, stopTs * 1000);
  writeFileSync(path, bytes);
  return summary;
}

/** Readings of a clock that runs as the host's does, evenly over a recording. */
function clockReadings({ startUs, stopUs }: SignalFileSummary, count: number): SyncPoint[] {
  return Array.from({ length: count }, (_, i) => {
    const us = Math.round(startUs + ((stopUs - startUs) * i) / (count - 1));
    return { sensorUs: us, hostUs: us };
  });
}

export function addDay(context: DayContext, subject: FullSubject, day: number): void {
  const { size } = context;
  const stopTs = size.fromTs + day * DAY_MS - subject.offsetMs + 21 * HOUR_MS;
  for (let k = 0; k < subject.sensors.length; k++) {
    if (!isMissing(size, subject, k, day)) addRecording(context, subject, recordingOf(size, subject, k, day));
  }
  addContacts(context, subject, day);
  addReports(context, subject, day, stopTs);
}

function addRecording(context: DayContext, subject: FullSubject, recording: FullRecording): void {
  const { rows, size } = context;
  const { studyId, accountId } = size;
  const { id, sensor, header } = recording;
  const subjectId = subject.id;
  const place = { studyId, subjectId };
  const file = fileOf(context, recording);
  const arrivedTs = recording.stopTs + 10 * MINUTE_MS;
  const uploadId = idOf(arrivedTs, 'upload', id);
  const upload = {
    deviceId: subject.hubId,
    recordingId: id,
    sensorId: sensor.id,
    sizeBytes: file.sizeBytes,
    sha256: file.sha256,
    formatVersion: 1,
    startUs: file.startUs,
  };
  rows.audit(arrivedTs, {
    action: 'upload.begin',
    entityType: 'upload',
    entityId: uploadId,
    changes: changesFromNothing({ ...upload, state: 'RECEIVING' }),
  });
  const facts = {
    id,
    ...place,
    deviceConfigId: sensor.deviceConfigId,
    recordingId: header.deviceRecordingId,
    startUs: file.startUs,
    stopUs: file.stopUs,
    udid: sensor.udid,
    hardwareId: header.hardwareId,
    firmwareId: header.firmwareId,
    sizeBytes: file.sizeBytes,
    sha256: file.sha256,
    contentSha256: header.source.sha256,
    sourceFormat: header.source.format,
    sourceFileName: header.source.fileName,
    equipmentId: sensor.id,
  };
  const syncPoints = syncPointText(clockReadings(file, SYNC_POINTS));
  rows.recording(
    {
      ...facts,
      uploadStartTs: arrivedTs,
      createdTs: arrivedTs,
      status: 'COMPLETE',
      dataState: 'ANALYSED',
      sampleCounts: JSON.stringify(file.sampleCounts),
      syncPoints,
    },
    {
      physicalConfig: JSON.stringify(sensor.physicalConfig),
      sensorConfig: JSON.stringify(SENSOR_CONFIG),
      channels: JSON.stringify(header.channels),
    },
  );
  rows.insert('recordingClock', {
    recordingId: id,
    sensorStartUs: file.startUs,
    sensorStopUs: file.stopUs,
    startOffsetUs: 0,
    driftPpm: 0,
    knots: syncPointText(clockReadings(file, KNOTS)),
    leftOut: 0,
  });
  rows.insert('deviceUpload', {
    id: uploadId,
    accountId,
    credentialId: subject.hubCredentialId,
    ...upload,
    state: 'STORED',
    receivedBytes: file.sizeBytes,
    syncPoints,
    ...place,
    storedRecordingId: id,
    createdTs: arrivedTs,
    modifiedTs: arrivedTs,
  });
  rows.audit(arrivedTs, {
    action: 'recording.add',
    entityType: 'recording',
    entityId: id,
    ...place,
    changes: changesFromNothing({ ...facts, physicalConfig: sensor.physicalConfig, sensorConfig: SENSOR_CONFIG }),
  });
  rows.audit(arrivedTs, {
    action: 'upload.stored',
    entityType: 'upload',
    entityId: uploadId,
    ...place,
    changes: { state: { old: 'RECEIVED', new: 'STORED' }, storedRecordingId: { old: null, new: id } },
  });
  addArrival(context, subject, { id, uploadId, arrivedTs, stopTs: recording.stopTs });
}

function addArrival(
  { rows, size, webhookId }: DayContext,
  subject: FullSubject,
  { id, uploadId, arrivedTs, stopTs }: { id: string; uploadId: string; arrivedTs: number; stopTs: number },
): void {
  const { studyId, accountId, fromTs, days } = size;
  const place = { studyId, subjectId: subject.id };
  const eventSequence = rows.event({
    accountId,
    ...place,
    action: 'RECORDING_UPLOADED',
    actualTs: stopTs,
    reportedTs: arrivedTs,
    referenceId: id,
  });
  const ended = {
    state: 'done',
    attempts: 1,
    runAfterTs: arrivedTs,
    createdTs: arrivedTs,
    startedTs: arrivedTs,
    finishedTs: arrivedTs + 4000,
  };
  rows.insert('job', {
    id: idOf(arrivedTs, 'receive', id),
    kind: 'receive',
    payload: JSON.stringify({ uploadId }),
    ...ended,
  });
  const analysis = { ...place, fromMs: stopTs - 12 * HOUR_MS, toMs: stopTs, recordingIds: [id] };
  rows.insert('job', {
    id: idOf(arrivedTs, 'analyse', id),
    kind: 'analyse',
    ...place,
    payload: JSON.stringify(analysis),
    ...ended,
  });
  rows.audit(arrivedTs, {
    action: 'recording.data-state',
    entityType: 'recording',
    entityId: id,
    ...place,
    changes: { dataState: { old: 'VERIFIED', new: 'ANALYSED' } },
  });
  // Deliveries that have ended are deleted after a month.
  if (webhookId === null || arrivedTs < fromTs + (days - 30) * DAY_MS) return;
  const deliveryId = idOf(arrivedTs, 'delivery', id);
  rows.insert('webhookDelivery', {
    id: deliveryId,
    webhookId,
    eventSequence,
    body: JSON.stringify({
      accountId,
      ...place,
      action: 'RECORDING_UPLOADED',
      actualTs: stopTs,
      reportedTs: arrivedTs,
      referenceId: id,
    }),
    state: 'delivered',
    attempts: 1,
    giveUpTs: arrivedTs + DAY_MS,
    createdTs: arrivedTs,
    endedTs: arrivedTs,
  });
  rows.insert('webhookAttempt', { deliveryId, startedTs: arrivedTs, durationMs: 30, status: 200 });
}

function addContacts({ rows, size }: DayContext, subject: FullSubject, day: number): void {
  for (let n = 0; n < CONTACTS_PER_DAY; n++) {
    const contactTs =
      size.fromTs + day * DAY_MS - subject.offsetMs + ((n + 1) * DAY_MS) / (CONTACTS_PER_DAY + 1) + subject.index;
    const battery = { contactTs, batteryPercent: 90 - n * 10, firmwareId: '1.0' };
    for (const equipmentId of [subject.hubId, ...subject.sensors.map(({ id }) => id)]) {
      rows.insert('deviceContact', { equipmentId, ...battery });
    }
    const { hubCredentialId: credentialId } = subject;
    const hostUs = contactTs * 1000;
    const reading = { hostUs, roundTripUs: 4000, receivedTs: contactTs };
    rows.clockReading({ credentialId, clock: 'DEVICE', udid: '' }, { clockUs: hostUs - 200, ...reading });
    for (const { udid } of subject.sensors) {
      rows.clockReading({ credentialId, clock: 'SENSOR', udid }, { clockUs: hostUs + 900, ...reading });
    }
  }
}

function addReports(context: DayContext, subject: FullSubject, day: number, doneTs: number): void {
  const { rows, size } = context;
  const { studyId, accountId } = size;
  const place = { studyId, subjectId: subject.id };
  const times = { startTs: doneTs, stopTs: doneTs, reportedTs: doneTs, createdTs: doneTs, modifiedTs: doneTs };
  const bySubject = { authorType: 'SUBJECT', authorId: subject.id };
  for (const type of ['diary', 'activity'] as const) {
    // One report in eight is missed; the walk is due every other day.
    if (chanceOf(subject.index, day, type.length) < 0.125 || (type === 'activity' && day % 2 === 1)) continue;
    const id = idOf(doneTs, type, subject.id, day);
    const displayName = type === 'diary' ? 'Evening diary' : 'Six-minute walk';
    const shared = { ...place, ...bySubject, ...times, eventDisplayName: displayName };
    rows.insert('annotation', { id, type, displayName, ...shared, eventId: context.taskIds[type] });
    rows.insert('annotation', {
      id: idOf(doneTs, 'answer', type, subject.id, day),
      type: 'question',
      displayName: 'Any pain?',
      ...shared,
      eventId: context.questionIds[type],
      value: day % 5 === 0 ? 'YES' : 'NO',
      questionType: 'BOOLEAN',
      parentId: id,
    });
    rows.audit(doneTs, { action: 'annotation.report', entityType: 'annotation', entityId: id, ...place });
    const action = type === 'diary' ? 'DIARY_COMPLETED' : 'ACTIVITY_COMPLETED';
    rows.event({ accountId, ...place, action, actualTs: doneTs, reportedTs: doneTs, referenceId: id, ...bySubject });
  }
  if ((day + subject.index) % 3 !== 0) return;
  const sensor = subject.sensors[day % Math.max(1, subject.sensors.length)];
  rows.insert('fault', {
    id: idOf(doneTs, 'fault', subject.id, day),
    ...place,
    equipmentId: subject.hubId,
    faultTs: doneTs,
    faultFlag: 'CONTACT_LOST',
    faultType: 'LINK_HUB_SENSOR_FAULT',
    faultClass: 'LOST_CONTACT',
    mobileAppVersion: '1',
    sensorFirmwareId: '1',
    sensorId: sensor?.id ?? subject.hubId,
    createdTs: doneTs,
  });
  const messageId = idOf(doneTs, 'message', subject.id, day);
  rows.insert('message', {
    id: messageId,
    ...place,
    ...bySubject,
    body: 'All well.',
    createdTs: doneTs,
    readTs: day >= size.days - 2 ? null : doneTs + HOUR_MS,
  });
  rows.event({
    accountId,
    ...place,
    action: 'MESSAGE_POSTED',
    actualTs: doneTs,
    reportedTs: doneTs,
    referenceId: messageId,
    ...bySubject,
  });
  rows.audit(doneTs, { action: 'message.post', entityType: 'message', entityId: messageId, ...place });
  for (const [kind, detail] of [
    ['READ', 'SUBJECT'],
    ['READ', 'MESSAGES'],
    ['SIGN_IN', 'PASSWORD'],
  ] as const) {
    const isRead = kind === 'READ';
    rows.insert('accessEntry', {
      ...{ accountId, timeTs: doneTs, lastTs: doneTs, count: 1, kind, detail },
      ...{ studyId: isRead ? studyId : null, subjectId: isRead ? subject.id : null, address: '192.168.1.20' },
    });
  }
}
