/** Heart rate and its variability: beat intervals, successive differences and spectra, from the beats of the best ECG. */
export { fiveMinutesOf } from './five-minutes.ts';
export { bandPowersPerMinute, lfHfOf } from './frequency.ts';
export { type IntervalSeries, intervalsOf } from './intervals.ts';
