/** What of a subject's data may leave the site outside of study exports: what the subject decided when they withdrew. */
import type { ParticipationRecord, ReadStore } from '../../db/index.ts';
import { OutpostError } from '../../errors.ts';
import { midnightWindow } from '../../study/day-windows.ts';

interface DataUse {
  /** The last local date. */
  date: string;
  /** The end of it, epoch ms. */
  untilMs: number;
}

type Decided = Pick<ParticipationRecord, 'status' | 'statusDate' | 'dataDecision'>;

/** The last local date whose data may be used; null where none may, undefined where all may. */
export function lastUsableDate({ status, statusDate, dataDecision }: Decided): string | null | undefined {
  if (status !== 'WITHDRAWN' || dataDecision === 'KEEP_ALL') return undefined;
  return dataDecision === 'KEEP_UNTIL' ? statusDate : null;
}

/**
 * Returns until when the data of a subject may be downloaded; undefined without a limit.
 * @throws CONFLICT when none of it may be used
 */
export async function dataUseOf(
  { participation, subjects }: Pick<ReadStore, 'participation' | 'subjects'>,
  subjectId: string,
): Promise<DataUse | undefined> {
  const date = lastUsableDate(await participation.standing(subjectId));
  if (date === null) {
    throw new OutpostError(
      'CONFLICT',
      'The subject withdrew and decided that no data may be used, so it cannot be downloaded. Correct the status if this is a mistake.',
    );
  }
  if (date === undefined) return undefined;
  return { date, untilMs: midnightWindow(date, await subjects.zones(subjectId)).stopMs };
}

/** @throws CONFLICT */
export function requireUsable(use: DataUse | undefined, stopMs: number): void {
  if (use === undefined || stopMs <= use.untilMs) return;
  throw new OutpostError(
    'CONFLICT',
    `The subject withdrew and allows only data collected until ${use.date}, so this cannot be downloaded.`,
  );
}
