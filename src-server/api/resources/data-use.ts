/** What of a subject's data may leave the site outside of study exports: what the subject decided when they withdrew. */
import type { ReadStore } from '../../db/index.ts';
import { OutpostError } from '../../errors.ts';
import { midnightWindow } from '../../study/day-windows.ts';
import { lastUsableDate } from '../../study/participation.ts';

interface DataUse {
  /** The last local date. */
  date: string;
  /** The end of it, epoch ms. */
  untilMs: number;
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
