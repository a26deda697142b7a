/** Heart rate and its variability: beat intervals, successive differences and LF/HF, from the beats of the best ECG. */
export { lfHfPerMinute } from './frequency.ts';
export { type IntervalSeries, intervalsOf } from './intervals.ts';
