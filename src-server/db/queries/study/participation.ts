/** Statements on how subjects take part: their steps, what follows from them, their visits, and the plan of the study. */
import { sql } from 'kysely';
import type { DataDecision, StudyPlan } from '../../../vocabulary/participation.ts';
import { EMPTY_PLAN } from '../../../vocabulary/participation.ts';
import type { InsertOf, PatchOf, RecordOf } from '../../columns.ts';
import { TABLES } from '../../schema.ts';
import { Queries } from '../queries.ts';
import { anyOf, notFound } from '../shared.ts';

const { participation: STANDING, participationStep: STEP, visit: VISIT, studyPlan: PLAN } = TABLES;

export type ParticipationRecord = RecordOf<typeof STANDING>;
export type ParticipationStepRecord = RecordOf<typeof STEP>;
export type VisitRecord = RecordOf<typeof VISIT>;

interface StudyPlanRecord {
  /** 0: the study has no plan. */
  version: number;
  plan: StudyPlan;
  modifiedTs?: number;
}

/** Of the step with which a subject is created. */
const FIRST_POSITION = 1;

/** Exactly the conditions of the indexes: with a bound value SQLite would not use them. */
const needsAttention = sql<boolean>`attentionDate IS NOT NULL`;
const consentDue = sql<boolean>`isConsentDue = 1`;

export class ParticipationQueries extends Queries {
  async plan(studyId: string): Promise<StudyPlanRecord> {
    const row = await this.session.db
      .selectFrom('studyPlan')
      .selectAll()
      .where('studyId', '=', studyId)
      .executeTakeFirst();
    if (!row) return { version: 0, plan: EMPTY_PLAN };
    const { version, plan, modifiedTs } = PLAN.toRecord(row);
    return { version, plan, modifiedTs };
  }

  /** @throws NOT_FOUND */
  async standing(subjectId: string): Promise<ParticipationRecord> {
    const [row] = await this.standings([subjectId]);
    if (!row) throw notFound('subject');
    return row;
  }

  async standings(subjectIds: readonly string[]): Promise<ParticipationRecord[]> {
    const rows = await this.session.db
      .selectFrom('participation')
      .selectAll()
      .where('subjectId', 'in', anyOf(subjectIds))
      .execute();
    return rows.map(STANDING.toRecord);
  }

  async standingsOfStudy(studyId: string): Promise<ParticipationRecord[]> {
    const rows = await this.session.db.selectFrom('participation').selectAll().where('studyId', '=', studyId).execute();
    return rows.map(STANDING.toRecord);
  }

  /** Subjects of the studies whose consent is missing or of a version that no longer suffices. */
  async consentsDue(
    studyIds: readonly string[],
  ): Promise<Pick<ParticipationRecord, 'subjectId' | 'studyId' | 'consentVersion' | 'statusDate' | 'status'>[]> {
    const rows = await this.session.db
      .selectFrom('participation')
      .select(['subjectId', 'studyId', 'consentVersion', 'statusDate', 'status'])
      .where(consentDue)
      .where('studyId', 'in', anyOf(studyIds))
      .orderBy('studyId')
      .orderBy('subjectId')
      .execute();
    return rows.map(({ consentVersion, ...row }) => ({ ...row, ...(consentVersion !== null && { consentVersion }) }));
  }

  /** What withdrawn subjects decided on their data, of subjects whose data exports do not hold whole. */
  async dataDecisions(
    studyId: string,
  ): Promise<{ subjectId: string; dataDecision: DataDecision; statusDate: string }[]> {
    const rows = await this.session.db
      .selectFrom('participation')
      .select(['subjectId', 'dataDecision', 'statusDate'])
      .where('studyId', '=', studyId)
      .where('status', '=', 'WITHDRAWN')
      .execute();
    return rows.map((row) => ({ ...row, dataDecision: row.dataDecision as DataDecision }));
  }

  /**
   * Subjects of a study of whom exports hold something else since an instant, epoch ms: one withdrew and limited the use of the data, or
   * such a withdrawal was corrected or ended.
   */
  async limitedOrReleasedSince(studyId: string, sinceTs: number): Promise<Set<string>> {
    const limits = (step: string) => sql<boolean>`${sql.ref(`${step}.status`)} = 'WITHDRAWN'
      AND ${sql.ref(`${step}.dataDecision`)} IS NOT 'KEEP_ALL'`;
    const rows = await this.session.db
      .selectFrom('participationStep as step')
      .select('step.subjectId')
      .distinct()
      .where('step.studyId', '=', studyId)
      .where('step.kind', '=', 'STATUS')
      .where('step.createdTs', '>=', sinceTs)
      .where(
        sql<boolean>`(${limits('step')} OR EXISTS (
          SELECT 1 FROM participationStep AS before
          WHERE before.subjectId = step.subjectId AND ${limits('before')} AND before.position = (
            SELECT max(position) FROM participationStep AS earlier
            WHERE earlier.subjectId = step.subjectId AND earlier.kind = 'STATUS' AND earlier.position < step.position)))`,
      )
      .execute();
    return new Set(rows.map(({ subjectId }) => subjectId));
  }

  /** Whether more is known of any of these subjects than that it was enrolled when it was created. */
  async isUsed(subjectIds: readonly string[]): Promise<boolean> {
    const { db } = this.session;
    const step = await db
      .selectFrom('participationStep')
      .select('id')
      .where('subjectId', 'in', anyOf(subjectIds))
      .where((eb) => eb.or([eb('position', '>', FIRST_POSITION), eb('status', '!=', 'ENROLLED')]))
      .limit(1)
      .executeTakeFirst();
    if (step) return true;
    const visit = await db
      .selectFrom('visit')
      .select('id')
      .where('subjectId', 'in', anyOf(subjectIds))
      .limit(1)
      .executeTakeFirst();
    return visit !== undefined;
  }

  async step(id: string): Promise<ParticipationStepRecord | undefined> {
    const row = await this.session.db
      .selectFrom('participationStep')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    return row && STEP.toRecord(row);
  }

  /** All steps of a subject in their order. */
  async steps(subjectId: string): Promise<ParticipationStepRecord[]> {
    const rows = await this.session.db
      .selectFrom('participationStep')
      .selectAll()
      .where('subjectId', '=', subjectId)
      .orderBy('position')
      .execute();
    return rows.map(STEP.toRecord);
  }

  /** Steps of consent of all subjects of a study in the order of their entry, by subject. */
  protected async consentStepsOfStudy(studyId: string): Promise<Map<string, ParticipationStepRecord[]>> {
    const rows = await this.session.db
      .selectFrom('participation')
      .innerJoin('participationStep', 'participationStep.subjectId', 'participation.subjectId')
      .selectAll('participationStep')
      .where('participation.studyId', '=', studyId)
      .where('kind', '=', 'CONSENT')
      .orderBy('participationStep.position')
      .execute();
    return Map.groupBy(rows.map(STEP.toRecord), ({ subjectId }) => subjectId);
  }

  /** Visits of a subject by their target date. */
  async visits(subjectId: string): Promise<VisitRecord[]> {
    const rows = await this.session.db
      .selectFrom('visit')
      .selectAll()
      .where('subjectId', '=', subjectId)
      .orderBy('targetDate')
      .orderBy('id')
      .execute();
    return rows.map(VISIT.toRecord);
  }

  /** Visits of the studies that somebody has to see to by a date, the most urgent first. */
  async visitsNeedingAttention(
    studyIds: readonly string[],
    date: string,
  ): Promise<(VisitRecord & { statusDate: string })[]> {
    const rows = await this.session.db
      .selectFrom('visit')
      .innerJoin('participation', 'participation.subjectId', 'visit.subjectId')
      .selectAll('visit')
      .select('participation.statusDate')
      .where(needsAttention)
      .where('visit.studyId', 'in', anyOf(studyIds))
      .where('attentionDate', '<=', date)
      .orderBy('attentionDate')
      .orderBy('visit.id')
      .execute();
    return rows.map(({ statusDate, ...row }) => ({ ...VISIT.toRecord(row), statusDate }));
  }

  /**
   * Visits whose reminder is due, in studies that run. Those of other studies stay pending: a lock or an archive may end in time.
   * @param id of the only visit that is looked at; default: every one
   */
  async remindersDue(nowTs: number, id?: string): Promise<VisitRecord[]> {
    const rows = await this.session.db
      .selectFrom('visit')
      .innerJoin('study', 'study.id', 'visit.studyId')
      .selectAll('visit')
      .where('reminderTs', 'is not', null)
      .where('reminderTs', '<=', nowTs)
      .where('study.lifecycleState', '=', 'IN_PROGRESS')
      .where('study.lockedTs', 'is', null)
      .where('study.isArchived', '=', 0)
      .$if(id !== undefined, (query) => query.where('visit.id', '=', id!))
      .orderBy('reminderTs')
      .execute();
    return rows.map(VISIT.toRecord);
  }

  /** Visits of all subjects of a study, by subject. */
  protected async visitsOfStudy(studyId: string): Promise<Map<string, VisitRecord[]>> {
    const rows = await this.session.db.selectFrom('visit').selectAll().where('studyId', '=', studyId).execute();
    return Map.groupBy(rows.map(VISIT.toRecord), ({ subjectId }) => subjectId);
  }

  protected async setProgram(
    subjectId: string,
    fields: { programStartTs?: number | null; programStopTs?: number | null },
  ): Promise<void> {
    await this.session.db
      .updateTable('subject')
      .set({ ...fields, modifiedTs: this.session.clock() })
      .where('id', '=', subjectId)
      .execute();
  }

  /** What of the plan subjects have. */
  protected async planUse(studyId: string) {
    const { db } = this.session;
    const standings = await db
      .selectFrom('participation')
      .select(['consentVersion', 'groupId', 'stratumId'])
      .where('studyId', '=', studyId)
      .distinct()
      .execute();
    const visits = await db
      .selectFrom('visit')
      .select('visitId')
      .distinct()
      .where('studyId', '=', studyId)
      .where('lastStepId', 'is not', null)
      .execute();
    const of = (name: 'consentVersion' | 'groupId' | 'stratumId') =>
      new Set(standings.flatMap((row) => row[name] ?? []));
    return {
      consentVersions: of('consentVersion'),
      groupIds: of('groupId'),
      stratumIds: of('stratumId'),
      visitIds: new Set(visits.map(({ visitId }) => visitId)),
    };
  }

  protected async storePlan(studyId: string, version: number, plan: StudyPlan): Promise<void> {
    const row = PLAN.toRow({ studyId, version, plan, modifiedTs: this.session.clock() });
    const { studyId: _, ...changed } = row;
    await this.session.db
      .insertInto('studyPlan')
      .values(row)
      .onConflict((conflict) => conflict.column('studyId').doUpdateSet(changed))
      .execute();
  }

  protected async insertStanding(row: InsertOf<typeof STANDING>): Promise<void> {
    await this.session.db.insertInto('participation').values(STANDING.toRow(row)).execute();
  }

  protected async patchStanding(subjectId: string, fields: PatchOf<typeof STANDING>): Promise<void> {
    await this.session.db
      .updateTable('participation')
      .set(STANDING.toRow(fields))
      .where('subjectId', '=', subjectId)
      .execute();
  }

  protected async insertStep(step: InsertOf<typeof STEP>): Promise<void> {
    await this.session.db.insertInto('participationStep').values(STEP.toRow(step)).execute();
  }

  protected async insertVisit(row: InsertOf<typeof VISIT>): Promise<void> {
    await this.session.db.insertInto('visit').values(VISIT.toRow(row)).execute();
  }

  protected async patchVisit(id: string, fields: PatchOf<typeof VISIT>): Promise<void> {
    await this.session.db.updateTable('visit').set(VISIT.toRow(fields)).where('id', '=', id).execute();
  }

  protected async deleteVisit(id: string): Promise<void> {
    await this.session.db.deleteFrom('visit').where('id', '=', id).execute();
  }
}
