/** Marks the gaps between pages of one channel: text files show a gap by their times alone. */
import type { SignalMark, SignalPage } from '../../signals/types.ts';

/** A file full of gaps has no use for a mark at each. */
const MAX_MARKS = 100_000;
/** As of `TimedPageBuilder`: shorter distances are jitter. */
const GAP_PERIODS = 1.5;

export class GapMarks {
  readonly #marks: SignalMark[];
  readonly #reasonAt: (stopUs: number) => string;
  #stopUs: number | null = null;
  #periodUs = 0;

  /**
   * @param marks receives a mark at the last sample before each gap
   * @param reasonAt why samples are missing after a time
   */
  constructor(marks: SignalMark[], reasonAt: (stopUs: number) => string) {
    this.#marks = marks;
    this.#reasonAt = reasonAt;
  }

  see(page: SignalPage): void {
    const { channel, startUs, periodUs, count } = page;
    if (this.#stopUs !== null) {
      const period = this.#periodUs > 0 ? Math.min(this.#periodUs, periodUs || this.#periodUs) : periodUs;
      if (startUs - this.#stopUs > GAP_PERIODS * period) {
        if (this.#marks.length < MAX_MARKS) {
          this.#marks.push({ channel, timeUs: this.#stopUs, reason: this.#reasonAt(this.#stopUs) });
        }
      }
    }
    this.#stopUs = Math.round(startUs + (count - 1) * periodUs) + (page.timeResidualsUs?.[count - 1] ?? 0);
    if (count > 1) this.#periodUs = periodUs;
  }
}
