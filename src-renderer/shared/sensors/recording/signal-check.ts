/** The last seconds of the first channel, to check the fit of a strap. Not for monitoring: nothing is computed from them. */
const SECONDS = 4;

export class SignalCheck {
  #values: number[] = [];

  add(counts: readonly number[], scale: number, rateHz: number): void {
    for (const count of counts) this.#values.push(count * scale);
    const keep = Math.ceil(SECONDS * rateHz);
    if (this.#values.length > keep) this.#values = this.#values.slice(-keep);
  }

  /** What follows a gap is never joined to what was before it. */
  clear(): void {
    this.#values = [];
  }

  /** Physical values, oldest first; none for devices that report intervals only. */
  get values(): readonly number[] {
    return this.#values;
  }
}
