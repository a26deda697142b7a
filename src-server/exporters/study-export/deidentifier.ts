/**
 * Codes and date shifts of de-identified exports (pseudonymisation). All are derived from a key that never leaves the site, so
 * exports made at different times agree, and nobody can reverse them without the key.
 *
 * Time: all instants of a subject are shifted by the same number of whole weeks, 20 to 30 years into the past, and converted to
 * a clock without DST changes (see `subject-frame.ts`). Whole weeks preserve the day of the week, one shift per subject
 * preserves intervals. Shifted dates are so old that they cannot be mistaken for real ones.
 *
 * Ids: UUIDv7 contains its creation time, so all ids are replaced, including those of the study.
 */

import { createHmac } from 'node:crypto';
import { WEEK_MS } from '../../durations.ts';

/** 20 years. */
const LEAST_WEEKS = 1043;
/** 10 years more. */
const SPREAD_WEEKS = 522;
const CODE_CHARACTERS = 12;
const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';

/** First letter of a code, by the kind of record. */
const PREFIXES = {
  subject: 'S',
  study: 'Y',
  recording: 'R',
  annotation: 'A',
  correction: 'K',
  note: 'N',
  query: 'D',
  step: 'H',
  equipment: 'E',
  person: 'P',
  task: 'T',
  question: 'Q',
  deviceConfig: 'C',
  export: 'X',
  text: 'L',
} as const;
export type CodedKind = keyof typeof PREFIXES;

export class Deidentifier {
  readonly #key: Uint8Array;
  readonly #shifts = new Map<string, number>();

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  /** Returns the code of an id or text, always the same: `S-7KQ2MW4XPD9R`. */
  code(kind: CodedKind, value: string): string {
    const digest = this.#digest(kind, value);
    let code = '';
    for (let i = 0; i < CODE_CHARACTERS; i++) code += ALPHABET[digest[i]! & 31];
    return `${PREFIXES[kind]}-${code}`;
  }

  /** Returns the shift of a subject's times, ms: negative, whole weeks. */
  shiftMs(subjectId: string): number {
    let shift = this.#shifts.get(subjectId);
    if (shift === undefined) {
      shift = -(LEAST_WEEKS + (this.#digest('shift', subjectId).readUInt32BE(0) % SPREAD_WEEKS)) * WEEK_MS;
      this.#shifts.set(subjectId, shift);
    }
    return shift;
  }

  #digest(purpose: string, value: string): Buffer {
    return createHmac('sha256', this.#key).update(`${purpose}\n${value}`).digest();
  }
}
