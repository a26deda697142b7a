/**
 * The content that a signature binds, one per kind, in its canonical form (`resources/protocol/signatures.md`). It holds what a
 * person who signs has in mind, and nothing that changes without a person, such as the time of a computation or the place of a file.
 */
import {
  AnalyticsQueries,
  AnnotationQueries,
  type AnnotationRecord,
  RecordingQueries,
  type RecordingRecord,
  type Session,
  StudyExportQueries,
  StudyQueries,
  SubjectQueries,
} from '../db/index.ts';
import { HOUR_MS } from '../durations.ts';
import { OutpostError } from '../errors.ts';
import { sha256Hex } from '../files/content-hash.ts';
import { definitionOf } from '../study/definition-input.ts';
import {
  CONTENT_VERSIONS,
  contentText,
  requireTarget,
  type SignedKind,
  type SignedTarget,
} from '../study/signatures.ts';

export interface SignedContent {
  version: number;
  sha256: string;
  subjectId?: string;
}

interface Made {
  content: Readonly<Record<string, unknown>>;
  subjectId?: string;
}

/** The sleep of a day begins at noon of the day before. */
const BEFORE_MS = 12 * HOUR_MS;

const annotationPart = (annotation: AnnotationRecord) => ({
  id: annotation.id,
  type: annotation.type,
  displayName: annotation.displayName,
  authorId: annotation.authorId,
  startTs: annotation.startTs,
  stopTs: annotation.stopTs,
  value: annotation.value,
  eventId: annotation.event?.id,
  parentId: annotation.parentId,
  recordingId: annotation.recordingId,
});

/** The samples by their hash, and their times by the clock map in force. */
const recordingPart = (recording: RecordingRecord) => ({
  id: recording.id,
  contentSha256: recording.contentSha256,
  startUs: recording.startUs,
  stopUs: recording.stopUs,
  status: recording.status,
});

const MAKERS: Readonly<Record<SignedKind, (session: Session, target: SignedTarget) => Promise<Made>>> = {
  'study-definition': async (session, { studyId }) => {
    const study = await new StudyQueries(session).requireDetail(studyId);
    return { content: { displayName: study.displayName, title: study.title, definition: definitionOf(study) } };
  },
  'subject-day': async (session, { studyId, targetId, date }) => {
    await new SubjectQueries(session).require(targetId, studyId);
    const [day] = await new AnalyticsQueries(session).days(targetId, { fromDate: date, toDate: date });
    if (!day)
      throw new OutpostError('NOT_FOUND', 'No metrics were computed for this day, so there is nothing to sign.');
    const span = { fromTs: day.dayStartTs - BEFORE_MS, toTs: day.dayStopTs - 1 };
    const recordings = await new RecordingQueries(session).listForSubject(targetId, {
      fromUs: span.fromTs * 1000,
      toUs: span.toTs * 1000,
    });
    const annotations = await new AnnotationQueries(session).list(targetId, span);
    return {
      subjectId: targetId,
      content: {
        timezone: day.timezone,
        dayStartTs: day.dayStartTs,
        dayStopTs: day.dayStopTs,
        algorithmVersion: day.algorithmVersion,
        metrics: day.metrics,
        validSeconds: day.validSeconds,
        recordings: recordings.map(recordingPart),
        annotations: annotations.map(annotationPart),
      },
    };
  },
  recording: async (session, { studyId, targetId }) => {
    const recording = await new RecordingQueries(session).require(targetId, studyId);
    const labels = await new AnnotationQueries(session).list(recording.subjectId, { recordingId: targetId });
    const { subjectId, udid, physicalConfig, sensorConfig } = recording;
    return {
      subjectId,
      content: {
        ...recordingPart(recording),
        subjectId,
        udid,
        physicalConfig,
        sensorConfig,
        labels: labels.map(annotationPart),
      },
    };
  },
  export: async (session, { studyId, targetId }) => {
    const record = await new StudyExportQueries(session).require(targetId, studyId);
    if (!record.file?.sha256)
      throw new OutpostError('CONFLICT', 'The export is not finished. Sign it when its file is there.');
    const { format, isDeidentified, subjectIds, requestedTs, auditSequence } = record;
    const { sizeBytes, sha256 } = record.file;
    return { content: { format, isDeidentified, subjectIds, requestedTs, auditSequence, sizeBytes, sha256 } };
  },
  'study-lock': async (session, { studyId }) => {
    const { lockedTs } = await new StudyQueries(session).require(studyId);
    return { content: { lockedTs } };
  },
};

/**
 * The present content of a record.
 * @throws NOT_FOUND, INVALID_INPUT, CONFLICT when it is not finished
 */
export async function signedContent(session: Session, target: SignedTarget): Promise<SignedContent> {
  requireTarget(target);
  const version = CONTENT_VERSIONS[target.kind];
  const { content, subjectId } = await MAKERS[target.kind](session, target);
  const { studyId, kind, targetId, date } = target;
  const sha256 = sha256Hex(contentText({ studyId, kind, targetId, date }, version, content));
  return { version, sha256, ...(subjectId !== undefined && { subjectId }) };
}
