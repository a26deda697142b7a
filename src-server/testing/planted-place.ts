/** A study with one of everything that a path, body or query can name, all marked, and with what was deleted or ended of it. */
import { createClient } from '../api/contract/client.ts';
import { newId, SYSTEM } from '../db/index.ts';
import type { TestApi } from './test-api.ts';
import { addTestRecording } from './test-recording.ts';

/** Ids by the name of the parameter that takes them. */
export type Ids = Record<string, string>;

export interface PlantedPlace {
  studyId: string;
  subjectId: string;
  /** Records that are in use. */
  ids: Ids;
  /** Other kinds of the same parameters: a phone beside a hub, a quarantined file beside a refused one. */
  others: Ids[];
  /** Records that were revoked, rejected, cancelled, withdrawn or deleted, as far as there are such. */
  deleted: Ids;
  /** Words that are only here. */
  marks: string[];
}

/** @param name begins every serial number @param mark a word that occurs nowhere else */
export async function plantPlace(api: TestApi, name: string, mark: string): Promise<PlantedPlace> {
  const { store, accountId, clock, jobs } = api;
  const client = createClient({ baseUrl: api.url, credentials: api.admin.credentials });
  const account = { accountId };
  const text = (what: string) => `${mark}${what}`;
  const study = await client.call('createStudy', { params: account, body: { displayName: text('study') } });
  const studyId = study.id;
  const inStudy = { studyId };
  const newSubject = async (displayName: string) =>
    (await client.call('createSubject', { params: inStudy, body: { displayName, timezone: 'US/Eastern' } })).id;
  const place = { studyId, subjectId: await newSubject(text('subject')) };
  const plan = {
    ...{ version: 0, consentForms: [{ version: '1', isRequired: false }], strata: [] },
    groups: [{ id: 'a', displayName: text('group') }],
    visits: [
      {
        ...{ id: 'v', displayName: text('visit'), anchor: 'ENROLLED' as const, offsetDays: 0, windowBefore: 2 },
        ...{ windowAfter: 2, isOptional: false, isReminded: false },
      },
    ],
  };
  await client.call('setStudyPlan', { params: inStudy, body: plan });
  const serials = { hub: `${name}-hub`, sensor: `${name}-sensor`, given: `${name}-given` };
  const udid = `AA:BB:CC:00:${name.length.toString(16).padStart(2, '0')}:09`;
  const equipment = [
    { id: serials.hub, type: 'LINK_HUB', displayName: text('hub') },
    { id: serials.sensor, type: 'SENSOR', displayName: text('sensor'), udid },
  ] as const;
  for (const body of equipment) await client.call('registerEquipment', { params: account, body });
  await client.call('startStudy', { params: inStudy });
  for (const { id } of equipment) await client.call('assignEquipment', { params: { ...place, equipmentId: id } });
  const [hub, lostHub] = [await addDevice('HUB', serials.hub), await addDevice('HUB', serials.hub)];
  const [phone, lostPhone] = [await addDevice('PHONE', text('phone')), await addDevice('PHONE', text('lost'))];
  for (const lost of [lostHub, lostPhone]) await store.devices.revoke(lost, SYSTEM);

  async function addDevice(kind: 'HUB' | 'PHONE', serial: string): Promise<string> {
    const own = kind === 'HUB' ? { equipmentId: serial } : { subject: place };
    return (await store.devices.add({ accountId, kind, serial, ...own }, SYSTEM)).device.id;
  }
  async function addUpload(state: 'REFUSED' | 'QUARANTINED' | 'REJECTED' | 'RECEIVING'): Promise<string> {
    const id = newId();
    await store.uploads.add(
      {
        ...{ id, accountId, credentialId: hub, deviceId: serials.hub, sensorId: serials.sensor },
        ...{ recordingId: newId(), sizeBytes: 9, sha256: id.replaceAll('-', '').padEnd(64, '0'), formatVersion: 1 },
        ...{ startUs: clock.now() * 1000, syncPoints: [], state },
        ...(state !== 'RECEIVING' && { code: 'STUDY_COMPLETE', message: text('message') }),
        ...((state === 'QUARANTINED' || state === 'REJECTED') && place),
      },
      SYSTEM,
    );
    return id;
  }
  async function addPairing(isEnded = false): Promise<string> {
    const id = newId();
    const keys = { secretKey: 'x', codeKey: 'x', expirationTs: clock.now() + 600_000 };
    await store.pairings.create({ id, accountId, userId: api.admin.userId, ...keys, subject: place }, SYSTEM);
    const device = { kind: 'HUB', serial: serials.hub, displayName: text('calling') } as const;
    const fields = { state: 'COMPARING', device, checkCode: '123 456' } as const;
    await store.pairings.update(id, fields, 'pairing.compare', SYSTEM);
    const ended = { state: 'CANCELLED', endedTs: clock.now() } as const;
    if (isEnded) await store.pairings.update(id, ended, 'pairing.cancel', SYSTEM);
    return id;
  }
  async function addTransfer(): Promise<string> {
    const id = newId();
    const file = { displayName: text('drive'), fileName: 'a.cwa', sizeBytes: 9, options: {} };
    const failed = { state: 'FAILED', code: 'FILE_DAMAGED', message: text('file') } as const;
    await store.transfers.decide({ id, accountId, source: 'DOCK', ...file, ...failed, ...place }, SYSTEM);
    return id;
  }
  async function addJob(): Promise<string> {
    return (await jobs.enqueue('analyse', { ...place, fromMs: 0, toMs: 1, recordingIds: [] })).id;
  }
  async function addMessage(): Promise<string> {
    const body = new FormData();
    body.set('body', text('letter'));
    return (await client.call('sendMessage', { params: place, body })).id;
  }
  const addLabel = async (what: string) =>
    (await client.call('createLabel', { params: place, body: { displayName: text(what), startTs: 1 } })).id;
  const addExport = async () =>
    (await client.call('requestStudyExport', { params: inStudy, body: { format: 'ARCHIVE' } })).id;
  const addNote = async (what: string) => {
    const followUpDate = new Date(clock.now() + 86_400_000).toISOString().slice(0, 10);
    const body = { kind: 'NOTE', body: text(what), followUpDate } as const;
    return (await client.call('addSubjectNote', { params: place, body })).id;
  };
  const addRun = async (what: string) => {
    const body = { name: text(what), reason: text('reason') };
    return (await client.call('createAnalysisRun', { params: inStudy, body })).id;
  };

  await store.refusals.note({
    ...{ kind: 'TOKEN', code: 'DEVICE_REVOKED', message: text('refusal'), aboutId: hub, serial: serials.hub },
    ...{ address: '192.0.2.7', attempts: 1, sinceTs: clock.now(), lastTs: clock.now() },
  });
  const held = { recordingId: newId(), sensorId: serials.sensor, place: 'HUB', sizeBytes: 7 } as const;
  await store.heldRecordings.report(serials.hub, [{ ...held, startTs: clock.now(), stopTs: clock.now() }], clock.now());
  await store.faults.add(
    [
      {
        ...{ id: newId(), ...place, equipmentId: serials.hub, faultTs: clock.now(), faultFlag: text('flag') },
        ...{ faultType: text('fault'), faultClass: 'FLAT_BATTERY' },
        ...{ mobileAppVersion: '', sensorFirmwareId: '', sensorId: udid },
      },
    ],
    SYSTEM,
  );
  await store.messages.post({ ...place, body: text('reply') }, { actor: { type: 'SUBJECT', id: place.subjectId } });
  const correctionId = newId();
  const corrections = [{ id: correctionId, kind: 'NOT_WORN' as const, startTs: 1, stopTs: 2 }];
  await client.call('addCorrections', { params: place, body: { corrections, reason: text('correction') } });
  const query = { target: 'DAY', date: '2026-01-15', text: text('query') } as const;
  const templateId = newId();
  const templates = { displayName: text('template'), texts: { en: text('body') } };
  await client.call('putMessageTemplate', { params: { ...inStudy, templateId }, body: templates });
  const filterId = newId();
  const filter = {
    table: 'subjects',
    studyId,
    sharedStudyId: studyId,
    displayName: text('filter'),
    search: { filter: 'twoDays' },
  } as const;
  await client.call('putSavedFilter', { params: { ...account, filterId }, body: filter });
  const consent = new FormData();
  for (const [key, value] of [
    ['version', '1'],
    ['date', '2026-01-10'],
  ])
    consent.set(key!, value!);
  consent.set('document', new Blob(['%PDF-1.7']), 'form.pdf');
  const stepId = (await client.call('addConsent', { params: place, body: consent as never })).id;
  const [recording, label, exportId, note, run] = [
    await addTestRecording(store, api.deps.signalsDir, place, { udid }),
    await addLabel('label'),
    await addExport(),
    await addNote('note'),
    await addRun('run'),
  ];
  const ids: Ids = {
    ...{ ...place, recordingId: recording.id, jobId: await addJob(), equipmentId: serials.hub, udid },
    ...{ deviceId: hub, uploadId: await addUpload('REFUSED'), pairingId: await addPairing() },
    ...{ transferId: await addTransfer(), messageId: await addMessage(), annotationId: label, exportId },
    ...{ noteId: note, queryId: (await client.call('openQuery', { params: place, body: query })).id, runId: run },
    ...{ correctionId, templateId, filterId, stepId, itemId: `UPLOAD_REFUSED:${serials.sensor}:STUDY_COMPLETE` },
  };
  const [deletedLabel, deletedExport, withdrawn] = [await addLabel('gone'), await addExport(), await addNote('old')];
  await client.call('deleteLabel', { params: { ...place, annotationId: deletedLabel } });
  await client.call('deleteStudyExport', { params: { ...inStudy, exportId: deletedExport } });
  const params = { ...inStudy, noteId: withdrawn };
  await client.call('withdrawNote', { params, body: { reason: text('withdrawn') } });
  const hidden = await newSubject(text('hidden'));
  await store.subjects.update(hidden, { isHidden: true }, SYSTEM);
  const ended = await addJob();
  await jobs.cancel(ended);
  return {
    ...place,
    ids,
    others: [
      { ...ids, deviceId: phone, uploadId: await addUpload('QUARANTINED'), equipmentId: serials.sensor },
      { ...ids, uploadId: await addUpload('RECEIVING') },
    ],
    deleted: {
      ...ids,
      ...{ deviceId: lostPhone, uploadId: await addUpload('REJECTED'), pairingId: await addPairing(true) },
      ...{ annotationId: deletedLabel, exportId: deletedExport, noteId: withdrawn, subjectId: hidden, jobId: ended },
    },
    marks: [mark, studyId, place.subjectId],
  };
}
