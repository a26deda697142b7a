/** Variability of the heart rate per five minutes (Task Force, Circulation 1996;93:1043) as a table of every format. */
import type { ReadStore } from '../../db/index.ts';
import { type FiveMinuteValues, fiveMinuteValues } from '../../stored-analytics/five-minutes.ts';
import { localDateAt } from '../../study/day-windows.ts';
import { ALGORITHM_VERSION, DATE, idOf, MEASURE, TIME_MS, ZONE } from './disclosure.ts';
import { offsetAt } from './export-view.ts';
import type { FramedSubject } from './exported-recordings.ts';
import type { TableColumns } from './table-columns.ts';

export interface HrvWindow extends FiveMinuteValues {
  of: FramedSubject;
}

/** Values have the three decimals of the channels, in which a day of them is given. */
const rounded = (value: number | undefined): number | undefined =>
  value === undefined ? undefined : Math.round(value * 1000) / 1000;

const ratioOf = ({ lfMs2, hfMs2 }: HrvWindow): number | undefined =>
  lfMs2 !== undefined && hfMs2 !== undefined && hfMs2 > 0 ? lfMs2 / hfMs2 : undefined;

/** One row per five minutes; empty where normal intervals cover less than 80 % of them, which the number of intervals explains. */
export const HRV_WINDOWS: TableColumns<HrvWindow> = [
  ['subjectId', idOf('subject'), ({ of }) => of.subject.id],
  ['startTs', TIME_MS, ({ startMs }) => startMs],
  ['date', DATE, ({ of, startMs }) => localDateAt(startMs, of.frame.clock)],
  ['utcOffset', ZONE, ({ of, startMs }) => offsetAt(startMs, of.frame.clock)],
  ['nnCount', MEASURE, ({ nnCount }) => nnCount],
  ['meanNnMs', MEASURE, ({ nnMeanMs }) => rounded(nnMeanMs)],
  ['sdnnMs', MEASURE, ({ sdnnMs }) => rounded(sdnnMs)],
  ['rmssdMs', MEASURE, ({ rmssdMs }) => rounded(rmssdMs)],
  ['pnn50Percent', MEASURE, ({ pnn50Percent }) => rounded(pnn50Percent)],
  ['lfPowerMs2', MEASURE, ({ lfMs2 }) => rounded(lfMs2)],
  ['hfPowerMs2', MEASURE, ({ hfMs2 }) => rounded(hfMs2)],
  ['totalPowerMs2', MEASURE, ({ totalMs2 }) => rounded(totalMs2)],
  ['lfHfRatio', MEASURE, (row) => rounded(ratioOf(row))],
  ['sd1Ms', MEASURE, ({ sd1Ms }) => rounded(sd1Ms)],
  ['sd2Ms', MEASURE, ({ sd2Ms }) => rounded(sd2Ms)],
  ['sampleEntropyNats', MEASURE, ({ sampleEntropy }) => rounded(sampleEntropy)],
  ['algorithmVersion', ALGORITHM_VERSION, ({ algorithmVersion }) => algorithmVersion],
];

/** The five minutes of a subject in which a normal interval ends, ascending. */
export async function* hrvWindowsOf(store: ReadStore, of: FramedSubject): AsyncGenerator<HrvWindow> {
  const windows = await store.analytics.windows(of.subject.id);
  const until = of.untilMs ?? Number.POSITIVE_INFINITY;
  for await (const values of fiveMinuteValues(store, of.subject.id, windows))
    if (values.startMs < until) yield { ...values, of };
}
