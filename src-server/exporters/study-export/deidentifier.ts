/**
 * Codes and shifts of de-identified exports. All of them are derived from one key that never leaves the site, so exports
 * made at different times agree, and nobody without the key can go back.
 *
 * Time: every instant of a subject moves by the same number of whole weeks, 20 to 30 years into the past, and onto one
 * clock without changes (see `subject-frame.ts`). Whole weeks keep the day of the week, one shift per subject keeps every
 * interval. Shifted dates lie so far back that they cannot be taken for real ones.
 *
 * Ids: they are UUIDv7 and hold the instant of their making, so all of them are replaced, those of the study as well.
 */

import { createHmac } from 'node:crypto';
import { WEEK_MS } from '../../durations.ts';

/** 20 years. */
const LEAST_WEEKS = 1043;
/** 10 years more. */
const SPREAD_WEEKS = 522;
const CODE_CHARACTERS = 12;
const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';

/** Letter before a code, by what it stands for. */
const PREFIXES = {
  subject: 'S',
  study: 'Y',
  recording: 'R',
  annotation: 'A',
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

  /** The code of an id or text, always the same one: `S-7KQ2MW4XPD9R`. */
  code(kind: CodedKind, value: string): string {
    const digest = this.#digest(kind, value);
    let code = '';
    for (let i = 0; i < CODE_CHARACTERS; i++) code += ALPHABET[digest[i]! & 31];
    return `${PREFIXES[kind]}-${code}`;
  }

  /** Milliseconds between the days of a subject and those of the export: negative, whole weeks. */
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
