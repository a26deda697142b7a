/** Gaps inside stored recordings and their ECG, from the indexes of their files. They never change, so each file is read once. */
import { openSignalFile } from '../../../signals/index.ts';
import { type PathItem, spanOf } from '../../../study/coverage/days.ts';
import { isStored } from '../../../study/coverage/facts.ts';
import { clip, holesIn, type TimeSpan, union } from '../../../study/coverage/spans.ts';
import { holdsIntervals } from '../../../vocabulary/channels.ts';
import { gapsOf } from '../raw-data/gaps.ts';
import { signalPath } from '../raw-data/page.ts';

const MAX_KNOWN = 20_000;

interface KnownFile {
  /** Times in which no channel has samples. */
  breaks: TimeSpan[];
  /** Times in which an ECG channel has samples; absent without one. */
  ecg?: TimeSpan[];
}

export class RecordingBreaks {
  readonly #signalsDir: string;
  /** Oldest first. */
  readonly #known = new Map<string, KnownFile>();

  constructor(signalsDir: string) {
    this.#signalsDir = signalsDir;
  }

  /** Returns the items with the gaps and ECG times of those that are stored and overlap the span. */
  async addTo<T extends PathItem>(items: readonly T[], span: TimeSpan): Promise<T[]> {
    const found: T[] = [];
    for (const item of items) {
      const known = isStored(item) && clip(spanOf(item), span) ? await this.#of(item) : undefined;
      const { breaks = [], ecg } = known ?? {};
      found.push({ ...item, ...(breaks.length > 0 && { breaks }), ...(ecg && { ecg }) });
    }
    return found;
  }

  async #of(item: PathItem): Promise<KnownFile | undefined> {
    const key = `${item.recordingId} ${item.sizeBytes}`;
    const known = this.#known.get(key);
    if (known) return known;
    const found = await this.#read(item).catch(() => undefined);
    // Verification reports unreadable files; until then the recording counts as complete.
    if (!found) return undefined;
    this.#known.set(key, found);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest);
    return found;
  }

  async #read(item: PathItem): Promise<KnownFile> {
    const file = await openSignalFile(signalPath(this.#signalsDir, item.recordingId));
    try {
      const whole = spanOf(item);
      const held = (channel: number): TimeSpan[] => {
        const pages = file.pageIndex[channel] ?? [];
        const [first, last] = [pages[0], pages.at(-1)];
        if (!first || !last) return [];
        const isBeats = holdsIntervals(file.header.channels[channel]!);
        const breaks = gapsOf(file, channel, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY);
        return holesIn(breaks, {
          startMs: Math.floor((first.firstUs - (isBeats ? first.periodUs : 0)) / 1000),
          stopMs: Math.floor((last.lastUs + (isBeats ? 0 : last.periodUs)) / 1000),
        });
      };
      const { channels } = file.header;
      const ecg = channels.flatMap(({ type }, channel) => (type === 'ECG' ? held(channel) : []));
      const hasEcg = channels.some(({ type }) => type === 'ECG');
      const all = channels.flatMap((_, channel) => held(channel));
      return { breaks: holesIn(all, whole), ...(hasEcg && { ecg: union(ecg, whole) }) };
    } finally {
      await file.close();
    }
  }
}
