/** How subjects take part, as tables of every format: the steps that led there, and the visits as they stand. */
import type { ParticipationStepRecord, ReadStore, VisitRecord } from '../../db/index.ts';
import {
  CONSENT_STATES,
  DATA_DECISIONS,
  PARTICIPATION_STEPS,
  SUBJECT_STATUSES,
  VISIT_STATES,
} from '../../vocabulary/participation.ts';
import { codeOf, DATE, DEFINITION, idOf, MEASURE, TEXT, TIME_MS } from './disclosure.ts';
import type { TableColumns } from './table-columns.ts';

const STATUS = codeOf(new Set<string>(SUBJECT_STATUSES));
const DECISION = codeOf(new Set<string>(DATA_DECISIONS));
const VISIT_STATE = codeOf(new Set<string>(VISIT_STATES));

/** The document of a consent names the person: nothing of it is in an export. */
export const PARTICIPATION_STEPS_TABLE: TableColumns<ParticipationStepRecord> = [
  ['id', idOf('step'), (step) => step.id],
  ['subjectId', idOf('subject'), (step) => step.subjectId],
  ['position', MEASURE, (step) => step.position],
  ['kind', codeOf(new Set<string>(PARTICIPATION_STEPS)), (step) => step.kind],
  ['DATE', DATE, (step) => step.date],
  ['isCorrection', MEASURE, (step) => step.isCorrection],
  ['status', STATUS, (step) => step.status],
  ['dataDecision', DECISION, (step) => step.dataDecision],
  ['consentState', codeOf(new Set<string>(CONSENT_STATES)), (step) => step.consentState],
  ['consentVersion', DEFINITION, (step) => step.consentVersion],
  ['group', DEFINITION, (step) => step.groupName],
  ['stratum', DEFINITION, (step) => step.stratumName],
  ['visit', DEFINITION, (step) => step.visitName],
  ['visitState', VISIT_STATE, (step) => step.visitState],
  ['visitDate', DATE, (step) => step.visitDate],
  ['reason', TEXT, (step) => step.reason],
  ['authorId', idOf('person'), (step) => step.authorId],
  ['createdTs', TIME_MS, (step) => step.createdTs],
];

export const VISITS: TableColumns<VisitRecord> = [
  ['subjectId', idOf('subject'), (visit) => visit.subjectId],
  ['visit', DEFINITION, (visit) => visit.displayName],
  ['state', VISIT_STATE, (visit) => visit.state],
  ['isOptional', MEASURE, (visit) => visit.isOptional],
  ['isStopped', MEASURE, (visit) => visit.isStopped],
  ['targetDate', DATE, (visit) => visit.targetDate],
  ['fromDate', DATE, (visit) => visit.fromDate],
  ['toDate', DATE, (visit) => visit.toDate],
  ['visitDate', DATE, (visit) => visit.date],
];

/** What lists of subjects say beside the person. */
export interface ExportedParticipation {
  status: string;
  statusDate: string;
  dataDecision?: string | undefined;
  enrolledDate?: string | undefined;
  consentVersion?: string | undefined;
  consentDate?: string | undefined;
  group?: string | undefined;
  stratum?: string | undefined;
}

export const PARTICIPATION_COLUMNS: TableColumns<{ participation?: ExportedParticipation | undefined }> = [
  ['status', STATUS, ({ participation }) => participation?.status],
  ['statusDate', DATE, ({ participation }) => participation?.statusDate],
  ['dataDecision', DECISION, ({ participation }) => participation?.dataDecision],
  ['enrolledDate', DATE, ({ participation }) => participation?.enrolledDate],
  ['consentVersion', DEFINITION, ({ participation }) => participation?.consentVersion],
  ['consentDate', DATE, ({ participation }) => participation?.consentDate],
  ['group', DEFINITION, ({ participation }) => participation?.group],
  ['stratum', DEFINITION, ({ participation }) => participation?.stratum],
];

export async function participationOfStudy(
  { participation }: Pick<ReadStore, 'participation'>,
  studyId: string,
): Promise<Map<string, ExportedParticipation>> {
  const { plan } = await participation.plan(studyId);
  const nameIn = (choices: typeof plan.groups, id: string | undefined) =>
    choices.find((choice) => choice.id === id)?.displayName;
  return new Map(
    (await participation.standingsOfStudy(studyId)).map(({ subjectId, groupId, stratumId, ...standing }) => [
      subjectId,
      { ...standing, group: nameIn(plan.groups, groupId), stratum: nameIn(plan.strata, stratumId) },
    ]),
  );
}
