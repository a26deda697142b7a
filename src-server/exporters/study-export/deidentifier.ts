/**
 * What stands in a de-identified export for what would name a subject, a person, a device or a date. Everything is derived
 * from one key that never leaves the site, so exports made at different times agree, and nobody without the key can go back.
 *
 * Time: every instant of a subject moves by the same number of whole weeks, 20 to 30 years into the past. Whole weeks keep
 * the time of day and the day of the week; one shift per subject keeps every interval, and with it the 23 h and 25 h days
 * of clock changes. Shifted dates lie so far back that they cannot be taken for real ones.
 *
 * Zone: an IANA name can be a town and its rules of daylight saving would be wrong at the shifted date. So exports give the
 * UTC offset that was in force at the instant itself; instant plus offset is the subject's local time.
 *
 * Ids: they are UUIDv7 and hold the instant of their making, so all of them are replaced, those of the study as well.
 */
import { createHmac } from 'node:crypto';
import type { StudyDetailRecord, SubjectRecord } from '../../db/index.ts';
import { addDays } from '../../study/day-windows.ts';

const WEEK_MS = 7 * 86_400_000;
/** 20 years. */
const LEAST_WEEKS = 1043;
/** 10 years more. */
const SPREAD_WEEKS = 522;
const CODE_CHARACTERS = 12;
const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
/** Ages above are so rare that they name people; they become the next year. */
const OLDEST_AGE = 89;

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
    for (let i = 0; i < CODE_CHARACTERS; i++) code += ALPHABET[digest[i] & 31];
    return `${PREFIXES[kind]}-${code}`;
  }

  /** Code of a value that may be absent. */
  codeIfAny(kind: CodedKind, value: string | undefined): string | undefined {
    return value === undefined ? undefined : this.code(kind, value);
  }

  /** Milliseconds to add to every instant of the subject: negative, whole weeks. */
  shiftMs(subjectId: string): number {
    let shift = this.#shifts.get(subjectId);
    if (shift === undefined) {
      shift = -(LEAST_WEEKS + (this.#digest('shift', subjectId).readUInt32BE(0) % SPREAD_WEEKS)) * WEEK_MS;
      this.#shifts.set(subjectId, shift);
    }
    return shift;
  }

  /** An instant of the subject, epoch ms, shifted. */
  instant(subjectId: string, ts: number): number {
    return ts + this.shiftMs(subjectId);
  }

  /** A local date of the subject, YYYY-MM-DD, shifted. */
  date(subjectId: string, date: string): string {
    return addDays(date, this.shiftMs(subjectId) / 86_400_000);
  }

  /** Age in years; 90 stands for every higher one. */
  age(age: number | undefined): number | undefined {
    return age === undefined ? undefined : Math.min(age, OLDEST_AGE + 1);
  }

  /** The subject's values of the study's own fields that are no free text. */
  metadata(study: Pick<StudyDetailRecord, 'metadataFields'>, subject: SubjectRecord): SubjectRecord['metadataFields'] {
    const kept = new Set(
      study.metadataFields.filter(({ type }) => type !== 'FREETEXT').map(({ displayName }) => displayName),
    );
    return subject.metadataFields.filter(({ displayName }) => kept.has(displayName));
  }

  #digest(purpose: string, value: string): Buffer {
    return createHmac('sha256', this.#key).update(`${purpose}\n${value}`).digest();
  }
}
