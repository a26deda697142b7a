/** Creates empty second columns. */
import type { SecondColumns } from './types.ts';

const BYTE_COLUMNS = [
  'worn',
  'recorded',
  'rrCount',
  'rrDiffCount',
  'activity',
  'steps',
  'leanSide',
  'leanForward',
  'sleepingPosture',
  'asleep',
  'unresolved',
  'heartSource',
  'rrExcluded',
] as const;
const FLOAT_COLUMNS = [
  'rrSumMs',
  'rrDiffSquaredMs2',
  'lfHf',
  'respiration',
  'counts',
  'leanSideDegrees',
  'leanForwardDegrees',
] as const;

/** Columns whose missing value is NaN, not zero. */
const UNKNOWN_UNTIL_MEASURED = ['lfHf', 'respiration', 'counts', 'leanSideDegrees', 'leanForwardDegrees'] as const;

const columnsOf = <Name extends string, Column>(names: readonly Name[], create: () => Column): Record<Name, Column> =>
  Object.fromEntries(names.map((name) => [name, create()])) as Record<Name, Column>;

/** Returns the columns of `count` seconds from `startMs` (a whole second), with nothing recorded. */
export function createSecondColumns(startMs: number, count: number): SecondColumns {
  const columns = {
    ...columnsOf(BYTE_COLUMNS, () => new Uint8Array(count)),
    ...columnsOf(FLOAT_COLUMNS, () => new Float32Array(count)),
  };
  for (const name of UNKNOWN_UNTIL_MEASURED) columns[name].fill(Number.NaN);
  return { startMs, count, ...columns };
}
