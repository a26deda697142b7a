/** Finds what changed in a study since an earlier export. Changes without a time of their own come from the audit. */
import type {
  AnnotationRecord,
  DayRecord,
  FaultRecord,
  ReadStore,
  RecordingRecord,
  SubjectRecord,
  WindowRecord,
} from '../../db/index.ts';
import { addDays } from '../../study/day-windows.ts';

const AUDITED = [
  'annotation.delete',
  'recording.data-state',
  'recording.file-state',
  'subject.update',
  'analytics.store',
] as const;

/** Days from the date of a removed window to those whose channels it may have contributed to. */
const AROUND = [-2, -1, 0, 1];

interface RemovedLabel {
  subjectId: string;
  id: string;
}

export class Changes {
  readonly sinceTs: number;
  readonly #recordings = new Set<string>();
  readonly #movedSubjects = new Set<string>();
  /** Subject and date of stored analytics that were removed. */
  readonly #removedDays = new Map<string, Set<string>>();
  readonly removedLabels: RemovedLabel[] = [];

  private constructor(sinceTs: number) {
    this.sinceTs = sinceTs;
  }

  static async since(store: ReadStore, studyId: string, sinceTs: number): Promise<Changes> {
    const changes = new Changes(sinceTs);
    for await (const row of store.audit.changesOfStudy(studyId, sinceTs, AUDITED)) {
      const { action, entityId, subjectId = '' } = row;
      if (action === 'annotation.delete') changes.removedLabels.push({ subjectId, id: entityId });
      else if (action.startsWith('recording.')) changes.#recordings.add(entityId);
      else if (action === 'subject.update') {
        if (row.changes.timezone) changes.#movedSubjects.add(entityId);
      } else {
        const dates = (row.changes.removedDates?.new as string[] | undefined) ?? [];
        const known = changes.#removedDays.get(subjectId) ?? new Set();
        for (const date of dates) known.add(date);
        changes.#removedDays.set(subjectId, known);
      }
    }
    return changes;
  }

  /** True when the subject's time zone changed, which changes the offset in every row. */
  #isMoved(subjectId: string): boolean {
    return this.#movedSubjects.has(subjectId);
  }

  hasRecording({ id, subjectId, createdTs }: RecordingRecord): boolean {
    return createdTs >= this.sinceTs || this.#recordings.has(id) || this.#isMoved(subjectId);
  }

  hasAnnotation({ subjectId, modifiedTs }: AnnotationRecord): boolean {
    return modifiedTs >= this.sinceTs || this.#isMoved(subjectId);
  }

  hasFault({ subjectId, createdTs }: FaultRecord): boolean {
    return createdTs >= this.sinceTs || this.#isMoved(subjectId);
  }

  /** True when the subject's name changed, which every row of metrics holds. */
  hasDay({ computedTs }: DayRecord, subject: SubjectRecord): boolean {
    return computedTs >= this.sinceTs || subject.modifiedTs >= this.sinceTs;
  }

  /**
   * True when the channels of a local day, computed from these windows, may have changed. A removed window, from noon to noon,
   * affects two local days, or their neighbours, since the clock of a de-identified export may be a day away; a new time
   * zone affects every day.
   */
  hasChannels(subject: SubjectRecord, date: string, windows: readonly WindowRecord[]): boolean {
    const removed = this.#removedDays.get(subject.id);
    return (
      this.#isMoved(subject.id) ||
      windows.some(({ computedTs }) => computedTs >= this.sinceTs) ||
      (removed !== undefined && AROUND.some((days) => removed.has(addDays(date, -days))))
    );
  }

  /** Dates of a subject whose daily metrics were removed. */
  removedDates({ id }: SubjectRecord): string[] {
    return [...(this.#removedDays.get(id) ?? [])].sort();
  }

  /**
   * Local dates of a subject whose channels an earlier export may hold and this one does not; a new time zone moves data by up
   * to a day.
   * @param present dates with channels now
   */
  lostChannelDates(subject: SubjectRecord, present: ReadonlySet<string>): string[] {
    const candidates = this.removedDates(subject).flatMap((date) => AROUND.map((days) => addDays(date, days)));
    if (this.#isMoved(subject.id)) {
      for (const date of present) candidates.push(addDays(date, -1), addDays(date, 1));
    }
    return [...new Set(candidates)].filter((date) => !present.has(date)).sort();
  }
}
