/** The rules that decide, before any byte is sent, whether the site accepts a file. */
import type { UploadRecord } from '../../db/index.ts';
import { OutpostError } from '../../errors.ts';
import { recordingContent } from '../../files/content-hash.ts';
import type { Store, UploadSender } from '../../services/index.ts';
import { isHolder } from '../../study/upload-rules.ts';
import { refusedBefore } from './answers.ts';
import type { UploadMetadata } from './metadata.ts';

/** Refusals that depend only on the bytes, so the same bytes are refused again. */
const BY_CONTENT: ReadonlySet<string> = new Set([
  'FILE_DAMAGED',
  'FILE_EMPTY',
  'FILE_HASH_MISMATCH',
  'UNSUPPORTED_FORMAT',
]);

/** Final: the device may delete its copy. */
const SUBJECT_ERASED = {
  code: 'SUBJECT_ERASED',
  message:
    'The person of this recording was erased at this site, so it accepts nothing of them any more. Delete the recording from the device.',
} as const;

/**
 * Returns why the site refuses the file, or undefined when it accepts it. Reasons that depend on the site (sensor,
 * assignment, study) are evaluated on each announcement, so a device may ask again after staff have corrected them.
 */
export async function admissionProblem(
  store: Store,
  sender: UploadSender,
  metadata: UploadMetadata,
  startMs: number,
  same: readonly UploadRecord[],
): Promise<OutpostError | undefined> {
  const { sensorId, recordingId, sha256 } = metadata;
  const contents = [sha256, recordingContent(sha256)];
  if ((await store.erasures.erasedAmong([{ recordingId, sensorId, startMs, contents }])).size > 0) {
    const { code, message } = SUBJECT_ERASED;
    return new OutpostError(code, message);
  }
  const known = same.find((upload) => upload.state === 'REFUSED' && BY_CONTENT.has(upload.code ?? ''));
  if (known) return refusedBefore(known);
  const sensor = await store.equipment.get(sensorId);
  if (sensor?.accountId !== sender.accountId || sensor.type !== 'SENSOR') {
    return new OutpostError(
      'SENSOR_UNKNOWN',
      `The sensor ${sensorId} is not registered at this site. Register it under Equipment, then send the recording again.`,
    );
  }
  const holdings = await store.equipment.holdings(sensorId);
  if (holdings.length === 0) {
    return new OutpostError(
      'SENSOR_UNASSIGNED',
      `The sensor ${sensorId} was never handed out, so the recording has no subject. Assign the sensor to a subject first.`,
    );
  }
  if (sender.kind === 'USER') {
    if (!holdings.some((holding) => holding.subjectId === sender.subjectId && isHolder(holding, startMs))) {
      return new OutpostError(
        'SENSOR_NOT_SERVED',
        `The sensor ${sensorId} was not assigned to this subject when the recording began. Correct the assignment, then send the recording again.`,
      );
    }
  } else if (!(await (await store.duties.of(sender)).mayDeliver(sensorId, startMs))) {
    return new OutpostError(
      'SENSOR_NOT_SERVED',
      `This device serves another subject than the one who holds the sensor ${sensorId}. Assign the device to that subject, or take it back, then send the recording again.`,
    );
  }
  const holder = holdings.find(
    ({ assignedTs, unassignedTs }) => assignedTs <= startMs && startMs < (unassignedTs ?? Infinity),
  );
  const study = holder && (await store.studies.require(holder.studyId));
  // What arrives for a locked study is taken and held: nobody knows how long a hub can keep it.
  if (study?.lifecycleState === 'COMPLETE' && study.lockedTs === undefined) {
    return new OutpostError(
      'STUDY_COMPLETE',
      'The study of this recording is complete and accepts no more data. An administrator can reopen it.',
    );
  }
  if (await store.recordings.get(recordingId)) {
    return new OutpostError(
      'RECORDING_ID_TAKEN',
      `Another recording with other content has the id ${recordingId}. Never use an id twice.`,
    );
  }
  return undefined;
}
