/**
 * The content that a signature binds, one per kind, in its canonical form (`resources/protocol/signatures.md`). It holds what a
 * person who signs has in mind, and nothing that changes without a person, such as the time of a computation or the place of a file.
 */

import type { Correction } from '../../../analytics/types.ts';
import { HOUR_MS } from '../../../durations.ts';
import { OutpostError } from '../../../errors.ts';
import { sha256Hex } from '../../../files/content-hash.ts';
import { definitionOf } from '../../../study/definition-input.ts';
import { contentText, requireTarget, type SignedKind, type SignedTarget } from '../../../study/signatures.ts';
import type { Session } from '../../session.ts';
import { AnalyticsQueries } from '../data/analytics.ts';
import { RecordingQueries, type RecordingRecord } from '../data/recordings.ts';
import { StudyExportQueries } from '../data/study-exports.ts';
import { notFound } from '../shared.ts';
import { AnnotationQueries, type AnnotationRecord } from './annotations.ts';
import { CorrectionQueries } from './corrections.ts';
import { StudyQueries } from './studies.ts';
import { SubjectQueries, type SubjectRecord } from './subjects.ts';

export interface SignedContent {
  version: number;
  sha256: string;
  subjectId?: string;
}

interface Made {
  content: Readonly<Record<string, unknown>>;
  subjectId?: string;
}

type Maker = (session: Session, target: SignedTarget) => Promise<Made>;

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
  // Absent in all that is older, so what was signed before has the same form.
  skipped: annotation.skipped,
});

/** The samples by their hash, and their times by the clock map in force. */
const recordingPart = (recording: RecordingRecord) => ({
  id: recording.id,
  contentSha256: recording.contentSha256,
  startUs: recording.startUs,
  stopUs: recording.stopUs,
  status: recording.status,
});

/**
 * What people corrected, in the order in which it applies. Absent where nothing is corrected, so what was signed before has the same
 * form, and what is corrected after it was signed is seen.
 */
const correctionsPart = (corrections: readonly Correction[]) => (corrections.length > 0 ? { corrections } : {});

/** Who was recorded. Without zones: a journey later on changes no day before it, and each day names its own. */
const subjectPart = (subject: SubjectRecord) => ({
  displayName: subject.displayName,
  age: subject.age,
  gender: subject.gender,
  height: subject.height,
  weight: subject.weight,
  dominantHand: subject.dominantHand,
  metadataFields: subject.metadataFields,
});

const studyDefinition: Maker = async (session, { studyId, targetId }) => {
  if (targetId !== studyId) throw notFound('study');
  const study = await new StudyQueries(session).requireDetail(studyId);
  return { content: { displayName: study.displayName, title: study.title, definition: definitionOf(study) } };
};

/** Version 1, which did not bind the subject. */
const dayAlone: Maker = async (session, { studyId, targetId, date }) => {
  await new SubjectQueries(session).require(targetId, studyId);
  const [day] = await new AnalyticsQueries(session).days(targetId, { fromDate: date, toDate: date });
  if (!day) throw new OutpostError('NOT_FOUND', 'No metrics were computed for this day, so there is nothing to sign.');
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
      // Only where something is chosen: what was signed before stays as it was.
      ...(day.parameters && { parameters: day.parameters }),
      metrics: day.metrics,
      validSeconds: day.validSeconds,
      recordings: recordings.map(recordingPart),
      annotations: annotations.map(annotationPart),
      ...correctionsPart(
        await new CorrectionQueries(session).appliedIn(targetId, { fromTs: span.fromTs, toTs: day.dayStopTs }),
      ),
    },
  };
};

/** Version 1, which did not bind the subject. */
const recordingAlone: Maker = async (session, { studyId, targetId }) => {
  const recording = await new RecordingQueries(session).require(targetId, studyId);
  if (recording.fileState !== 'PRESENT') {
    throw new OutpostError('CONFLICT', 'The file of this recording is missing or damaged. Restore it, then sign.');
  }
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
      ...correctionsPart(await new CorrectionQueries(session).appliedTo(targetId)),
    },
  };
};

const withSubject =
  (make: Maker): Maker =>
  async (session, target) => {
    const { content, subjectId = '' } = await make(session, target);
    const subject = await new SubjectQueries(session).require(subjectId, target.studyId);
    return { subjectId, content: { ...content, subject: subjectPart(subject) } };
  };

const studyExport: Maker = async (session, { studyId, targetId }) => {
  const record = await new StudyExportQueries(session).require(targetId, studyId);
  if (!record.file?.sha256)
    throw new OutpostError('CONFLICT', 'The export is not finished. Sign it when its file is there.');
  const { format, isDeidentified, subjectIds, requestedTs, auditSequence } = record;
  const { sizeBytes, sha256 } = record.file;
  return { content: { format, isDeidentified, subjectIds, requestedTs, auditSequence, sizeBytes, sha256 } };
};

const studyLock: Maker = async (session, { studyId, targetId }) => {
  if (targetId !== studyId) throw notFound('study');
  const { lockedTs } = await new StudyQueries(session).require(studyId);
  return { content: { lockedTs } };
};

/**
 * The makers of each version, from 1. A signature keeps the version that it was given for, so when the members of a content change,
 * add a maker and keep the old: what was signed before is still compared with what it bound.
 */
const MAKERS: Readonly<Record<SignedKind, readonly Maker[]>> = {
  'study-definition': [studyDefinition],
  'subject-day': [dayAlone, withSubject(dayAlone)],
  recording: [recordingAlone, withSubject(recordingAlone)],
  export: [studyExport],
  'study-lock': [studyLock],
};

/**
 * The present content of a record.
 * @param version default: the newest, which new signatures bind
 * @throws NOT_FOUND, INVALID_INPUT, CONFLICT when it is not finished, its file is lost, or the version is not known
 */
export async function signedContent(
  session: Session,
  { studyId, kind, targetId, date }: SignedTarget,
  version: number = MAKERS[kind].length,
): Promise<SignedContent> {
  const target = { studyId, kind, targetId, ...(date !== undefined && { date }) };
  requireTarget(target);
  const make = MAKERS[kind][version - 1];
  if (!make) throw new OutpostError('CONFLICT', 'The record was signed with a newer version of Outpost.');
  const { content, subjectId } = await make(session, target);
  const sha256 = sha256Hex(contentText(target, version, content));
  return { version, sha256, ...(subjectId !== undefined && { subjectId }) };
}
