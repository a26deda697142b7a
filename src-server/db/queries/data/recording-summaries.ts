/**
 * What lists show of the recordings of subjects and studies, as rows that change in the transaction of their recordings. Everything
 * that inserts or changes recordings or the zones of a subject comes here, so there is no other place that could forget it.
 */
import { sql } from 'kysely';
import type { DayClock } from '../../../study/day-windows.ts';
import { recordingDays, type SummarisedRecording, summaryOf } from '../../../study/recording-summary.ts';
import type { RecordOf } from '../../columns.ts';
import type { TABLES } from '../../schema.ts';
import type { Session } from '../../session.ts';
import { Queries } from '../queries.ts';
import { anyOf } from '../shared.ts';

export type SubjectSummaryRecord = RecordOf<typeof TABLES.subjectSummary>;
export type RecordingDayRecord = RecordOf<typeof TABLES.recordingDay>;

/** Sums over the recordings of a study. */
export interface StudyTotals {
  countRecordings: number;
  sizeBytes: number;
  lastStopUs: number;
}

/** Totals per local date of the subjects. */
export interface StudyDay {
  date: string;
  countRecordings: number;
  countSubjects: number;
  firstRecStartTs: number;
  lastRecStartTs: number;
  sumDurationMs: number;
}

export class RecordingSummaries extends Queries {
  /** Summaries of subjects with recordings, by subject. */
  async ofSubjects(subjectIds: readonly string[]): Promise<Map<string, SubjectSummaryRecord>> {
    const rows = await this.session.db
      .selectFrom('subjectSummary')
      .selectAll()
      .where('subjectId', 'in', anyOf(subjectIds))
      .execute();
    return new Map(rows.map((row) => [row.subjectId, row]));
  }

  /** Totals of each study that has recordings. */
  async ofStudies(studyIds: readonly string[]): Promise<Map<string, StudyTotals>> {
    const rows = await this.session.db
      .selectFrom('subjectSummary')
      .select(({ fn }) => [
        'studyId',
        fn.sum<number>('countRecordings').as('countRecordings'),
        fn.sum<number>('sizeBytes').as('sizeBytes'),
        fn.max('lastStopUs').as('lastStopUs'),
      ])
      .where('studyId', 'in', anyOf(studyIds))
      .groupBy('studyId')
      .execute();
    return new Map(rows.map(({ studyId, ...totals }) => [studyId, totals]));
  }

  /** Dates on which recordings of a study began, ascending, without those of test subjects; dates inclusive. */
  async daysOfStudy(studyId: string, window: { fromDate?: string; toDate?: string } = {}): Promise<StudyDay[]> {
    const { fromDate, toDate } = window;
    let query = this.session.db
      .selectFrom('recordingDay')
      .select(({ fn }) => [
        'date',
        fn.sum<number>('countRecordings').as('countRecordings'),
        fn.countAll<number>().as('countSubjects'),
        fn.min('firstStartTs').as('firstRecStartTs'),
        fn.max('lastStartTs').as('lastRecStartTs'),
        fn.sum<number>('durationMs').as('sumDurationMs'),
      ])
      .where('studyId', '=', studyId)
      .where('subjectId', 'not in', (eb) =>
        eb.selectFrom('subject').select('id').where('subject.studyId', '=', studyId).where('isTest', '=', 1),
      );
    if (fromDate !== undefined) query = query.where('date', '>=', fromDate);
    if (toDate !== undefined) query = query.where('date', '<=', toDate);
    return await query.groupBy('date').orderBy('date').execute();
  }

  /** Everything that is stored of one subject, to be compared with {@link computed}. */
  async stored(subjectId: string): Promise<{ summary: SubjectSummaryRecord | undefined; days: RecordingDayRecord[] }> {
    const days = await this.session.db
      .selectFrom('recordingDay')
      .selectAll()
      .where('subjectId', '=', subjectId)
      .orderBy('date')
      .execute();
    return { summary: (await this.ofSubjects([subjectId])).get(subjectId), days };
  }

  /** What should be stored of one subject, from all of their recordings. */
  async computed(
    subjectId: string,
  ): Promise<{ summary: SubjectSummaryRecord | undefined; days: RecordingDayRecord[] }> {
    const rows = await this.session.db
      .selectFrom('recording')
      .select(['id', 'studyId', 'startUs', 'stopUs', 'uploadStartTs', 'udid', 'equipmentId', 'sizeBytes'])
      .where('subjectId', '=', subjectId)
      .orderBy('startUs')
      .orderBy('id')
      .execute();
    const [first] = rows;
    if (!first) return { summary: undefined, days: [] };
    const days = recordingDays(rows, await clockOf(this.session, subjectId));
    const place = { subjectId, studyId: first.studyId };
    return {
      summary: { ...place, ...summaryOf(rows), countDays: days.length },
      days: days.map((day) => ({ ...place, ...day })),
    };
  }
}

async function clockOf({ db }: Session, subjectId: string): Promise<DayClock> {
  return await db
    .selectFrom('subjectZone')
    .select(['fromTs', 'timezone'])
    .where('subjectId', '=', subjectId)
    .orderBy('fromTs')
    .execute();
}

/** Stores what follows from all recordings of a subject: after a change of their zones, sensors or sizes. */
export async function rebuildSummary(session: Session, subjectId: string): Promise<void> {
  const { db } = session;
  const { summary, days } = await new RecordingSummaries(session).computed(subjectId);
  await db.deleteFrom('recordingDay').where('subjectId', '=', subjectId).execute();
  await db.deleteFrom('subjectSummary').where('subjectId', '=', subjectId).execute();
  if (!summary) return;
  await db.insertInto('subjectSummary').values(summary).execute();
  for (const day of days) await db.insertInto('recordingDay').values(day).execute();
}

/** The columns of a new recording that summaries derive from. */
export type AddedRecording = SummarisedRecording & { id: string; studyId: string; subjectId: string };

/** Adds a recording to the summaries of its subject. Call it before the recording is stored. */
export async function addToSummary(session: Session, recording: AddedRecording): Promise<void> {
  const { db } = session;
  const { subjectId, studyId, startUs, stopUs } = recording;
  const [day] = recordingDays([recording], await clockOf(session, subjectId));
  if (!day) return;
  const { date, ...facts } = day;
  const known = await db
    .selectFrom('recordingDay')
    .select('date')
    .where('subjectId', '=', subjectId)
    .where('date', '=', date)
    .executeTakeFirst();
  await db
    .insertInto('recordingDay')
    .values({ subjectId, date, studyId, ...facts })
    .onConflict((conflict) =>
      conflict.columns(['subjectId', 'date']).doUpdateSet((eb) => ({
        countRecordings: eb('recordingDay.countRecordings', '+', 1),
        durationMs: eb('recordingDay.durationMs', '+', facts.durationMs),
        firstStartTs: lesser('recordingDay.firstStartTs', facts.firstStartTs),
        lastStartTs: greater('recordingDay.lastStartTs', facts.lastStartTs),
      })),
    )
    .execute();
  const overlapping = await db
    .selectFrom('recording')
    .select(['startUs', 'stopUs'])
    .where('subjectId', '=', subjectId)
    .where('stopUs', '>', startUs)
    .where('startUs', '<', stopUs)
    .orderBy('startUs')
    .execute();
  const isKnownSensor = await hasSensor(session, recording);
  const last = await db
    .selectFrom('recording')
    .select(['startUs', 'id'])
    .where('subjectId', '=', subjectId)
    .orderBy('startUs', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  const isLast = !last || startUs > last.startUs || (startUs === last.startUs && recording.id > last.id);
  const alone = summaryOf([recording]);
  const coveredUs = alone.coveredUs - coveredWithin(overlapping, startUs, stopUs);
  const row = { subjectId, studyId, ...alone, countDays: 1 };
  await db
    .insertInto('subjectSummary')
    .values(row)
    .onConflict((conflict) =>
      conflict.column('subjectId').doUpdateSet((eb) => ({
        countRecordings: eb('subjectSummary.countRecordings', '+', 1),
        countDays: eb('subjectSummary.countDays', '+', known ? 0 : 1),
        countSensors: eb('subjectSummary.countSensors', '+', isKnownSensor ? 0 : 1),
        coveredUs: eb('subjectSummary.coveredUs', '+', coveredUs),
        durationMs: eb('subjectSummary.durationMs', '+', row.durationMs),
        sizeBytes: eb('subjectSummary.sizeBytes', '+', row.sizeBytes),
        firstStartUs: lesser('subjectSummary.firstStartUs', row.firstStartUs),
        lastStartUs: greater('subjectSummary.lastStartUs', row.lastStartUs),
        lastStopUs: greater('subjectSummary.lastStopUs', row.lastStopUs),
        ...(isLast && { lastUploadTs: row.lastUploadTs }),
      })),
    )
    .execute();
}

function lesser(column: string, value: number) {
  return sql<number>`CASE WHEN ${sql.ref(column)} < ${value} THEN ${sql.ref(column)} ELSE ${value} END`;
}

function greater(column: string, value: number) {
  return sql<number>`CASE WHEN ${sql.ref(column)} > ${value} THEN ${sql.ref(column)} ELSE ${value} END`;
}

/** Time of a span that other spans, by start, cover already. */
function coveredWithin(spans: readonly { startUs: number; stopUs: number }[], fromUs: number, toUs: number): number {
  let coveredUs = 0;
  let untilUs = fromUs;
  for (const { startUs, stopUs } of spans) {
    const stop = Math.min(stopUs, toUs);
    coveredUs += Math.max(0, stop - Math.max(startUs, untilUs));
    untilUs = Math.max(untilUs, stop);
  }
  return coveredUs;
}

/** Whether the subject has a recording of the same sensor already. */
async function hasSensor(
  { db }: Session,
  { subjectId, equipmentId, udid }: { subjectId: string; equipmentId?: string | null; udid: string },
): Promise<boolean> {
  const query = db.selectFrom('recording').select('id').where('subjectId', '=', subjectId).limit(1);
  const found =
    (equipmentId ?? null) === null
      ? await query.where('udid', '=', udid).where('equipmentId', 'is', null).executeTakeFirst()
      : await query.where('equipmentId', '=', equipmentId as string).executeTakeFirst();
  return found !== undefined;
}
