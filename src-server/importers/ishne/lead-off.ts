/** Where leads of a Holter were off: samples of -32768. Leads that were off at the same times share a channel. */
import { createHash } from 'node:crypto';

export const LEAD_OFF = -32_768;

export class LeadOffSurvey {
  readonly #hashes: ReturnType<typeof createHash>[];
  readonly #isOff: boolean[];
  readonly #changes: number[];
  #sample = 0;

  constructor(leads: number) {
    this.#hashes = Array.from({ length: leads }, () => createHash('sha256'));
    this.#isOff = new Array<boolean>(leads).fill(false);
    this.#changes = new Array<number>(leads).fill(0);
  }

  /** @param samples interleaved, whole frames */
  take(samples: Int16Array): void {
    const leads = this.#isOff.length;
    for (let i = 0; i < samples.length; i++) {
      const lead = i % leads;
      const isOff = samples[i] === LEAD_OFF;
      if (isOff === this.#isOff[lead]) continue;
      this.#isOff[lead] = isOff;
      this.#changes[lead]!++;
      this.#hashes[lead]!.update(`${this.#sample + Math.floor(i / leads)} `);
    }
    this.#sample += samples.length / leads;
  }

  /** Leads that were off at the same times, in the order of the file. */
  groups(): number[][] {
    const keys = this.#hashes.map((hash, lead) => `${this.#changes[lead]} ${hash.digest('hex')}`);
    const groups = new Map<string, number[]>();
    keys.forEach((key, lead) => {
      groups.set(key, [...(groups.get(key) ?? []), lead]);
    });
    return [...groups.values()];
  }
}

/** Runs of a column in which the lead was on, as [from, to). */
export function* runsOn(column: Int16Array): Generator<[from: number, to: number]> {
  let from = 0;
  for (let i = 0; i <= column.length; i++) {
    if (i < column.length && column[i] !== LEAD_OFF) continue;
    if (i > from) yield [from, i];
    from = i + 1;
  }
}
