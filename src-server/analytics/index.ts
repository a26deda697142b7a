/**
 * Analytics: signals in, second columns, channels and daily metrics out. Pure functions on typed arrays; no I/O, no clock.
 * Stage 1 `analyseRecording` reads a recording once; stage 2 `analyseWindow` fuses a subject's recordings over one window
 * from noon to noon; `binChannels` and `dailyMetrics` derive everything the interface shows from those windows.
 */
export {
  type BinnedChannels,
  binChannels,
  binStartMs,
  CHANNEL_INTERVALS_MS,
  CHANNEL_TYPES,
  CHANNEL_UNITS,
  type ChannelType,
  type RestingPosture,
  sleepingPostureName,
} from './channels.ts';
export { dailyMetrics, type LocalDay } from './daily.ts';
export { METRIC_NAMES, type MetricName, type MetricState, MINIMUM } from './metric-names.ts';
export { analyseRecording } from './recording.ts';
export { createSecondColumns, decodeSecondColumns, encodeSecondColumns, SECOND_COLUMNS_VERSION } from './seconds.ts';
export { ANALYTICS_VERSION } from './version.ts';
export { analyseWindow, WINDOW_MARGIN_SECONDS } from './window.ts';
