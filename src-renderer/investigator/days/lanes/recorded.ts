/** The time in which recordings have samples: a recording can contain gaps. Pure. */
import type { Recording } from '../../../../src-server/api/contract/index.ts';
import type { DeskSubject } from '../../../shared/api/queries.ts';
import { type Band, holes, unionSpans } from '../../../shared/charts/bands.ts';
import type { Span, Wear } from './day-data.ts';

/** The gaps inside one recording, by channel. */
export interface Breaks {
  recordingId: string;
  channels: Span[][];
}

type Bounds = Pick<Recording, 'id' | 'recordingStartTs' | 'recordingStopTs'>;

/** Returns the spans of a window in which the subject was recorded, as far as is known without the recordings. */
export function recordedIn({ recorded }: Pick<DeskSubject, 'recorded'>, { startMs, stopMs }: Span): Span[] {
  return recorded
    .filter(({ startTs, stopTs }) => startTs < stopMs && stopTs > startMs)
    .map(({ startTs, stopTs }) => ({ startMs: startTs, stopMs: stopTs }));
}

/** Returns the spans in which at least one channel has samples; the whole recording where its gaps are not known. */
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

/** Returns the recordings that overlap time in which the sensor was apparently not worn. */
export function withUnwornTime<T extends Bounds>(recordings: readonly T[], wear: readonly Band<Wear>[]): T[] {
  const unworn = wear.filter(({ value }) => value !== 'worn');
  return recordings.filter(({ recordingStartTs, recordingStopTs }) =>
    unworn.some(({ startMs, stopMs }) => startMs < recordingStopTs && stopMs > recordingStartTs),
  );
}
