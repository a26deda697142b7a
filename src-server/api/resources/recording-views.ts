/** Overview and beats of one recording, for a viewer. */

import type { Request, Response } from 'express';
import {
  ANALYTICS_VERSION,
  BEAT_AFTER_GAP,
  BEAT_ECTOPIC,
  BEAT_KIND_MASK,
  BEAT_NORMAL,
  beatEdits,
  type ChangedBeat,
  type Correction,
  correctBeats,
  extractEcgFeatures,
  extractIntervalFeatures,
  isIntervalType,
} from '../../analytics/index.ts';
import type { ReadStore, RecordingRecord } from '../../db/index.ts';
import { sha256Hex } from '../../files/content-hash.ts';
import { openSignalFile, type PageSlice, readOverview, type SignalFile, valueOfCount } from '../../signals/index.ts';
import { type ReadableBy, readableFromMs } from '../../stored-analytics/readable-from.ts';
import { canonicalJson } from '../../study/changes.ts';
import { holesIn, type TimeSpan } from '../../study/coverage/spans.ts';
import type { Beat, OverviewChannel, RecordingBeats, RecordingOverview } from '../contract/index.ts';
import { MAX_BEATS_WINDOW_MS, type recordingViewRoutes } from '../contract/resources/recording-views.ts';
import type { ApiDeps } from '../deps.ts';
import { invalidField, notFound, signalFileFailure } from '../framework/errors.ts';
import { type Handlers, SENT, type Sent } from '../framework/mount.ts';
import { answeredUnchanged, forbidStoring } from '../framework/validators.ts';
import { gapsOf, markedReason } from './raw-data/gaps.ts';
import { signalPath } from './raw-data/page.ts';

/** Signal before and after a window of beats that the detector needs to settle. */
const BEATS_MARGIN_US = 30_000_000;
/** The rhythm rules of intervals look 200 beats around, five minutes of a slow heart. */
const INTERVALS_MARGIN_US = 300_000_000;
/** Where beats are taken from, the best first. */
const BEAT_TYPES = ['ECG', 'RR', 'PPI'];
const NO_CONTACT = -1;

async function overviewChannel(
  file: SignalFile,
  row: RecordingRecord,
  c: number,
  window: { fromUs: number; toUs: number },
  bins: number,
): Promise<OverviewChannel> {
  const channel = file.header.channels[c]!;
  const { type, dimensions, unit, nominalRateHz } = channel;
  const overview = await readOverview(file.path, c, window.fromUs, window.toUs, bins, row.sha256);
  const sampleCounts = Array.from(overview.sampleCounts);
  const values = (counts: Int32Array, dimension: number) => {
    const toPhysical = valueOfCount(channel, dimension);
    return sampleCounts.map((samples, bin) => (samples > 0 ? toPhysical(counts[bin]!) : null));
  };
  // With a negative scale the smallest count is the greatest value.
  const isInverted = (dimension: number) => (channel.scale[dimension] ?? 1) < 0;
  const extremes = (lower: boolean) =>
    Object.fromEntries(
      dimensions.map((name, d) => [name, values((lower !== isInverted(d) ? overview.minima : overview.maxima)[d]!, d)]),
    );
  const gaps = gapsOf(file, c, window.fromUs, window.toUs);
  const marks = gaps.length > 0 ? await file.marks() : [];
  return {
    type,
    dimensions,
    unit,
    nominalRateHz,
    startTs: Math.floor(overview.startUs / 1000),
    binMs: Math.round(overview.binUs / 1000),
    sampleCounts,
    minima: extremes(true),
    maxima: extremes(false),
    gaps: gaps.map(({ startMs, stopMs, lastUs }) => {
      const reason = markedReason(marks, c, lastUs, stopMs * 1000);
      return { startTs: startMs, stopTs: stopMs, ...(reason && { reason }) };
    }),
  };
}

/**
 * The channel by which a recording is readable: its ECG, or its intervals where it has nothing else, or else its first channel. A wristband
 * finds intervals only while the arm rests, long after its other signals began.
 */
function readableChannel({ header: { channels } }: SignalFile): { channel: number; by: ReadableBy } {
  const ecg = channels.findIndex(({ type }) => type === 'ECG');
  if (ecg >= 0) return { channel: ecg, by: 'ECG' };
  return { channel: 0, by: channels.every(({ type }) => BEAT_TYPES.includes(type)) ? 'INTERVALS' : 'WEAR' };
}

/** Where a channel has samples, from the index of the file alone; gaps of less than a second count as samples. */
function signalSpans(file: SignalFile, channel: number, row: RecordingRecord): TimeSpan[] {
  const first = file.pageIndex[channel]?.[0];
  if (!first) return [];
  const within = { startMs: Math.floor(first.firstUs / 1000), stopMs: Math.ceil(row.stopUs / 1000) };
  return holesIn(gapsOf(file, channel, row.startUs, row.stopUs), within);
}

/** Where the signal of a recording first becomes readable; nothing where that is not known. Never null without a channel of beats. */
async function readableFrom(
  store: ReadStore,
  file: SignalFile,
  row: RecordingRecord,
): Promise<Pick<RecordingOverview, 'readableFromTs'>> {
  const { channel, by } = readableChannel(file);
  const found = await readableFromMs(store, row.subjectId, by, signalSpans(file, channel, row));
  // What nobody wore can be read all the same.
  return found === undefined || (found === null && by === 'WEAR') ? {} : { readableFromTs: found };
}

function beatUse(kind: number): Beat['use'] {
  const value = kind & BEAT_KIND_MASK;
  if (value === BEAT_NORMAL) return 'USED';
  return value === BEAT_ECTOPIC ? 'EARLY_OR_ODD' : 'DOUBTFUL';
}

/** Returns the whole seconds after `startTs` that a segment of samples covers. */
function secondsOf({ startUs, periodUs, count }: PageSlice, startTs: number): number[] {
  const first = Math.floor((startUs - startTs * 1000) / 1e6);
  const last = Math.floor((startUs + (count - 1) * periodUs - startTs * 1000) / 1e6);
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

/** @param corrections that change its beats, in force, in their order */
async function beatsOf(
  file: SignalFile,
  fromMs: number,
  toMs: number,
  corrections: readonly Correction[],
  sha256: string,
): Promise<RecordingBeats> {
  const method = {
    algorithmVersion: ANALYTICS_VERSION,
    inputsHash: sha256Hex(canonicalJson([ANALYTICS_VERSION, sha256, corrections])),
  };
  const { channels } = file.header;
  const c = BEAT_TYPES.map((wanted) => channels.findIndex(({ type }) => type === wanted)).find((index) => index >= 0);
  const channel = channels[c ?? -1];
  if (c === undefined || !channel) return { ...method, beats: [] };
  const { type, scale, offset, nominalRateHz } = channel;
  const marginUs = isIntervalType(type) ? INTERVALS_MARGIN_US : BEATS_MARGIN_US;
  const startUs = fromMs * 1000 - marginUs;
  const stopUs = toMs * 1000 + 999 + marginUs;
  const chunks = await file.read(c, startUs, stopUs);
  const { location } = file.header.physicalConfig;
  const input = {
    type: isIntervalType(type) ? type : ('ECG' as const),
    location,
    scale,
    offset,
    nominalRateHz,
    chunks,
  };
  const parts = isIntervalType(type)
    ? extractIntervalFeatures(input, type, startUs, stopUs + 1)
    : extractEcgFeatures(input, startUs, stopUs + 1);
  const near = corrections.filter(({ startMs, stopMs }) => startMs * 1000 <= stopUs && stopMs * 1000 > startUs);
  const excluded = near.flatMap(({ kind, startMs, stopMs }) =>
    kind === 'EXCLUDE' && startMs <= toMs && stopMs > fromMs ? [{ startTs: startMs, stopTs: stopMs }] : [],
  );
  const beats: Beat[] = [];
  const gone: NonNullable<RecordingBeats['gone']> = [];
  const usedAs = (kind: number): Beat['use'] =>
    type === 'PPI' && beatUse(kind) === 'USED' ? 'EARLY_OR_ODD' : beatUse(kind);
  const unresolved: { startTs: number; stopTs: number }[] = [];
  const startTs = Math.floor(fromMs / 1000) * 1000;
  const values: (number | null)[] = Array.from({ length: Math.floor(toMs / 1000) - startTs / 1000 + 1 }, () => null);
  // Intervals say themselves which seconds they cover.
  const hasSamples = isIntervalType(type) ? undefined : new Set(chunks.flatMap((chunk) => secondsOf(chunk, startTs)));
  for (const { beats: detected, seconds } of parts) {
    const corrected = near.length > 0 ? correctBeats(detected, seconds, near) : undefined;
    const found = corrected?.beats ?? detected;
    for (const [i, timeUs] of found.timesUs.entries()) {
      const ms = Math.floor(timeUs / 1000);
      if (ms < fromMs || ms > toMs) continue;
      const kind = found.kinds[i]!;
      const intervalMs = found.intervalsMs?.[i];
      beats.push({
        timeUs: Math.round(timeUs),
        use: usedAs(kind),
        isAfterBreak: (kind & BEAT_AFTER_GAP) !== 0,
        ...(intervalMs !== undefined &&
          !Number.isNaN(intervalMs) && { intervalMs: Math.round(intervalMs * 1000) / 1000 }),
        ...changeOf(corrected?.changed.get(i), usedAs),
      });
    }
    for (const beat of corrected?.gone ?? []) {
      const ms = Math.floor(beat.timeUs / 1000);
      if (ms < fromMs || ms > toMs) continue;
      const correction = beat.fate === 'EXCLUDED' ? 'EXCLUDED' : 'DELETED';
      gone.push({ timeUs: Math.round(beat.timeUs), correction, ...originalOf(beat, usedAs) });
    }
    const { quality, contact, unresolved: hasNoBeats } = seconds.columns;
    for (let i = 0; i < seconds.count; i++) {
      const ms = 1000 * (seconds.startSecond + i);
      if (excluded.some(({ startTs: from, stopTs: to }) => ms + 1000 > from && ms < to)) continue;
      const row = seconds.startSecond + i - startTs / 1000;
      if (hasNoBeats![i] && row >= 0 && row < values.length) addSecond(unresolved, startTs + row * 1000);
      if (values[row] === undefined) continue;
      if (hasSamples ? hasSamples.has(row) : contact![i]) values[row] = contact![i] ? quality![i]! : NO_CONTACT;
    }
  }
  return {
    ...method,
    beats,
    ...(gone.length > 0 && { gone }),
    ...(excluded.length > 0 && { excluded }),
    quality: { startTs, values },
    ...(unresolved.length > 0 && { unresolved }),
  };
}

/** What a beat says of its correction. */
function changeOf(change: ChangedBeat | undefined, usedAs: (kind: number) => Beat['use']) {
  if (!change || change.fate === 'DELETED' || change.fate === 'EXCLUDED') return {};
  const { fate, code } = change;
  return { correction: fate, ...(code !== undefined && { code }), ...originalOf(change, usedAs) };
}

const originalOf = ({ originalUs, originalKind }: ChangedBeat, usedAs: (kind: number) => Beat['use']) => ({
  ...(originalUs !== undefined && { originalUs: Math.round(originalUs) }),
  ...(originalKind !== undefined && { originalUse: usedAs(originalKind) }),
});

/** Adds a second to ascending spans of whole seconds. */
function addSecond(spans: { startTs: number; stopTs: number }[], startTs: number): void {
  const last = spans.at(-1);
  if (last?.stopTs === startTs) last.stopTs += 1000;
  else spans.push({ startTs, stopTs: startTs + 1000 });
}

/** True when opening or reading the file revealed damage. */
function isDamaged(file: SignalFile): boolean {
  const isLost = (c: number) => file.damagedPages(c, -Infinity, Infinity).length > 0;
  return file.problemsAtOpening > 0 || file.header.channels.some((_, c) => isLost(c));
}

interface ViewCall {
  params: { studyId: string; recordingId: string };
  request: Request;
  response: Response;
}

export function recordingViewHandlers({ store, signalsDir, version }: ApiDeps): Handlers<typeof recordingViewRoutes> {
  /** Reads the file of a recording; SENT when the client has the view already. */
  async function withFile<T>(
    { params, request, response }: ViewCall,
    read: (file: SignalFile, row: RecordingRecord) => Promise<T>,
    stateOf: (row: RecordingRecord) => Promise<string> = async () => '',
  ): Promise<T | Sent> {
    const { studyId, recordingId } = params;
    const row = await store.recordings.get(recordingId);
    if (row?.studyId !== studyId) throw notFound('recording');
    const { sha256, startUs, stopUs, fileState } = row;
    const facts = [version, sha256, startUs, stopUs, fileState];
    const state = await stateOf(row);
    if (answeredUnchanged(request, response, state === '' ? facts : [...facts, state])) return SENT;
    const failed = (thrown: unknown) => signalFileFailure(thrown, recordingId);
    const file = await openSignalFile(signalPath(signalsDir, recordingId)).catch((thrown: unknown) => {
      throw failed(thrown);
    });
    try {
      const view = await read(file, row);
      // A damaged file may be restored, and then the same facts have another view.
      if (isDamaged(file)) forbidStoring(response);
      return view;
    } finally {
      await file.close();
    }
  }

  /** What the first readable signal was found from, beside the recording. */
  async function resultsBehind({ subjectId, startUs, stopUs }: RecordingRecord): Promise<string> {
    const span = { fromTs: Math.floor(startUs / 1000), toTs: Math.ceil(stopUs / 1000) };
    const windows = await store.analytics.windows(subjectId, span);
    return JSON.stringify(windows.map(({ date, inputsHash, computedTs }) => [date, inputsHash, computedTs]));
  }

  return {
    getRecordingOverview: ({ query, ...call }) => {
      const { from, to, bins, readable } = query;
      if (from !== undefined && to !== undefined && from > to) throw invalidField('from', 'must not be after `to`');
      const read = async (file: SignalFile, row: RecordingRecord) => {
        // Clips the window to the recording, so that an endless window costs no more than the recording.
        const fromUs = Math.min(Math.max(row.startUs, (from ?? -Infinity) * 1000), row.stopUs);
        const toUs = Math.max(fromUs, Math.min(row.stopUs, (to ?? Infinity) * 1000 + 999));
        const window = { fromUs, toUs };
        const channels = await Promise.all(
          file.header.channels.map((_, c) => overviewChannel(file, row, c, window, bins)),
        );
        const first = readable ? await readableFrom(store, file, row) : {};
        return { startTs: Math.floor(fromUs / 1000), stopTs: Math.floor(toUs / 1000), ...first, channels };
      };
      return readable ? withFile(call, read, resultsBehind) : withFile(call, read);
    },
    getRecordingBeats: ({ query: { from, to, detected }, ...call }) => {
      if (from > to) throw invalidField('from', 'must not be after `to`');
      if (to - from > MAX_BEATS_WINDOW_MS) throw invalidField('to', 'must be at most 10 minutes after `from`');
      if (detected) return withFile(call, (file, row) => beatsOf(file, from, to, [], row.sha256));
      return withFile(
        call,
        async (file, row) =>
          beatsOf(file, from, to, beatEdits(await store.corrections.ofBeats(row), row.id), row.sha256),
        (row) => store.corrections.stateOf(row),
      );
    },
  };
}
