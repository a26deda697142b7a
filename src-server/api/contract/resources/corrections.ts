/** Corrections by people of beats, sleep and wear. */
import { z } from 'zod';
import { BEAT_CODE_NAMES, CORRECTION_KINDS, MAX_CORRECTIONS, SAME_BEAT_US } from '../../../vocabulary/corrections.ts';
import { count, id, idParams, instantParameter, timestamp } from '../common.ts';
import { newestFirst, pageOf, pageQuery } from '../paging.ts';
import { defineRoutes } from '../route.ts';

/** From 1970 to the last instant that a JavaScript date can hold. */
const LAST_MS = 8.64e15;
const instant = z.int().min(0).max(LAST_MS).meta({ description: 'Epoch milliseconds, UTC.' });
const beatTime = z.int().min(0).max(Number.MAX_SAFE_INTEGER).meta({ description: 'Epoch microseconds, UTC.' });
const kind = z.enum(CORRECTION_KINDS).meta({
  description:
    'BEAT_ADD, BEAT_MOVE, BEAT_DELETE and BEAT_LABEL (another type) correct a beat of a recording. EXCLUDE makes a span of a recording unreadable for everything that is computed from beats. ASLEEP makes a span one sleep period in place of those that it touches; AWAKE takes a span out of the sleep. WORN and NOT_WORN say whether the sensors were worn.',
});
const code = z.enum(BEAT_CODE_NAMES as [string, ...string[]]).meta({
  description:
    'Type of a beat as in annotation files of MIT and WFDB. N, L, R, e and j are sinus or escape beats and count everywhere; `|` is an artefact and counts nowhere; the others count for the heart rate alone.',
});

const correction = z
  .strictObject({
    id,
    recordingId: id.optional().meta({ description: 'Of beats and excluded spans.' }),
    kind,
    timeUs: beatTime.optional().meta({ description: 'The beat as it was when it was corrected, or the added one.' }),
    toUs: beatTime.optional().meta({ description: 'Where the beat was moved.' }),
    code: code.optional(),
    startTs: timestamp.meta({ description: 'Start of the span; of a beat, of the milliseconds that hold it.' }),
    stopTs: timestamp.meta({ description: 'Its end, exclusive.' }),
    authorId: id,
    authorName: z.string().optional(),
    createdTs: timestamp,
    reason: z.string().optional(),
    isInForce: z.boolean().meta({ description: 'False after it was undone.' }),
    lastId: id.meta({ description: 'What to undo next: itself, or the newest undoing or redoing of it.' }),
    steps: z
      .array(
        z.strictObject({
          id,
          authorId: id,
          authorName: z.string().optional(),
          createdTs: timestamp,
          reason: z.string().optional(),
        }),
      )
      .meta({ description: 'Each undoing and redoing, oldest first; the first is an undoing.' }),
  })
  .meta({ id: 'Correction' });
export type Correction = z.infer<typeof correction>;

const newId = z.uuid().meta({ description: 'Made by the client: a repeated request with it changes nothing.' });
const newCorrection = z
  .object({
    id: newId,
    kind: z.union([kind, z.literal('UNDO')]),
    recordingId: id.optional(),
    timeUs: beatTime.optional(),
    toUs: beatTime.optional(),
    code: code.optional(),
    startTs: instant.optional(),
    stopTs: instant.optional(),
    undoes: id.optional().meta({ description: 'Of UNDO: `lastId` of the correction, or an id of this batch.' }),
  })
  .meta({ id: 'NewCorrection' });
export type NewCorrectionInput = z.infer<typeof newCorrection>;

const reason = z.string().max(1000).optional().meta({ description: 'Kept with each correction and in the audit log.' });

const listQuery = { ...pageQuery, newest: newestFirst };

export const correctionRoutes = defineRoutes({
  listCorrections: {
    method: 'GET',
    path: '/studies/{studyId}/subjects/{subjectId}/corrections',
    access: 'user',
    operation: 'correction.read',
    tag: 'Corrections',
    summary: 'List the corrections of a subject',
    description:
      'Of beats in all recordings, of sleep and of wear, those that were undone too. `from` and `to` select those that touch a span.',
    order: 'of their making',
    params: idParams.subject,
    query: z.object({ ...listQuery, from: instantParameter.optional(), to: instantParameter.optional() }),
    status: 200,
    response: pageOf(correction),
  },
  listRecordingCorrections: {
    method: 'GET',
    path: '/studies/{studyId}/recordings/{recordingId}/corrections',
    access: 'user',
    operation: 'correction.read',
    tag: 'Corrections',
    summary: 'List the corrections of a recording',
    description: 'Of its beats and excluded spans, those that were undone too.',
    order: 'of their making',
    params: z.object({ studyId: id, recordingId: id }),
    query: z.object(listQuery),
    status: 200,
    response: pageOf(correction),
  },
  addCorrections: {
    method: 'POST',
    path: '/studies/{studyId}/subjects/{subjectId}/corrections',
    access: 'user',
    operation: 'correction.write',
    tag: 'Corrections',
    summary: 'Correct beats, sleep or wear',
    description: `Stores a batch in its order, all or nothing; one whose id is stored already stays as it is. Nothing of the recording changes: the beats, sleep and wear that were computed are kept, and the metrics of the days touched are computed again from the corrected ones. A correction means the beat that is nearest to its time, within ${SAME_BEAT_US / 1000} ms. Undoing a correction is itself an entry (kind UNDO), and undoing that one is a redo. A complete study requires a \`reason\` (409 STUDY_STATE without one).`,
    params: idParams.subject,
    body: z.object({ corrections: z.array(newCorrection).min(1).max(MAX_CORRECTIONS), reason }),
    status: 200,
    response: z.strictObject({ ids: z.array(id), size: count }),
  },
  undoCorrection: {
    method: 'POST',
    path: '/studies/{studyId}/subjects/{subjectId}/corrections/{correctionId}/undo',
    access: 'user',
    operation: 'correction.write',
    tag: 'Corrections',
    summary: 'Undo a correction, or redo an undone one',
    description:
      'The path names `lastId` of the correction. 409 CONFLICT when it was undone or redone meanwhile, or when a later correction of the same beat is in force.',
    params: z.object({ studyId: id, subjectId: id, correctionId: id }),
    body: z.object({ id: newId, reason }),
    status: 200,
    response: z.strictObject({ id }),
  },
});
