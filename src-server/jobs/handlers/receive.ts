/**
 * Job handler of completely received files: each becomes a recording, goes into quarantine, or is refused. The file moves to its
 * final place, then the recording's row and the upload's end commit together. A killed job runs again: `reconcile` moves the file
 * back on start, and an upload that is already stored only queues its analysis.
 */

import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Change, isAddress, type RecordingRecord, SYSTEM, type UploadRecord } from '../../db/index.ts';
import { OutpostError } from '../../errors.ts';
import { recordingContent } from '../../files/content-hash.ts';
import { syncDirectory } from '../../files/durable-files.ts';
import { quarantinePath, uploadPaths } from '../../files/inbox.ts';
import { senderChange } from '../../services/index.ts';
import { clockPath, correctClock, hostTimeUs, overviewPath } from '../../signals/index.ts';
import type { SyncPoint } from '../../signals/types.ts';
import { sensorSubject } from '../../study/device-duty.ts';
import type { ReceivePayload } from '../../study/jobs.ts';
import { type Closed, type Destination, destinationOf, HELD } from '../../study/upload-rules.ts';
import type { JobContext, JobHandler } from '../queue.ts';
import type { CheckedUpload } from '../workers/tasks.ts';
import { addRecording } from './add-recording.ts';
import type { JobDeps } from './deps.ts';

/** A file that differs from its announcement may be sent again; at this many failures the upload is refused. */
const MAX_HASH_FAILURES = 3;
/** Clock readings this long before and after a recording still describe its clock. */
const READINGS_AROUND_US = 2 * 86_400e6;

/** The outcome of an upload, with study and subject once known, because the job itself belongs to no study. */
export interface ReceiveResult {
  state: string;
  studyId?: string;
  subjectId?: string;
  recordingId?: string;
}

export function receiveHandler(deps: JobDeps): JobHandler {
  const receive = receiveWith(deps);
  return async (context) => {
    const state = await receive(context);
    const { uploadId } = context.job.payload as ReceivePayload;
    const { studyId, subjectId, storedRecordingId } = await deps.store.uploads.require(uploadId);
    return {
      state,
      ...(studyId && { studyId }),
      ...(subjectId && { subjectId }),
      ...(storedRecordingId && { recordingId: storedRecordingId }),
    } satisfies ReceiveResult;
  };
}

function receiveWith(deps: JobDeps) {
  const inTurn = turns();
  const receive = async (context: JobContext): Promise<string> => {
    const { uploadId } = context.job.payload as ReceivePayload;
    const upload = await deps.store.uploads.require(uploadId);
    if (upload.state === 'STORED') await queueAnalysis(deps, upload);
    if (upload.state !== 'RECEIVED') return upload.state;
    const { data, journal } = uploadPaths(deps.inboxDir, uploadId);
    // After a person's decision the file is still in quarantine.
    if (upload.decidedBy !== undefined) await moveBack(quarantinePath(deps.inboxDir, uploadId), data);
    const lost = await lostRecording(deps, upload);
    const outcome = await deps.workers.run(
      'checkUpload',
      {
        path: data,
        sha256: upload.sha256,
        recordingId: lost?.id ?? upload.recordingId,
        ...(await readings(deps, upload)),
        arrivedUs: upload.createdTs * 1000,
        ...(lost && { storedClock: (await deps.store.clocks.correctionOf(lost.id)) ?? null }),
      },
      { signal: context.signal, onProgress: ({ done, total, step }) => context.progress(done, total, step) },
    );
    // Two devices may deliver one recording, and each decision depends on the recordings stored before it.
    return await inTurn('storing', async () => {
      if (outcome.kind === 'other-hash') return await sendAgain(deps, upload);
      if (outcome.kind === 'damaged') return await refuse(deps, upload, 'FILE_DAMAGED', outcome.message);
      const nowLost = await lostRecording(deps, upload);
      // The stored file was lost during the check, which was not against its recording.
      if (nowLost && nowLost.id !== lost?.id) return undefined;
      const state = nowLost
        ? await putBack(deps, upload, outcome.upload, nowLost.id)
        : await settle(deps, upload, outcome.upload);
      await rm(journal, { force: true });
      return state;
    }).then((state) => state ?? receive(context));
  };
  // After a restart the repeated job and the device's next request each bring a job of one upload. Two checks at once would
  // remove each other's clock map, and the row would hold the times of the sensor's own clock.
  return (context: JobContext) => inTurn((context.job.payload as ReceivePayload).uploadId, () => receive(context));
}

/** Work of one name runs one at a time, in the order of the calls; works of different names run side by side. */
function turns() {
  const last = new Map<string, Promise<unknown>>();
  return <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const turn = (last.get(name) ?? Promise.resolve()).then(work);
    const ended = turn
      .catch(() => undefined)
      .finally(() => {
        if (last.get(name) === ended) last.delete(name);
      });
    last.set(name, ended);
    return turn;
  };
}

/** Returns the stored recording with exactly these bytes if its file is lost or damaged. */
async function lostRecording(deps: JobDeps, upload: UploadRecord) {
  const stored = await deps.store.uploads.findRecording(upload.accountId, recordingContent(upload.sha256));
  return stored && stored.fileState !== 'PRESENT' && stored.sha256 === upload.sha256 ? stored : undefined;
}

/**
 * Restores the file of a stored recording, with its overview and clock map, and recomputes its days. If it is interrupted, the
 * next start finds the file in place and compares it with the row.
 */
async function putBack(deps: JobDeps, upload: UploadRecord, checked: CheckedUpload, id: string): Promise<string> {
  const { store } = deps;
  const row = await store.recordings.require(id);
  if (row.startUs !== checked.startUs || row.stopUs !== checked.stopUs) {
    throw new OutpostError('INTERNAL', `The times of the restored file of recording ${id} differ from its row.`);
  }
  const { data } = uploadPaths(deps.inboxDir, upload.id);
  const finalPath = join(deps.signalsDir, `${id}.sig`);
  await rename(overviewPath(data), overviewPath(finalPath));
  if (checked.clock) await rename(clockPath(data), clockPath(finalPath));
  await rename(data, finalPath);
  await syncDirectory(deps.signalsDir);
  const change = changeOf(upload);
  await store.transaction(async ({ recordings, uploads }) => {
    await recordings.restoreFile(id, { sizeBytes: checked.sizeBytes, sha256: upload.sha256 }, change);
    const { studyId, subjectId } = row;
    const stored = { storedRecordingId: id, code: null, message: null, studyId, subjectId };
    await uploads.move(upload.id, ['RECEIVED'], { state: 'STORED', ...stored }, change);
  });
  await queueAnalysis(deps, await store.uploads.require(upload.id));
  return 'STORED';
}

async function moveBack(from: string, to: string): Promise<void> {
  await rename(from, to).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code !== 'ENOENT') throw thrown;
  });
}

/**
 * Returns readings of the sensor's clock: those of the delivering device, which determine the recording's subject, and those of
 * other devices that serve this subject.
 */
async function readings(deps: JobDeps, upload: UploadRecord) {
  const { store } = deps;
  const syncPoints = [...upload.syncPoints];
  const reportedPoints: SyncPoint[] = [];
  const udid = (await store.equipment.get(upload.sensorId))?.udid;
  if (udid === undefined) return { syncPoints, reportedPoints };
  const clock = correctClock(upload.syncPoints);
  const startTs = (clock ? hostTimeUs(clock, upload.startUs) : upload.startUs) / 1000;
  const subjectId = sensorSubject(await store.equipment.holdings(upload.sensorId), startTs, upload.createdTs);
  const found = await store.clocks.readings(udid, {
    fromUs: upload.startUs - READINGS_AROUND_US,
    // Only the file knows its length; sensors hold less than this.
    toUs: upload.startUs + 7 * READINGS_AROUND_US,
  });
  for (const [credentialId, reported] of Map.groupBy(found, (reading) => reading.credentialId)) {
    const { kind, serial, equipmentId = null, subjectId: ownId = null } = await store.devices.require(credentialId);
    const duty = await store.duties.of({ kind, equipmentId, subjectId: ownId });
    const isDeliverer = (equipmentId ?? serial) === upload.deviceId;
    for (const { point, receivedTs } of reported) {
      if (!duty.countsFor(subjectId, { atTs: point.hostUs / 1000, nowTs: receivedTs })) continue;
      (isDeliverer ? syncPoints : reportedPoints).push(point);
    }
  }
  return { syncPoints, reportedPoints };
}

/** Asks the device to send the file again, or refuses it after too many failures. */
async function sendAgain(deps: JobDeps, upload: UploadRecord): Promise<string> {
  const hashFailures = upload.hashFailures + 1;
  const code = 'FILE_HASH_MISMATCH';
  if (hashFailures >= MAX_HASH_FAILURES) {
    await deps.store.uploads.move(upload.id, ['RECEIVED'], { hashFailures }, SYSTEM);
    const message = `The file arrived ${hashFailures} times with bytes that do not match its SHA-256.`;
    return await refuse(deps, upload, code, message);
  }
  // Delete before the row changes: a journal without its bytes is ignored.
  await removeFiles(deps, upload.id);
  const message = 'The whole file does not have the SHA-256 that was announced. Send it again from the start.';
  await deps.store.uploads.move(upload.id, ['RECEIVED'], { state: 'RECEIVING', code, message, hashFailures }, SYSTEM);
  return 'RECEIVING';
}

async function refuse(deps: JobDeps, upload: UploadRecord, code: string, message: string): Promise<string> {
  await deps.store.uploads.move(upload.id, ['RECEIVED'], { state: 'REFUSED', code, message }, SYSTEM);
  await removeFiles(deps, upload.id);
  return 'REFUSED';
}

async function removeFiles(deps: JobDeps, uploadId: string): Promise<void> {
  const { data, journal } = uploadPaths(deps.inboxDir, uploadId);
  for (const path of [clockPath(data), overviewPath(data), journal, data]) await rm(path, { force: true });
}

async function settle(deps: JobDeps, upload: UploadRecord, checked: CheckedUpload): Promise<string> {
  const { store } = deps;
  const known = await store.uploads.findRecording(upload.accountId, recordingContent(upload.sha256));
  if (known) {
    await store.uploads.move(upload.id, ['RECEIVED'], { state: 'STORED', storedRecordingId: known.id }, SYSTEM);
    await removeFiles(deps, upload.id);
    return 'STORED';
  }
  const destination = await servedDestination(deps, upload, checked, await destinationFor(deps, upload, checked));
  if ('code' in destination) return await quarantine(deps, upload, checked, destination);
  return await storeRecording(deps, upload, checked, destination);
}

/** A person's decision overrides the rules, but not a lock. */
async function destinationFor(deps: JobDeps, upload: UploadRecord, checked: CheckedUpload): Promise<Destination> {
  const { store } = deps;
  if (upload.decidedBy !== undefined && upload.studyId !== undefined && upload.subjectId !== undefined) {
    const place = { studyId: upload.studyId, subjectId: upload.subjectId };
    const { lockedTs } = await store.studies.require(place.studyId);
    return lockedTs === undefined ? place : { ...HELD, ...place };
  }
  const sensor = await store.equipment.get(upload.sensorId);
  const { udid } = checked.header;
  const registered = await store.equipment.findByUdid(udid);
  const holdings = await store.equipment.holdings(upload.sensorId);
  const closed = new Map<string, Closed>();
  for (const studyId of new Set(holdings.map((holding) => holding.studyId))) {
    const study = await store.studies.require(studyId);
    if (study.lockedTs !== undefined) closed.set(studyId, 'STUDY_LOCKED');
    else if (study.lifecycleState === 'COMPLETE') closed.set(studyId, 'STUDY_COMPLETE');
  }
  const others =
    udid === ''
      ? []
      : await store.recordings.overlappingOfSensor(udid, { fromUs: checked.startUs, toUs: checked.stopUs });
  return destinationOf(
    {
      startMs: checked.startUs / 1000,
      stopMs: checked.stopUs / 1000,
      isOtherSensor:
        registered === undefined ? isAddress(udid) && sensor?.udid !== undefined : registered.id !== upload.sensorId,
      // A device knows no subject, so what an earlier check presumed of its file does not bind this one.
      ...(upload.userId !== undefined && { statedSubjectId: upload.subjectId }),
    },
    holdings,
    others.map(({ id, startUs, stopUs }) => ({ id, startMs: startUs / 1000, stopMs: stopUs / 1000 })),
    deps.clock(),
    (studyId) => closed.get(studyId),
  );
}

/**
 * Holds a recording whose file or clock readings move it to a subject whom its device did not serve: admission judged the
 * announced times. A person's decision stands.
 */
async function servedDestination(
  { store }: JobDeps,
  { credentialId, decidedBy }: UploadRecord,
  { startUs }: CheckedUpload,
  destination: Destination,
): Promise<Destination> {
  if ('code' in destination || credentialId === undefined || decidedBy !== undefined) return destination;
  const device = await store.devices.get(credentialId);
  // Without its record nothing is known of whom it served; admission judged it while it had one.
  if (!device) return destination;
  const { kind, equipmentId = null, subjectId = null } = device;
  const duty = await store.duties.of({ kind, equipmentId, subjectId });
  if (duty.mayDeliverTo(destination.subjectId, startUs / 1000)) return destination;
  const startsAt = new Date(startUs / 1000).toISOString();
  const message = `By its times the recording, which begins at ${startsAt}, belongs to a subject whom the device did not serve.`;
  // The place stays out: the claim of the device must not reach the study of that subject.
  return { code: 'SENSOR_NOT_SERVED', message };
}

async function quarantine(
  deps: JobDeps,
  upload: UploadRecord,
  checked: CheckedUpload,
  reason: Extract<Destination, { code: string }>,
): Promise<string> {
  const { data } = uploadPaths(deps.inboxDir, upload.id);
  const path = quarantinePath(deps.inboxDir, upload.id);
  await mkdir(dirname(path), { recursive: true });
  await rename(data, path);
  await syncDirectory(dirname(path));
  // They are recreated after the decision.
  for (const derived of [clockPath(data), overviewPath(data)]) await rm(derived, { force: true });
  const { header } = checked;
  const facts = {
    startUs: checked.startUs,
    stopUs: checked.stopUs,
    sensorStartUs: checked.sensorStartUs,
    location: header.physicalConfig.location,
    udid: header.udid,
    samples: checked.sampleCounts.reduce((sum, count) => sum + count, 0),
  };
  const { code, message, studyId, subjectId } = reason;
  await deps.store.uploads.move(
    upload.id,
    ['RECEIVED'],
    { state: 'QUARANTINED', code, message, facts, ...(studyId && { studyId }), ...(subjectId && { subjectId }) },
    SYSTEM,
  );
  return 'QUARANTINED';
}

async function storeRecording(
  deps: JobDeps,
  upload: UploadRecord,
  checked: CheckedUpload,
  place: { studyId: string; subjectId: string },
): Promise<string> {
  const { store } = deps;
  const { data } = uploadPaths(deps.inboxDir, upload.id);
  const id = upload.recordingId;
  if (await store.recordings.get(id)) {
    return await refuse(deps, upload, 'RECORDING_ID_TAKEN', `Another recording has the id ${id} and other content.`);
  }
  const finalPath = join(deps.signalsDir, `${id}.sig`);
  const derived: [string, string][] = [[overviewPath(data), overviewPath(finalPath)]];
  if (checked.clock) derived.push([clockPath(data), clockPath(finalPath)]);
  const change = changeOf(upload);
  let isNew = true;
  try {
    for (const [from, to] of derived) await rename(from, to);
    await rename(data, finalPath);
    await syncDirectory(deps.signalsDir);
    isNew = await store.transaction(async (repositories) => {
      const { sensorId } = upload;
      const added = await addRecording(
        repositories,
        { ...place, sensorSerial: sensorId },
        {
          header: { ...checked.header, syncPoints: checked.syncPoints },
          contentSha256: recordingContent(upload.sha256),
          sizeBytes: checked.sizeBytes,
          sha256: upload.sha256,
          startUs: checked.startUs,
          stopUs: checked.stopUs,
          sampleCounts: checked.sampleCounts,
          notes: [],
          uploadStartTs: upload.createdTs,
        },
        change,
      );
      if (added.recording.equipmentId === sensorId) {
        await repositories.equipment.learnAddress(sensorId, checked.header.udid, change);
        // The sensor was in contact with a hub or phone after its last sample, regardless of when the file arrived.
        const readTs = Math.min(Math.ceil(checked.stopUs / 1000), deps.clock());
        await repositories.equipment.recordContact(sensorId, { contactTs: readTs });
      }
      if (added.isNew && checked.clock) await repositories.clocks.addCorrection(correctionOf(id, checked));
      await repositories.uploads.move(
        upload.id,
        ['RECEIVED'],
        { state: 'STORED', storedRecordingId: added.recording.id, code: null, message: null, ...place },
        change,
      );
      return added.isNew;
    });
  } catch (thrown) {
    if (await isStored(deps, id)) throw thrown;
    await moveBack(finalPath, data);
    for (const [, to] of derived) await rm(to, { force: true });
    if (thrown instanceof OutpostError && (thrown.code === 'STUDY_STATE' || thrown.code === 'STUDY_LOCKED')) {
      const code = thrown.code === 'STUDY_LOCKED' ? thrown.code : 'STUDY_COMPLETE';
      return await quarantine(deps, upload, checked, { code, message: thrown.message, ...place });
    }
    throw thrown;
  }
  if (!isNew) {
    for (const path of [finalPath, ...derived.map(([, to]) => to)]) await rm(path, { force: true });
  }
  await queueAnalysis(deps, await store.uploads.require(upload.id));
  return 'STORED';
}

/** Attributes the change to the person who decided on the upload, else to its sender. */
function changeOf({ credentialId, userId, decidedBy, decisionReason }: UploadRecord): Change {
  if (decidedBy === undefined) return senderChange({ credentialId, userId });
  return { actor: { type: 'USER', id: decidedBy }, ...(decisionReason && { reason: decisionReason }) };
}

function correctionOf(recordingId: string, checked: CheckedUpload) {
  const { clock, sensorStartUs, sensorStopUs, startUs, stopUs } = checked;
  const sensorSpan = sensorStopUs - sensorStartUs;
  return {
    recordingId,
    sensorStartUs,
    sensorStopUs,
    startOffsetUs: startUs - sensorStartUs,
    driftPpm: sensorSpan > 0 ? ((stopUs - startUs) / sensorSpan - 1) * 1e6 : 0,
    knots: clock?.knots ?? [],
    leftOut: clock?.leftOut ?? 0,
  };
}

/** True also when it cannot be determined: the next start repairs a file without a row, but never a row without a file. */
async function isStored(deps: JobDeps, recordingId: string): Promise<boolean> {
  try {
    return (await deps.store.recordings.get(recordingId)) !== undefined;
  } catch {
    return true;
  }
}

/** Queues the analysis unless the days already include the recording. Also covers a run killed after its commit. */
async function queueAnalysis(deps: JobDeps, upload: UploadRecord): Promise<void> {
  const recording: RecordingRecord | undefined = upload.storedRecordingId
    ? await deps.store.recordings.get(upload.storedRecordingId)
    : undefined;
  if (!recording || recording.dataState === 'ANALYSED') return;
  await deps.enqueue('analyse', {
    studyId: recording.studyId,
    subjectId: recording.subjectId,
    fromMs: Math.floor(recording.startUs / 1000),
    toMs: Math.floor(recording.stopUs / 1000) + 1,
    recordingIds: [recording.id],
  });
}
