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

/** Columns that are unknown, not zero, until something is measured. */
const UNKNOWN_UNTIL_MEASURED = ['lfHf', 'respiration', 'counts', 'leanSideDegrees', 'leanForwardDegrees'] as const;

/** Empty columns of `count` seconds from `startMs` (a whole second): nothing recorded, nothing known. */
export function createSecondColumns(startMs: number, count: number): SecondColumns {
  const bytes = Object.fromEntries(BYTE_COLUMNS.map((name) => [name, new Uint8Array(count)]));
  const floats = Object.fromEntries(FLOAT_COLUMNS.map((name) => [name, new Float32Array(count)]));
  for (const name of UNKNOWN_UNTIL_MEASURED) floats[name].fill(Number.NaN);
  return { startMs, count, ...bytes, ...floats } as unknown as SecondColumns;
}
