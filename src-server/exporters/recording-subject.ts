/** The context of an exported recording: its subject, the subject's time zones, and annotations during it. */

import type { AnnotationRecord, ReadStore, RecordingRecord } from '../db/index.ts';
import { DAY_MS } from '../durations.ts';
import { sha256Hex } from '../files/content-hash.ts';
import type { EdfExportOptions, EdfLabel } from './edf/export.ts';

/** Annotations that began longer before the recording are ignored, even if they last into it. */
const EARLIER_MS = DAY_MS;
/** Hash characters, enough to distinguish states of one recording. */
const STATE_CHARACTERS = 16;

export type RecordingSubject = Pick<EdfExportOptions, 'subject' | 'clock' | 'labels'>;

function nameOf({ type, displayName }: AnnotationRecord): string {
  if (type === 'activity') return `Activity: ${displayName}`;
  if (type === 'diary') return `Survey: ${displayName}`;
  if (type === 'question') return `Answer: ${displayName}`;
  return displayName;
}

const spanOf = ({ startUs, stopUs }: RecordingRecord) => ({
  fromTs: Math.floor(startUs / 1000) - EARLIER_MS,
  toTs: Math.ceil(stopUs / 1000),
});

async function* labelsOf(store: ReadStore, recording: RecordingRecord): AsyncGenerator<EdfLabel> {
  const startTs = Math.floor(recording.startUs / 1000);
  for await (const slice of store.annotations.slices(recording.subjectId, spanOf(recording))) {
    for (const annotation of slice) {
      const { recordingId, value } = annotation;
      const isOfAnother = recordingId !== undefined && recordingId !== recording.id;
      if (isOfAnother || annotation.stopTs < startTs) continue;
      yield {
        startUs: annotation.startTs * 1000,
        stopUs: annotation.stopTs * 1000,
        displayName: nameOf(annotation),
        ...(value !== undefined && { value }),
      };
    }
  }
}

/** Returns subject, zones and annotations (labels, tasks with answers, imported beats), without those of other recordings. */
export async function subjectOfRecording(store: ReadStore, recording: RecordingRecord): Promise<RecordingSubject> {
  const { displayName, gender } = await store.subjects.require(recording.subjectId, recording.studyId);
  return {
    subject: { code: displayName, ...(gender && { sex: gender }) },
    clock: await store.subjects.zones(recording.subjectId),
    labels: labelsOf(store, recording),
  };
}

/** Cache key of an exported file: changes when the same export would produce a different file. */
export async function recordingState(store: ReadStore, recording: RecordingRecord): Promise<string> {
  const { fromTs, toTs } = spanOf(recording);
  const { displayName, gender } = await store.subjects.require(recording.subjectId, recording.studyId);
  const facts = [
    displayName,
    gender,
    await store.subjects.zones(recording.subjectId),
    await store.annotations.stateBetween(recording.subjectId, fromTs, toTs),
  ];
  return sha256Hex(JSON.stringify(facts)).slice(0, STATE_CHARACTERS);
}
