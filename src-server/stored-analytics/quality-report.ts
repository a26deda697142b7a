/**
 * The data quality of subjects, read from stored days: wear and ECG of each day, and the tasks of the program. Computes no result; its
 * cost is that of the days that are asked for.
 */
import type { ReadStore, StudyRecord, SubjectRecord } from '../db/index.ts';
import { addDays, type DayClock, localDateAt } from '../study/day-windows.ts';
import { adherenceOf, type DateSpan, type ProgramHistory } from '../study/program.ts';
import {
  clip,
  expectedSpan,
  type QualityDay,
  type QualitySpan,
  recentFrom,
  type SubjectQuality,
  subjectQuality,
} from '../study/quality.ts';
import { DEFAULT_QUALITY_TARGETS, type QualityTargets } from '../vocabulary/quality.ts';

type Source = Pick<ReadStore, 'analytics' | 'studies' | 'subjects' | 'taskDays'>;

/** Subjects whose days are read at once, so that no statement is long. */
const SUBJECTS_AT_ONCE = 40;
/** Of the ECG. */
const SECONDS = ['HEART_SIGNAL', 'HEART_READABLE'] as const;

export interface QualityOfSubject {
  subject: SubjectRecord;
  /** False for a hidden subject, and after the end of the program, the participation or the study. */
  isFollowed: boolean;
  /** Undefined where no day of the subject is complete yet, or none of those that are asked for. */
  quality: SubjectQuality | undefined;
}

export class QualityReport {
  readonly #store: Source;
  readonly #study: StudyRecord;
  readonly #lastTs: number;
  /** Read once, however many times subjects are asked for. */
  #history: Promise<ProgramHistory> | undefined;

  /** @param nowTs days that are not over by then do not count */
  constructor(store: Source, study: StudyRecord, nowTs: number) {
    this.#store = store;
    this.#study = study;
    this.#lastTs = Math.min(nowTs, study.stoppedTs ?? Number.POSITIVE_INFINITY);
  }

  get targets(): QualityTargets {
    return this.#study.qualityTargets ?? DEFAULT_QUALITY_TARGETS;
  }

  /** In the order of the subjects; dates inclusive, all days without bounds. */
  async of(subjects: readonly SubjectRecord[], span: DateSpan = {}): Promise<QualityOfSubject[]> {
    this.#history ??= this.#store.studies.programHistory(this.#study);
    const history = await this.#history;
    const found: QualityOfSubject[] = [];
    for (let at = 0; at < subjects.length; at += SUBJECTS_AT_ONCE)
      found.push(...(await this.#slice(history, subjects.slice(at, at + SUBJECTS_AT_ONCE), span)));
    return found;
  }

  async #slice(
    history: ProgramHistory,
    subjects: readonly SubjectRecord[],
    span: DateSpan,
  ): Promise<QualityOfSubject[]> {
    const { analytics, subjects: people, taskDays } = this.#store;
    const ids = subjects.map(({ id }) => id);
    const clocks = await people.zonesOf(ids);
    const worn = await analytics.wornSpans(ids, span.toDate);
    const planned = subjects.map((subject) => {
      const clock = clocks.get(subject.id);
      // Of one who completed or withdrew, nothing is expected afterwards. A stop at midnight completes the day before.
      const lastTs = Math.min(this.#lastTs, subject.programStopTs ?? this.#lastTs);
      const expected =
        clock &&
        expectedSpan({
          programStartTs: subject.programStartTs,
          firstDataDate: worn.get(subject.id)?.firstDate,
          program: history.at(-1)?.program ?? null,
          clock,
          lastTs,
        });
      return { subject, clock, expected, lastTs };
    });
    const spans = planned.flatMap(({ expected }) => (expected ? [readSpan(expected, span)] : []));
    if (spans.length === 0) {
      return planned.map(({ subject, clock, expected }) => ({
        subject,
        isFollowed: this.#isFollowed(subject, clock, expected),
        quality: undefined,
      }));
    }
    const read = {
      fromDate: spans.map(({ fromDate }) => fromDate).sort()[0],
      toDate: spans
        .map(({ toDate }) => toDate)
        .sort()
        .at(-1),
    };
    const stored = Map.groupBy(
      await analytics.valuesOf(ids, { validSeconds: SECONDS }, read),
      ({ subjectId }) => subjectId,
    );
    const done = Map.groupBy(
      await taskDays.months([this.#study.id], { ...read, subjectIds: ids }),
      ({ subjectId }) => subjectId,
    );
    return planned.map(({ subject, clock, expected, lastTs }) => {
      const isFollowed = this.#isFollowed(subject, clock, expected);
      if (!clock || !expected) return { subject, isFollowed, quality: undefined };
      const days = new Map<string, QualityDay>();
      const tasks = adherenceOf(history, subject.programStartTs, done.get(subject.id) ?? [], clock, lastTs, read);
      for (const { date, tasksAssigned, tasksCompleted } of tasks)
        days.set(date, { date, tasksAssigned, tasksCompleted });
      for (const { date, wearSeconds, validSeconds } of stored.get(subject.id) ?? []) {
        const [signal, readable] = validSeconds;
        days.set(date, {
          ...(days.get(date) ?? { date, tasksAssigned: 0, tasksCompleted: 0 }),
          wearSeconds: wearSeconds ?? undefined,
          signalSeconds: signal ?? undefined,
          readableSeconds: readable ?? undefined,
        });
      }
      const lastData = worn.get(subject.id)?.lastDate;
      return {
        ...{ subject, isFollowed },
        quality: subjectQuality(expected, span, [...days.values()], this.targets, lastData, isFollowed),
      };
    });
  }

  #isFollowed(subject: SubjectRecord, clock: DayClock | undefined, expected: QualitySpan | undefined): boolean {
    if (subject.isHidden || subject.programStopTs !== undefined) return false;
    // Without a complete day yet, all of it is still to come.
    if (!clock || !expected) return this.#study.lifecycleState !== 'COMPLETE';
    const lastComplete = addDays(localDateAt(this.#lastTs, clock), -1);
    return this.#study.lifecycleState === 'IN_PROGRESS' && expected.toDate === lastComplete;
  }
}

/** The days that are asked for, and those before their end that are judged. */
function readSpan(expected: { fromDate: string; toDate: string }, span: DateSpan) {
  const { fromDate, toDate } = clip(expected, span);
  const recent = recentFrom(toDate);
  return { fromDate: [fromDate, recent].sort()[0]!, toDate };
}
