/** Rows that a site gets once per subject: the person, the equipment, its holders and credentials. */
import { DAY_MS, MINUTE_MS } from '../../durations.ts';
import { localDateIn } from '../../study/day-windows.ts';
import type { FullDatabaseSize, FullSubject } from './place.ts';
import { digestOf, idOf, type Rows } from './rows.ts';

export function addSubject(rows: Rows, size: FullDatabaseSize, subject: FullSubject, userId: string | null): void {
  const { studyId, accountId, fromTs } = size;
  const { id: subjectId, timezone, index } = subject;
  const stamp = { createdTs: fromTs, modifiedTs: fromTs };
  rows.insert('subject', {
    id: subjectId,
    studyId,
    displayName: `F-${index}`,
    nameKey: `F-${index}`,
    age: 30 + (index % 50),
    gender: index % 2 ? 'MALE' : 'FEMALE',
    timezone,
    metadataFields: '[]',
    ...stamp,
    programStartTs: fromTs,
  });
  const date = localDateIn(fromTs, timezone);
  rows.insert('participation', {
    ...{ subjectId, studyId, status: 'ENROLLED', statusDate: date, enrolledDate: date, lastPosition: 1 },
  });
  rows.insert('participationStep', {
    ...{ id: idOf(fromTs, 'step', subjectId), studyId, subjectId, position: 1, kind: 'STATUS', date },
    ...{ status: 'ENROLLED', createdTs: fromTs },
  });
  rows.insert('subjectZone', { subjectId, fromTs: 0, timezone });
  rows.insert('subjectToken', {
    id: idOf(fromTs, 'token', subjectId),
    subjectId,
    tokenHash: digestOf(`token ${subjectId}`),
    createdTs: fromTs,
    usedTs: fromTs,
  });
  rows.audit(fromTs, {
    action: 'subject.create',
    entityType: 'subject',
    entityId: subjectId,
    studyId,
    subjectId,
    changes: { displayName: { new: `F-${index}` }, timezone: { new: timezone } },
  });
  rows.event({
    accountId,
    studyId,
    subjectId,
    action: 'SUBJECT_CREATED',
    actualTs: fromTs,
    reportedTs: fromTs,
    referenceId: subjectId,
  });
  const lastContactTs = fromTs + (index % 20 === 19 ? Math.max(0, size.days - 2) : size.days) * DAY_MS - 10 * MINUTE_MS;
  const equip = (id: string, type: string, udid: string | null) => {
    rows.insert('equipment', {
      id,
      accountId,
      type,
      displayName: id,
      udid,
      hardwareId: 'BRCS02',
      firmwareId: '1.0',
      lastContactTs,
      batteryPercent: 80,
      ...stamp,
    });
    rows.insert('equipmentAssignment', {
      id: idOf(fromTs, 'held', id),
      equipmentId: id,
      studyId,
      subjectId,
      assignedTs: fromTs,
    });
    rows.audit(fromTs, { action: 'equipment.assign', entityType: 'equipment', entityId: id, studyId, subjectId });
  };
  equip(subject.hubId, 'LINK_HUB', null);
  for (const { id, udid } of subject.sensors) equip(id, 'SENSOR', udid);
  const credential = (id: string, kind: 'HUB' | 'PHONE', serial: string, place: Record<string, string>) =>
    rows.insert('deviceCredential', {
      id,
      accountId,
      kind,
      serial,
      tokenHash: digestOf(id),
      createdTs: fromTs,
      firstUsedTs: fromTs,
      lastAddress: '192.168.1.20',
      lastContactTs,
      ...place,
    });
  credential(subject.hubCredentialId, 'HUB', subject.hubId, { equipmentId: subject.hubId });
  credential(subject.phoneCredentialId, 'PHONE', `FP-${index}`, { studyId, subjectId });
  if (userId === null) return;
  rows.insert('pairing', {
    id: idOf(fromTs, 'pairing', subject.hubId),
    accountId,
    userId,
    state: 'COMPLETE',
    credentialId: subject.hubCredentialId,
    createdTs: fromTs,
    expirationTs: fromTs + 10 * MINUTE_MS,
    endedTs: fromTs + MINUTE_MS,
  });
}

/** What devices say now: the recording under way is still on the sensor. */
export function addHeldRecordings(rows: Rows, size: FullDatabaseSize, subject: FullSubject): void {
  const nowTs = size.fromTs + size.days * DAY_MS;
  const { hubId: deviceId } = subject;
  rows.insert('deviceManifest', { deviceId, reportedTs: nowTs - 10 * MINUTE_MS, recordings: subject.sensors.length });
  for (const { id: sensorId } of subject.sensors) {
    rows.insert('heldRecording', {
      deviceId,
      recordingId: idOf(nowTs, 'held', sensorId),
      sensorId,
      place: 'SENSOR',
      sizeBytes: 100_000,
      startTs: nowTs - 60 * MINUTE_MS,
      stopTs: nowTs - 10 * MINUTE_MS,
      firstReportedTs: nowTs - 30 * MINUTE_MS,
      reportedTs: nowTs - 10 * MINUTE_MS,
    });
  }
}

/** A day of each week is signed; its content is not what it was. */
export function addSignature(
  rows: Rows,
  size: FullDatabaseSize,
  { id }: FullSubject,
  day: number,
  userId: string,
): void {
  const signedTs = size.fromTs + (day + 1) * DAY_MS;
  const signatureId = idOf(signedTs, 'signature', id);
  const row = {
    id: signatureId,
    studyId: size.studyId,
    kind: 'subject-day',
    targetId: id,
    subjectId: id,
    date: new Date(size.fromTs + day * DAY_MS).toISOString().slice(0, 10),
    meaning: 'REVIEWED',
    userId,
    signerName: 'Ada Byron',
    signerRole: 'ADMIN',
    signedTs,
    contentVersion: 2,
    contentSha256: digestOf(signatureId),
  };
  rows.insert('signature', row);
  rows.audit(signedTs, {
    action: 'signature.sign',
    entityType: 'signature',
    entityId: signatureId,
    studyId: size.studyId,
    subjectId: id,
    changes: Object.fromEntries(Object.entries(row).map(([name, value]) => [name, { new: value }])),
  });
}

/** An item of Today that was snoozed and whose time is over. */
export function addOldSnooze(rows: Rows, size: FullDatabaseSize, subjectId: string, userId: string): void {
  rows.insert('attentionSnooze', {
    accountId: size.accountId,
    itemId: `NO_DATA:${subjectId}`,
    evidenceKey: 'none',
    untilTs: size.fromTs + 2 * DAY_MS,
    reason: 'On holiday.',
    userId,
    createdTs: size.fromTs + DAY_MS,
  });
}
