import type { SecondsSpan } from './day-plan.ts';

/** Looks up ascending times in ascending, disjoint spans. */
export class SpanCursor {
  readonly #spans: readonly SecondsSpan[];
  #next = 0;

  constructor(spans: readonly SecondsSpan[]) {
    this.#spans = spans;
  }

  /** The span that holds a time, which must not be earlier than that of the call before; undefined for none. */
  at(second: number): SecondsSpan | undefined {
    while (this.#next < this.#spans.length && this.#spans[this.#next]!.stop <= second) this.#next++;
    const span = this.#spans[this.#next];
    return span !== undefined && span.start <= second ? span : undefined;
  }
}
