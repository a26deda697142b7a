/**
 * Raw signal files: coding, writing, reading a range of time, recovery, verification, and the overview for viewers.
 * The container is documented in resources/protocol/recording-format.md. Everyone outside this folder imports from here
 * (and types from `types.ts`).
 */

export { CheckMemory, checkSignalFile } from './check.ts';
export { type ClockCorrection, type ClockMap, correctClock, hostTimeUs, mapThrough } from './clock/clock-map.ts';
export { clockMapText, clockPath, holdsClockMap, readClockMap, writeClockMap } from './clock/sidecar.ts';
export { valueOfCount } from './exact-values.ts';
export { OverviewBuilder } from './overview/builder.ts';
export { buildOverview, isCurrentOverview, overviewPath, readOverview, writeOverview } from './overview/file.ts';
export { openSignalFile, openSignalFileSync, SignalFile, type SignalView } from './reader.ts';
export { appendSignalFile, recoverSignalFile } from './recovery.ts';
export { type PageSlice, sampleTimesUs } from './times.ts';
export { type SignalFileProblems, verifySignalFile } from './verify.ts';
export { createSignalFile, type SignalFileSummary } from './writer.ts';
