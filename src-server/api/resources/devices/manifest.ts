/**
 * Answers the manifests in which devices report the recordings that they hold: whether to send, keep or delete each one. A
 * device deletes its copy only once the site has the file, staff have rejected it, or its person was erased.
 */
import type { DeviceIdentity, HeldRecording, UploadRecord } from '../../../db/index.ts';
import { isFileWhole, isSameFile } from '../../../integrity/stored-file.ts';
import type { Store } from '../../../services/index.ts';
import type { uploadRoutes } from '../../contract/resources/uploads.ts';
import type { BodyOf, ResponseOf } from '../../contract/route.ts';
import type { ApiDeps } from '../../deps.ts';
import { invalidField } from '../../framework/errors.ts';
import { sensorNotServed } from './contact.ts';

type Manifest = BodyOf<(typeof uploadRoutes)['reportManifest']>;
type ManifestAnswer = ResponseOf<(typeof uploadRoutes)['reportManifest']>;

/** Number of ids in one query. */
const IDS_PER_QUERY = 500;

export async function answerManifest(
  deps: ApiDeps,
  manifest: Manifest,
  device: DeviceIdentity,
  address: string,
): Promise<ManifestAnswer> {
  const { store } = deps;
  const { equipmentId, accountId, credentialId, serial } = device;
  const held = heldRecordingsOf(manifest);
  const reportedTs = deps.clock();
  const isForeign = await foreignSensors(store, device);
  const foreign = new Set<string>();
  for (const { recordingId, sensorId, startTs } of held) {
    if (await isForeign(sensorId, startTs)) foreign.add(recordingId);
  }
  const erased = await store.erasures.erasedAmong(held.map(({ startTs, ...one }) => ({ ...one, startMs: startTs })));
  const own = held.filter(({ recordingId }) => !foreign.has(recordingId) && !erased.has(recordingId));
  if (foreign.size > 0) {
    const { code, message } = sensorNotServed();
    await deps.refused.note({ kind: 'REPORT', code, message, aboutId: credentialId, serial, address });
  }
  // A subject's own phone is not equipment, so no manifest is kept for it.
  if (equipmentId !== null) await store.heldRecordings.report(equipmentId, own, reportedTs);
  const uploads = await uploadsByRecording(store, accountId, own);
  const recordings: ManifestAnswer['recordings'] = [];
  for (const { recordingId, sensorId } of held) {
    if (erased.has(recordingId)) {
      recordings.push({ recordingId, action: 'DELETE', code: 'SUBJECT_ERASED' });
      continue;
    }
    if (foreign.has(recordingId)) {
      recordings.push({ recordingId, action: 'KEEP', code: 'SENSOR_NOT_SERVED' });
      continue;
    }
    const named = uploads.get(recordingId);
    // Ignores an upload of another sensor under the same id, unless this device sent it.
    const isOwn = named?.sensorId === sensorId || named?.deviceId === (equipmentId ?? serial);
    recordings.push(await answerFor(deps, recordingId, isOwn ? named : undefined));
  }
  return { reportedTs, recordings };
}

/** @throws INVALID_INPUT for a recording that ends before it starts, or occurs twice */
function heldRecordingsOf({ recordings }: Manifest): HeldRecording[] {
  const seen = new Set<string>();
  return recordings.map(({ sensor, ...recording }, index) => {
    if (recording.stopTs < recording.startTs) throw invalidField(`recordings.${index}.stopTs`, 'is before the start');
    if (seen.has(recording.recordingId)) throw invalidField(`recordings.${index}.recordingId`, 'occurs twice');
    seen.add(recording.recordingId);
    return { ...recording, sensorId: sensor };
  });
}

async function uploadsByRecording(
  store: Store,
  accountId: string,
  held: readonly HeldRecording[],
): Promise<Map<string, UploadRecord>> {
  const uploads = new Map<string, UploadRecord>();
  const ids = held.map(({ recordingId }) => recordingId);
  for (let start = 0; start < ids.length; start += IDS_PER_QUERY) {
    const recordingIds = ids.slice(start, start + IDS_PER_QUERY);
    for (const upload of await store.uploads.list({ accountId, recordingIds })) {
      const known = uploads.get(upload.recordingId);
      // The newest comes first, but a stored one takes precedence.
      if (!known || upload.state === 'STORED') uploads.set(upload.recordingId, upload);
    }
  }
  return uploads;
}

async function answerFor(
  deps: ApiDeps,
  recordingId: string,
  upload: UploadRecord | undefined,
): Promise<ManifestAnswer['recordings'][number]> {
  if (!upload) return { recordingId, action: actionFor(upload) };
  const { state, code } = upload;
  const lost = await lostFile(deps, upload);
  const isRetry = await isResolved(deps.store, upload);
  const action = lost ?? (isRetry ? 'SEND' : actionFor(upload));
  return { recordingId, action, state, ...(code !== undefined && { code }) };
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
  const study = await studies.require(holder.studyId);
  return study.lifecycleState !== 'COMPLETE' || study.lockedTs !== undefined;
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
