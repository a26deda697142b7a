/** Reads the samples of a strip: all of them, or none. */
import type { RawDataPage } from '../../../src-server/api/contract/index.ts';
import { SECOND_MS } from '../../../src-server/durations.ts';
import { client } from '../../shared/api/client.ts';
import { applyFilter, type DisplayFilter } from '../viewer/data/filter.ts';
import { type ChannelSamples, joinRuns, type Segment, segmentOf } from '../viewer/data/samples.ts';
import type { Extent } from '../viewer/view.ts';

/** Samples read on each side of the strip, so that a filter has settled where the strip begins. */
const MARGIN_MS = 10 * SECOND_MS;
const CHUNK_MS = 30 * SECOND_MS;

export interface StripSource {
  studyId: string;
  subjectId: string;
  udid: string;
  type: string;
  nominalRateHz: number;
}

/**
 * Returns the unfiltered runs of a channel over a strip and its margins, in mV.
 * @throws ApiError when a part of it cannot be read
 */
export async function readStrip(source: StripSource, strip: Extent, signal: AbortSignal): Promise<ChannelSamples[]> {
  const segments: Segment[] = [];
  const stopMs = strip.stopMs + MARGIN_MS;
  for (let ms = strip.startMs - MARGIN_MS; ms < stopMs; ms += CHUNK_MS)
    segments.push(...(await readSegments(source, ms, Math.min(ms + CHUNK_MS, stopMs) - 1, signal)));
  const runs = segments.flatMap((segment) =>
    segment.filter(({ type }) => type === source.type).flatMap((channel) => channel.runs),
  );
  return joinRuns(runs.filter(({ timesMs }) => timesMs.length > 0).sort((a, b) => a.timesMs[0]! - b.timesMs[0]!));
}

/** Reads a span in halves where its rows fill more than a page of the interface. */
async function readSegments(
  source: StripSource,
  from: number,
  to: number,
  signal: AbortSignal,
): Promise<readonly Segment[]> {
  const { studyId, subjectId, udid } = source;
  const query = { from, to, deviceId: udid, tsMicros: true };
  const page: RawDataPage = await client.call('getRawData', { params: { studyId, subjectId }, query, signal });
  if (!page.links?.length || to - from < SECOND_MS) return [segmentOf(page, () => source.nominalRateHz)];
  const middle = Math.floor((from + to) / 2);
  return [
    ...(await readSegments(source, from, middle, signal)),
    ...(await readSegments(source, middle + 1, to, signal)),
  ];
}

export function filtered(runs: readonly ChannelSamples[], filter: DisplayFilter): readonly ChannelSamples[] {
  if (filter === 'off') return runs;
  return runs.map((run) => ({
    ...run,
    values: run.values.map((values) => applyFilter(values, filter, 1000 / run.periodMs)),
  }));
}
