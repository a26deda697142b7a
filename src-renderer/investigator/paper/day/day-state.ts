/** How much of a day there is, in words that stand on every one of its sheets. */
import { useMemo } from 'react';
import { MINUTE_MS } from '../../../../src-server/durations.ts';
import type { Format } from '../../../shared/i18n/format.ts';
import { type Translate, useWords } from '../../../shared/i18n/i18n.ts';
import type { DayData, DayTotals } from '../../days/lanes/day-data.ts';

/** A minute is what the channels resolve: a day that lacks less is whole. */
const WHOLE_MS = MINUTE_MS;

/** How much of a span is recorded: neither a gap nor still to come. */
export const recordedMsOf = ({
  startMs,
  stopMs,
  gapSeconds,
  notYetSeconds,
}: Pick<DayTotals, 'startMs' | 'stopMs' | 'gapSeconds' | 'notYetSeconds'>): number =>
  stopMs - startMs - (gapSeconds + notYetSeconds) * 1000;

/** @param totals of the day from midnight to midnight */
export function dayState(
  { isAnalysed }: Pick<DayData, 'isAnalysed'>,
  totals: Pick<DayTotals, 'startMs' | 'stopMs' | 'gapSeconds' | 'notYetSeconds' | 'wornSeconds'>,
  readMs: number,
  t: Translate,
  format: Format,
) {
  const { startMs, stopMs, wornSeconds } = totals;
  const recordedMs = recordedMsOf(totals);
  const kind = recordedMs <= 0 ? 'none' : recordedMs < stopMs - startMs - WHOLE_MS ? 'partial' : 'whole';
  const lengths = {
    recorded: format.duration(Math.max(0, recordedMs) / 1000),
    length: format.duration((stopMs - startMs) / 1000),
    worn: isAnalysed ? format.duration(wornSeconds) : t('paper.day.notAnalysed'),
  };
  const sentence = kind === 'none' ? t('paper.day.none') : t(`paper.day.${kind}`, lengths);
  return {
    kind,
    ...lengths,
    sentence: readMs < stopMs ? `${sentence} ${t('paper.day.notOver')}` : sentence,
  } as const;
}

export type DayState = ReturnType<typeof dayState>;

export function useDayState({ data, totals }: { data: DayData; totals: DayTotals }, readMs: number): DayState {
  const { t, format } = useWords();
  return useMemo(() => dayState(data, totals, readMs, t, format), [data, totals, readMs, t, format]);
}
