/**
 * Stage 1 of a whole recording, wherever its pages come from: which channels analytics reads, and in which passes over them. A site
 * and `outpost analyze` both read by it, so that the same samples give the same numbers.
 */
import type { ArrayStore } from './array-store.ts';
import { calibrationDetails } from './epochs/autocalibration.ts';
import type { CalibrationDetails } from './epochs/types.ts';
import { type ReadableChannel, signalSources } from './signal-sources.ts';
import { StoredRecording } from './stored-features.ts';
import type { SignalChunk, SignalSource } from './types.ts';

/** A page and its channel, by its place among those of the recording. */
export type ChannelChunk = SignalChunk & { channel: number };

/** One pass over the pages of some channels, from the first page on. */
export interface Pass {
  /** A `SURVEY` calibrates sensors; the features come from the pass after it, the last one. */
  kind: 'SURVEY' | 'FEATURES';
  /** Takes the next page in time order. Pages of channels that this pass does not read are ignored. */
  take(page: ChannelChunk): void;
  /** Whether no further page would change the result of this pass. */
  readonly isEnough: boolean;
}

export class RecordingPasses {
  /** Complete once all passes are through and it was finished. */
  readonly features: StoredRecording;
  /** The channels that analytics reads, in the order of the results. */
  readonly channels: readonly number[];
  readonly sources: readonly SignalSource[];

  constructor(recordingId: string, location: string, channels: readonly ReadableChannel[], store: ArrayStore) {
    const read = signalSources(channels, location);
    this.channels = read.map(({ channel }) => channel);
    this.sources = read.map(({ source }) => source);
    this.features = new StoredRecording(recordingId, location, this.sources, store);
  }

  /** Whether any channel is read twice. */
  get needsSurvey(): boolean {
    return this.channels.some((_channel, source) => this.features.needsSurvey(source));
  }

  /**
   * The passes to make, one after another: each ends when the next one is requested, so every page must have been taken by then.
   * @param of channels to read in these passes; the buffers of each are free after its last pass
   */
  *over(of: readonly number[] = this.channels): Generator<Pass> {
    const { features } = this;
    const sources = of.map((channel) => this.channels.indexOf(channel));
    const surveyed = sources.filter((source) => features.needsSurvey(source));
    if (surveyed.length > 0) {
      yield {
        kind: 'SURVEY',
        take: (page) => {
          const source = this.channels.indexOf(page.channel);
          if (surveyed.includes(source) && features.needsSurvey(source)) features.survey(source, page);
        },
        get isEnough() {
          return !surveyed.some((source) => features.needsSurvey(source));
        },
      };
      for (const source of surveyed) features.endSurvey(source);
    }
    yield {
      kind: 'FEATURES',
      take: (page) => {
        const source = this.channels.indexOf(page.channel);
        if (sources.includes(source)) features.add(source, page);
      },
      isEnough: false,
    };
    for (const source of sources) features.finishSource(source);
  }

  /** How a channel was calibrated; undefined for one that never is. Its passes must be through. */
  calibrationOf(channel: number): CalibrationDetails | undefined {
    const source = this.channels.indexOf(channel);
    const calibration = source < 0 ? undefined : this.features.calibrationOf(source);
    return calibration && calibrationDetails(calibration);
  }
}
