import { expect, it } from 'vitest';
import { HOUR_MS } from '../../../../src-server/durations.ts';
import { formatOf } from '../../../shared/i18n/format.ts';
import type { Translate } from '../../../shared/i18n/i18n.ts';
import { dayState, recordedMsOf } from './day-state.ts';

const format = formatOf('en');
const t = ((key: string) => key) as unknown as Translate;
const day = { startMs: 0, stopMs: 24 * HOUR_MS, wornSeconds: 0 };
const hours = (count: number) => count * 3600;

it.each([
  ['recorded until noon, read at noon', { gapSeconds: 0, notYetSeconds: hours(12) }, 'partial', 12],
  ['without a recording, read at noon', { gapSeconds: hours(12), notYetSeconds: hours(12) }, 'none', 0],
  ['of the past, recorded', { gapSeconds: 0, notYetSeconds: 0 }, 'whole', 24],
  ['of the past, with a gap', { gapSeconds: hours(3), notYetSeconds: 0 }, 'partial', 21],
])('tells how much of a day there is: %s', (_name, parts, kind, recordedHours) => {
  const totals = { ...day, ...parts };
  expect(recordedMsOf(totals)).toBe(recordedHours * HOUR_MS);
  expect(dayState({ isAnalysed: true }, totals, 12 * HOUR_MS, t, format).kind).toBe(kind);
});
