/** When a subject's recordings really hold samples: a recording can break off inside and go on. Pure. */
import type { Recording } from '../../../../src-server/api/contract/index.ts';
import { type Band, holes, unionSpans } from '../../../shared/charts/bands.ts';
import type { Span, Wear } from './day-data.ts';

/** The breaks inside one recording, for each of its channels. */
export interface Breaks {
  recordingId: string;
  channels: Span[][];
}

type Bounds = Pick<Recording, 'id' | 'recordingStartTs' | 'recordingStopTs'>;

/** Stretches in which at least one channel of a recording has samples, where its breaks are known; else its whole length. */
export function recordedSpans(recordings: readonly Bounds[], breaks: readonly Breaks[]): Span[] {
  const known = new Map(breaks.map(({ recordingId, channels }) => [recordingId, channels]));
  return recordings.flatMap(({ id, recordingStartTs: startMs, recordingStopTs: stopMs }) => {
    const channels = known.get(id);
    if (!channels) return [{ startMs, stopMs }];
    return unionSpans(
      channels.flatMap((gaps) => holes(gaps, startMs, stopMs)),
      startMs,
      stopMs,
    );
  });
}

/** Recordings that run while nothing seems to be worn. */
export function withUnwornTime<T extends Bounds>(recordings: readonly T[], wear: readonly Band<Wear>[]): T[] {
  const unworn = wear.filter(({ value }) => value !== 'worn');
  return recordings.filter(({ recordingStartTs, recordingStopTs }) =>
    unworn.some(({ startMs, stopMs }) => startMs < recordingStopTs && stopMs > recordingStartTs),
  );
}
