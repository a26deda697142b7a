/**
 * Judges the times of pages by those around them. A page has no checksum, but it states its place twice: as a time and as a number. A time
 * that both neighbours contradict is damage; one that the next page confirms is a clock that was set or stood still.
 */

/** What a page says of its place. */
export interface PagePlace {
  serial: string;
  sequence: number;
  /** Device's clock as if it were UTC. */
  timeUs: number;
}

/** Of the distance that the numbers of two pages give: the real rate is this far off the nominal one at most. */
const MOST_RATE_ERROR = 0.05;

export class PageOrder<T extends PagePlace> {
  readonly #pageUs: number;
  #last: PagePlace | null = null;
  /** Pages that nothing confirms yet: one, or two while there is none before them. */
  #held: T[] = [];
  /** Pages that were left out. */
  strayed = 0;

  /** @param pageUs usual distance of two pages */
  constructor(pageUs: number) {
    this.#pageUs = pageUs;
  }

  /** Takes a page, and returns those whose time is certain. */
  push(page: T): T[] {
    const last = this.#last;
    if (last && this.#agree(last, page)) {
      this.strayed += this.#held.length;
      return this.#accept([page]);
    }
    const confirmed = this.#held.find((held) => this.#agree(held, page));
    if (confirmed) {
      this.strayed += this.#held.length - 1;
      return this.#accept([confirmed, page]);
    }
    if (this.#held.length === (last ? 1 : 2)) {
      this.#held.shift();
      this.strayed++;
    }
    this.#held.push(page);
    return [];
  }

  /** At the end of the file. A lone page has nothing to contradict it. */
  end(): T[] {
    const held = this.#held;
    if (!this.#last && held.length > 0) {
      this.strayed += held.length - 1;
      return this.#accept([held[0]!]);
    }
    this.strayed += held.length;
    this.#held = [];
    return [];
  }

  #accept(pages: T[]): T[] {
    this.#held = [];
    const { serial, sequence, timeUs } = pages.at(-1)!;
    this.#last = { serial, sequence, timeUs };
    return pages;
  }

  #agree(a: PagePlace, b: PagePlace): boolean {
    const stepUs = b.timeUs - a.timeUs;
    // The number may be what is damaged.
    if (Math.abs(stepUs - this.#pageUs) < this.#pageUs / 2) return true;
    const byNumberUs = (b.sequence - a.sequence) * this.#pageUs;
    return Math.abs(stepUs - byNumberUs) <= Math.max(this.#pageUs / 2, MOST_RATE_ERROR * Math.abs(byNumberUs));
  }
}

/** The usual distance of pages, by the first of them; undefined where they give none. */
export function usualPageUs(pages: readonly PagePlace[]): number | undefined {
  const steps = pages.slice(1).flatMap((page, i) => {
    const stepUs = (page.timeUs - pages[i]!.timeUs) / (page.sequence - pages[i]!.sequence);
    return Number.isFinite(stepUs) && stepUs > 0 ? [stepUs] : [];
  });
  steps.sort((a, b) => a - b);
  return steps[steps.length >> 1];
}

/** The serial number that most of the first pages name; undefined where none names one twice. */
export function usualSerial(pages: readonly PagePlace[]): string | undefined {
  const counts = new Map<string, number>();
  for (const { serial } of pages) if (serial !== '') counts.set(serial, (counts.get(serial) ?? 0) + 1);
  const [best] = [...counts].sort(([, a], [, b]) => b - a);
  return best && best[1] > 1 ? best[0] : undefined;
}
