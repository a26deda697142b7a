/** Rows of the signal table, and the same rows of all lanes as a CSV file. */

import { holdsIntervals } from '../../../../src-server/vocabulary/channels.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import type { ViewerModel } from '../data/model.ts';
import { shownFactor } from '../data/samples.ts';
import { type GapRow, type SignalRow, signalCsv, signalRows } from '../data/table.ts';
import type { SignalLane } from '../drawing/lanes.ts';
import type { GapWords } from '../use-gap-words.ts';
import type { Extent } from '../view.ts';

/** Rows of a lane from its samples, or from its envelope where the window is too long for samples. */
export function laneRows(model: ViewerModel, lane: SignalLane, window: Extent): SignalRow[] {
  const { sensor, channel } = lane;
  const isRaw = model.isRaw();
  const envelopes = isRaw
    ? []
    : sensor.envelope(window).flatMap((chunk) => chunk.find(({ type }) => type === channel.type) ?? []);
  return signalRows(
    {
      dimensions: channel.dimensions.length,
      runs: isRaw ? model.runs(sensor, channel.type, window) : undefined,
      envelopes,
      factor: shownFactor(channel.type),
      gaps: channel.gaps,
      lost: isRaw ? model.lostSpans(sensor, channel, window) : [],
      beats: isRaw && channel.type === 'ECG' ? sensor.beats(window).beats : undefined,
    },
    window,
  );
}

/** Describes a gap of a lane: its length and cause, or that its samples are missing in the file. */
export function useGapReason(gapWords: GapWords): (lane: SignalLane, gap: GapRow) => string {
  const { t, format } = useWords();
  return (lane, { startMs, stopMs, isLost }) => {
    if (isLost) return gapWords.lost(startMs, stopMs)[0] ?? '';
    const length = t('viewer.gap', { length: format.duration((stopMs - startMs) / 1000) });
    return `${length}. ${gapWords.sentence(lane.sensor, startMs, stopMs)}`.trim();
  };
}

export function lanesCsv(
  model: ViewerModel,
  lanes: readonly SignalLane[],
  window: Extent,
  reasonOf: (lane: SignalLane, gap: GapRow) => string,
): string {
  return signalCsv(
    lanes.map((lane) => ({
      name: lane.name,
      sensor: lane.sensor.udid,
      unit: unitOf(lane),
      dimensions: lane.channel.dimensions,
      rows: laneRows(model, lane, window),
      reasonOf: (gap) => reasonOf(lane, gap),
    })),
  );
}

export const unitOf = ({ isElectric, channel }: SignalLane): string => {
  if (isElectric) return 'mV';
  return holdsIntervals(channel) ? 'ms' : channel.unit;
};
