/** Breaks inside stored recordings, from the indexes of their files. They never change, so each file is asked once. */
import { openSignalFile } from '../../../signals/index.ts';
import { type PathItem, spanOf } from '../../../study/coverage/days.ts';
import { isStored } from '../../../study/coverage/facts.ts';
import { clip, holesIn, type TimeSpan } from '../../../study/coverage/spans.ts';
import { gapsOf } from '../raw-data/gaps.ts';
import { signalPath } from '../raw-data/page.ts';

const MAX_KNOWN = 20_000;

export class RecordingBreaks {
  readonly #signalsDir: string;
  /** Oldest first. */
  readonly #known = new Map<string, TimeSpan[]>();

  constructor(signalsDir: string) {
    this.#signalsDir = signalsDir;
  }

  /** The same items; those that share time with the span and are stored with their breaks. */
  async addTo<T extends PathItem>(items: readonly T[], span: TimeSpan): Promise<T[]> {
    const found: T[] = [];
    for (const item of items) {
      const breaks = isStored(item) && clip(spanOf(item), span) ? await this.#of(item) : [];
      found.push(breaks.length > 0 ? { ...item, breaks } : item);
    }
    return found;
  }

  async #of(item: PathItem): Promise<TimeSpan[]> {
    const key = `${item.recordingId} ${item.sizeBytes}`;
    const known = this.#known.get(key);
    if (known) return known;
    const breaks = await this.#read(item).catch(() => undefined);
    // A file that cannot be read is told of by the checks of the site; its recording counts as whole until then.
    if (!breaks) return [];
    this.#known.set(key, breaks);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest);
    return breaks;
  }

  /** Times in which no channel has samples. */
  async #read(item: PathItem): Promise<TimeSpan[]> {
    const file = await openSignalFile(signalPath(this.#signalsDir, item.recordingId));
    try {
      const whole = spanOf(item);
      const held = file.header.channels.flatMap((_, channel) => {
        const pages = file.pageIndex[channel] ?? [];
        const [first, last] = [pages[0], pages.at(-1)];
        if (!first || !last) return [];
        const breaks = gapsOf(file, channel, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY);
        return holesIn(breaks, {
          startMs: Math.floor(first.firstUs / 1000),
          stopMs: Math.floor((last.lastUs + last.periodUs) / 1000),
        });
      });
      return holesIn(held, whole);
    } finally {
      await file.close();
    }
  }
}
