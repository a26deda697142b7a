/** Whether a file may be sent at all, before any byte of it is taken. */
import { createHash } from 'node:crypto';
import type { UploadRecord } from '../../db/index.ts';
import { OutpostError } from '../../errors.ts';
import type { Store } from '../../services/index.ts';
import type { DeviceIdentity } from '../device-identity.ts';
import type { UploadMetadata } from './metadata.ts';

/** Name of a recording's content, as imports know it too: hash of its file, and its place in it. */
export function recordingContent(fileSha256: string): string {
  return createHash('sha256').update(`${fileSha256} 0`).digest('hex');
}

/** Refusals that rest on the bytes themselves: the same bytes get them again. */
const BY_CONTENT: ReadonlySet<string> = new Set([
  'FILE_DAMAGED',
  'FILE_EMPTY',
  'FILE_HASH_MISMATCH',
  'UNSUPPORTED_FORMAT',
]);

/**
 * Why the site will not take the file; undefined when it will. What depends on the site (sensor, assignment, study) is
 * looked at anew each time, so a device may ask again after staff have put it right.
 */
export async function admissionProblem(
  store: Store,
  device: DeviceIdentity,
  metadata: UploadMetadata,
  startMs: number,
  same: readonly UploadRecord[],
): Promise<OutpostError | undefined> {
  const { sensorId, recordingId } = metadata;
  const known = same.find((upload) => upload.state === 'REFUSED' && BY_CONTENT.has(upload.code ?? ''));
  if (known) {
    const code = known.code as 'FILE_DAMAGED';
    return new OutpostError(code, known.message ?? 'The file was refused.', { details: { permanent: true } });
  }
  const sensor = await store.equipment.get(sensorId);
  if (sensor?.accountId !== device.accountId || sensor.type !== 'SENSOR') {
    return new OutpostError(
      'SENSOR_UNKNOWN',
      `The sensor ${sensorId} is not registered at this site. Register it under Equipment, then send the recording again.`,
    );
  }
  const holdings = await store.equipment.holdings(sensorId);
  if (holdings.length === 0) {
    return new OutpostError(
      'SENSOR_UNASSIGNED',
      `The sensor ${sensorId} was never handed out, so the recording belongs to nobody. Assign it to a subject first.`,
    );
  }
  if (!(await (await store.duties.of(device)).mayDeliver(sensorId, startMs))) {
    return new OutpostError(
      'SENSOR_NOT_SERVED',
      `This device serves another subject than the one who has the sensor ${sensorId}. Assign the device to that subject, or take it back, then send the recording again.`,
    );
  }
  const holder = holdings.find(
    ({ assignedTs, unassignedTs }) => assignedTs <= startMs && startMs < (unassignedTs ?? Infinity),
  );
  if (holder && (await store.studies.require(holder.studyId)).lifecycleState === 'COMPLETE') {
    return new OutpostError(
      'STUDY_COMPLETE',
      'The study of this recording is complete and takes no more data. An administrator can reopen it.',
    );
  }
  if (await store.recordings.get(recordingId)) {
    return new OutpostError(
      'RECORDING_ID_TAKEN',
      `Another recording has the id ${recordingId} and other content. Ids must never be used twice.`,
    );
  }
  return undefined;
}
