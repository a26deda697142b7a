/**
 * Analytics: from signals to second columns, channels and daily metrics. Pure functions on typed arrays; no I/O, no clock.
 * Stage 1 (`analyseRecording`) reads a recording once; stage 2 (`analyseWindow`) fuses a subject's recordings over one window
 * from noon to noon; `binChannels` and `dailyMetrics` derive all results of the API from those windows.
 */
export { type ArrayStore, memoryStore } from './array-store.ts';
export {
  binChannels,
  binStartMs,
  CHANNEL_INTERVALS_MS,
  CHANNEL_TYPES,
  CHANNEL_UNITS,
  type ChannelType,
} from './channels.ts';
export {
  type BeatFate,
  beatEdits,
  type ChangedBeat,
  type Correction,
  correctBeats,
  SubjectCorrections,
} from './corrections/index.ts';
export { dailyMetrics } from './daily.ts';
export {
  binFurtherChannels,
  FURTHER_CHANNEL_TYPES,
  FURTHER_CHANNEL_UNITS,
  type FurtherChannelType,
} from './further-channels.ts';
export {
  BEAT_AFTER_GAP,
  BEAT_ARTEFACT,
  BEAT_ECTOPIC,
  BEAT_KIND_MASK,
  BEAT_NORMAL,
  extractEcgFeatures,
} from './heart/index.ts';
export { extractIntervalFeatures, isIntervalType } from './intervals/extract.ts';
export { analyseRecording } from './recording.ts';
export { RecordingPasses } from './recording-passes.ts';
export { signalSources } from './signal-sources.ts';
export { NOON_REACH_SECONDS } from './sleep/index.ts';
export { featuresAround, StoredRecording } from './stored-features.ts';
export { ANALYTICS_VERSION, joinedVersion } from './version.ts';
export { whyNothing } from './why-nothing.ts';
export {
  analyseWindow,
  featuresFrom,
  type NoonSleeps,
  restsAround,
  WINDOW_MARGIN_SECONDS,
} from './window.ts';
