/** Uploads as the desk sees and decides them, and the manifests in which devices report their recordings. */
import type { DeviceIdentity, HeldRecording, UploadRecord, UploadStep } from '../../../db/index.ts';
import { DAY_MS } from '../../../durations.ts';
import { OutpostError } from '../../../errors.ts';
import { isFileWhole, isSameFile } from '../../../integrity/stored-file.ts';
import type { Store } from '../../../services/index.ts';
import type { Upload, UploadProgress } from '../../contract/index.ts';
import type { uploadRoutes } from '../../contract/resources/uploads.ts';
import type { ApiDeps } from '../../deps.ts';
import { addressOf, changeBy } from '../../framework/authenticate.ts';
import { inAllowedPlaces, requireInStudy } from '../../framework/authorize.ts';
import { invalidField, notFound } from '../../framework/errors.ts';
import type { Handlers } from '../../framework/mount.ts';
import { sensorNotServed } from './contact.ts';

const LIST_LIMIT = 500;
const PROGRESS_MS = DAY_MS;
const OPEN_STATES = ['RECEIVING', 'RECEIVED', 'QUARANTINED', 'REFUSED'] as const;

function actionsOf({ state }: UploadRecord): Upload['actions'] {
  if (state === 'QUARANTINED') return ['accept', 'reject'];
  return state === 'REJECTED' ? ['accept'] : [];
}

function toUpload(row: UploadRecord): Upload {
  const { facts } = row;
  return {
    id: row.id,
    deviceId: row.deviceId,
    sensorId: row.sensorId,
    recordingId: row.storedRecordingId ?? row.recordingId,
    state: row.state,
    sizeBytes: row.sizeBytes,
    receivedBytes: row.state === 'RECEIVING' ? row.receivedBytes : row.state === 'REFUSED' ? 0 : row.sizeBytes,
    startTs: Math.floor((facts?.startUs ?? row.startUs) / 1000),
    ...(facts && { stopTs: Math.floor(facts.stopUs / 1000), location: facts.location }),
    ...(row.code !== undefined && { code: row.code }),
    ...(row.message !== undefined && { message: row.message }),
    actions: actionsOf(row),
    ...(row.studyId !== undefined && { studyId: row.studyId }),
    ...(row.subjectId !== undefined && { subjectId: row.subjectId }),
    ...(row.decisionReason !== undefined && { decisionReason: row.decisionReason }),
    createdTs: row.createdTs,
    modifiedTs: row.modifiedTs,
  };
}

function toProgress(deviceId: string, steps: readonly UploadStep[]): UploadProgress {
  const isBlocked = ({ state }: UploadStep) => state === 'REFUSED' || state === 'QUARANTINED';
  const moving = steps.filter((step) => !isBlocked(step));
  const total = (bytesOf: (step: UploadStep) => number) => moving.reduce((sum, step) => sum + bytesOf(step), 0);
  return {
    deviceId,
    recordings: moving.length,
    sizeBytes: total(({ sizeBytes }) => sizeBytes),
    receivedBytes: total(({ state, receivedBytes, sizeBytes }) => (state === 'RECEIVING' ? receivedBytes : sizeBytes)),
    verified: moving.filter(({ state }) => state === 'STORED').length,
    analysed: moving.filter(({ isAnalysed }) => isAnalysed).length,
    blocked: steps.length - moving.length,
    lastTs: Math.max(...steps.map(({ modifiedTs }) => modifiedTs)),
  };
}

const decided = () => new OutpostError('CONFLICT', 'This file does not wait for a decision.');

export function uploadHandlers(deps: ApiDeps): Handlers<typeof uploadRoutes> {
  const { store, jobs } = deps;
  return {
    listUploads: async ({ params: { accountId }, query, caller }) => {
      const rows = await store.uploads.list({ accountId, states: query.state ?? OPEN_STATES, limit: LIST_LIMIT });
      const open = await inAllowedPlaces(deps, caller, 'upload.read', rows, (row, places) => places.ofUpload(row));
      const items = open.map(toUpload);
      return { items, size: items.length };
    },
    listUploadProgress: async ({ params: { accountId }, caller }) => {
      const steps = await store.uploads.steps(accountId, deps.clock() - PROGRESS_MS);
      const shown = await inAllowedPlaces(deps, caller, 'upload.read', steps, (row, places) => places.ofUpload(row));
      const items = [...Map.groupBy(shown, ({ deviceId }) => deviceId)].map(([deviceId, own]) =>
        toProgress(deviceId, own),
      );
      items.sort((a, b) => b.lastTs - a.lastTs || (a.deviceId < b.deviceId ? -1 : 1));
      return { items, size: items.length };
    },
    acceptUpload: async ({ params: { uploadId }, body, caller }) => {
      await requireInStudy(deps, caller, body.studyId, 'upload.decide');
      const subject = await store.subjects.get(body.subjectId);
      if (subject?.studyId !== body.studyId) throw notFound('subject');
      const { studyId, subjectId, reason } = body;
      const accepted = await store.uploads.move(
        uploadId,
        ['QUARANTINED', 'REJECTED'],
        {
          state: 'RECEIVED',
          studyId,
          subjectId,
          decidedBy: caller.user.id,
          decisionReason: reason,
          code: null,
          message: null,
        },
        changeBy(caller, reason),
      );
      if (!accepted) throw decided();
      // After a crash before this line, the next start checks every received file.
      await jobs.enqueue('receive', { uploadId }, changeBy(caller, reason));
      return toUpload(accepted);
    },
    rejectUpload: async ({ params: { uploadId }, body: { reason }, caller }) => {
      const patch = { state: 'REJECTED', decidedBy: caller.user.id, decisionReason: reason } as const;
      const rejected = await store.uploads.move(uploadId, ['QUARANTINED'], patch, changeBy(caller, reason));
      if (!rejected) throw decided();
      return toUpload(rejected);
    },
    reportManifest: async ({ body, device, request }) => {
      const { equipmentId, accountId } = device;
      const seen = new Set<string>();
      const held: HeldRecording[] = body.recordings.map(({ sensor, ...recording }, index) => {
        if (recording.stopTs < recording.startTs)
          throw invalidField(`recordings.${index}.stopTs`, 'is before the start');
        if (seen.has(recording.recordingId)) throw invalidField(`recordings.${index}.recordingId`, 'occurs twice');
        seen.add(recording.recordingId);
        return { ...recording, sensorId: sensor };
      });
      const reportedTs = deps.clock();
      const isForeign = await foreignSensors(store, device);
      const foreign = new Set<string>();
      for (const { recordingId, sensorId, startTs } of held)
        if (await isForeign(sensorId, startTs)) foreign.add(recordingId);
      const own = held.filter(({ recordingId }) => !foreign.has(recordingId));
      if (foreign.size > 0) {
        const { credentialId: aboutId, serial } = device;
        const { code, message } = sensorNotServed();
        await deps.refused.note({ kind: 'REPORT', code, message, aboutId, serial, address: addressOf(request) });
      }
      // A subject's own phone is not equipment, so no manifest is kept for it.
      if (equipmentId !== null) await store.heldRecordings.report(equipmentId, own, reportedTs);
      const uploads = new Map<string, UploadRecord>();
      const ids = own.map(({ recordingId }) => recordingId);
      for (let start = 0; start < ids.length; start += 500) {
        const recordingIds = ids.slice(start, start + 500);
        for (const upload of await store.uploads.list({ accountId, recordingIds })) {
          const known = uploads.get(upload.recordingId);
          // The newest comes first, but a stored one takes precedence.
          if (!known || upload.state === 'STORED') uploads.set(upload.recordingId, upload);
        }
      }
      const recordings = [];
      for (const { recordingId, sensorId } of held) {
        if (foreign.has(recordingId)) {
          recordings.push({ recordingId, action: 'KEEP' as const, code: 'SENSOR_NOT_SERVED' });
          continue;
        }
        const named = uploads.get(recordingId);
        // Ignores an upload of another sensor under the same id, unless this device sent it.
        const isOwn = named?.sensorId === sensorId || named?.deviceId === (equipmentId ?? device.serial);
        const upload = isOwn ? named : undefined;
        const lost = upload && (await lostFile(deps, upload));
        const isRetry = upload && (await isResolved(store, upload));
        recordings.push({
          recordingId,
          action: lost ?? (isRetry ? ('SEND' as const) : actionFor(upload)),
          ...(upload && { state: upload.state }),
          ...(upload?.code !== undefined && { code: upload.code }),
        });
      }
      return { reportedTs, recordings };
    },
  };
}

/** Returns what to do with the device's copy of a recording whose stored file is lost: it is the last copy. */
async function lostFile({ store, signalsDir }: ApiDeps, upload: UploadRecord): Promise<'SEND' | 'KEEP' | undefined> {
  const stored = upload.state === 'STORED' && (await store.recordings.get(upload.storedRecordingId ?? ''));
  if (!stored || (await isFileWhole(store, signalsDir, stored))) return undefined;
  return isSameFile(stored, upload) ? 'SEND' : 'KEEP';
}

/** Returns a test of whether a registered, assigned sensor belongs to a subject whom the device does not serve. */
async function foreignSensors({ duties, equipment }: Store, device: DeviceIdentity) {
  const duty = await duties.of(device);
  const known = new Map<string, Promise<boolean>>();
  const isAssigned = (sensorId: string) => {
    const answer =
      known.get(sensorId) ??
      equipment
        .get(sensorId)
        .then(
          async (sensor) => sensor?.accountId === device.accountId && (await equipment.holdings(sensorId)).length > 0,
        );
    known.set(sensorId, answer);
    return answer;
  };
  return async (sensorId: string, atTs: number) =>
    (await isAssigned(sensorId)) && !(await duty.mayDeliver(sensorId, atTs));
}

/** Returns whether staff have resolved the reason why a file was refused. */
async function isResolved({ equipment, studies }: Store, upload: UploadRecord): Promise<boolean> {
  if (upload.state !== 'REFUSED' || !RESOLVABLE.has(upload.code ?? '')) return false;
  const sensor = await equipment.get(upload.sensorId);
  if (sensor?.accountId !== upload.accountId || sensor.type !== 'SENSOR') return false;
  const holder = await equipment.holderAt(sensor.id, Math.floor(upload.startUs / 1000));
  if (!holder) return (await equipment.holdings(sensor.id)).length > 0;
  return (await studies.require(holder.studyId)).lifecycleState !== 'COMPLETE';
}

const RESOLVABLE: ReadonlySet<string> = new Set(['SENSOR_UNKNOWN', 'SENSOR_UNASSIGNED', 'STUDY_COMPLETE']);

function actionFor(upload: UploadRecord | undefined): 'SEND' | 'KEEP' | 'DELETE' {
  switch (upload?.state) {
    case 'STORED':
    case 'QUARANTINED':
    case 'REJECTED':
      return 'DELETE';
    case 'REFUSED':
      return 'KEEP';
    default:
      return 'SEND';
  }
}
