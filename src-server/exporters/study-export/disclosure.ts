/**
 * Disclosure classes of de-identified exports. Every column, metadata value and field of a JSON document is declared with one of
 * these classes; {@link Disclosing.show} is the only place that applies them. A value that does not fit its class is
 * dropped, and so is an undeclared field.
 */
import { DAY_MS } from '../../durations.ts';
import type { DisclosedWords } from '../../study/export-formats.ts';
import type { CodedKind, Deidentifier } from './deidentifier.ts';
import type { SubjectFrame } from './subject-frame.ts';

/** Replacement of text that is not a known code; a function receives the index of an item in its list, from 0. */
type Otherwise = string | undefined | ((index: number) => string);

export type Disclosure =
  /** A number or boolean that was measured, counted or set; further from zero than `most` it could only be an id or a time. */
  | { readonly kind: 'measure'; readonly most?: number }
  /** Years; ages above 89 are so rare that they identify people. */
  | { readonly kind: 'age' }
  /** An instant of a subject, epoch milli- or microseconds. */
  | { readonly kind: 'time'; readonly unit: 'ms' | 'us' }
  /** A local date of a subject: YYYY-MM-DD, or days since 1970-01-01. */
  | { readonly kind: 'date' }
  /** UTC offset or zone: de-identified times have a single clock, written as UTC. */
  | { readonly kind: 'zone' }
  /** Identifies a subject, device, person or record: replaced by a code. */
  | { readonly kind: 'id'; readonly of: CodedKind }
  /** One of a known set of words. */
  | { readonly kind: 'code'; readonly known: ReadonlySet<string> | RegExp; readonly otherwise?: Otherwise }
  /** Name of an annotation: a known code, a text of the definition, or replaced by a code. */
  | { readonly kind: 'label' }
  /** Text of the study's definition: disclosed if the export includes it, else replaced by a code. */
  | { readonly kind: 'definition' }
  /** Text that a person could have written or a device could have been configured with: never disclosed. */
  | { readonly kind: 'text' }
  | { readonly kind: 'list'; readonly of: Disclosure }
  | { readonly kind: 'object'; readonly fields: Readonly<Record<string, Disclosure>> };

export const MEASURE: Disclosure = { kind: 'measure' };
export const TEXT: Disclosure = { kind: 'text' };
export const TIME_MS: Disclosure = { kind: 'time', unit: 'ms' };
export const TIME_US: Disclosure = { kind: 'time', unit: 'us' };
export const DATE: Disclosure = { kind: 'date' };
export const ZONE: Disclosure = { kind: 'zone' };
export const DEFINITION: Disclosure = { kind: 'definition' };
export const LABEL: Disclosure = { kind: 'label' };
export const idOf = (of: CodedKind): Disclosure => ({ kind: 'id', of });
export const codeOf = (known: ReadonlySet<string> | RegExp, otherwise?: Otherwise): Disclosure => ({
  kind: 'code',
  known,
  otherwise,
});
/** Such as `9`, or `8+9` for a day computed from windows of two versions. */
export const ALGORITHM_VERSION: Disclosure = codeOf(/^[\w.-]{1,20}(?:\+[\w.-]{1,20})*$/);
export const listOf = (of: Disclosure): Disclosure => ({ kind: 'list', of });
export const objectOf = (fields: Readonly<Record<string, Disclosure>>): Disclosure => ({ kind: 'object', fields });

/** Higher ages are so rare that they identify people; they are capped at the next year. */
const OLDEST_AGE = 89;
const NUMBER_TEXT = /^[+-]?(?:\d{1,15}(?:\.\d{0,15})?|\.\d{1,15})$/;
const CALENDAR_DATE = /^\d{4}-\d{2}-\d{2}$/;

const isKnown = (known: ReadonlySet<string> | RegExp, text: string): boolean =>
  known instanceof RegExp ? known.test(text) : known.has(text);

/** Applies the classes for one export. */
export class Disclosing {
  readonly deidentifier: Deidentifier;
  readonly words: DisclosedWords;
  readonly #definition: ReadonlySet<string>;
  readonly #labels: RegExp | ReadonlySet<string>;

  /**
   * @param definition texts of the study's definition
   * @param labels names of annotations that are codes of a known vocabulary
   */
  constructor(
    deidentifier: Deidentifier,
    words: DisclosedWords,
    definition: ReadonlySet<string>,
    labels: RegExp | ReadonlySet<string>,
  ) {
    this.deidentifier = deidentifier;
    this.words = words;
    this.#definition = definition;
    this.#labels = labels;
  }

  /**
   * Returns the value as disclosed; undefined when it must not be.
   * @param frame times of the value's subject; null for a value without a subject, whose times are never disclosed
   * @param index index in a list
   */
  show(disclosure: Disclosure | undefined, value: unknown, frame: SubjectFrame | null, index = 0): unknown {
    if (value === undefined || value === null || disclosure === undefined) return undefined;
    switch (disclosure.kind) {
      case 'measure':
        return isMeasure(value) && Math.abs(Number(value)) <= (disclosure.most ?? Number.POSITIVE_INFINITY)
          ? value
          : undefined;
      case 'age':
        return typeof value === 'number' ? Math.min(value, OLDEST_AGE + 1) : undefined;
      case 'time':
        if (typeof value !== 'number' || frame === null) return undefined;
        return value + frame.shiftMs * (disclosure.unit === 'us' ? 1000 : 1);
      case 'date':
        return frame === null ? undefined : shownDate(value, frame);
      case 'zone':
        return '+00:00';
      case 'id':
        return typeof value === 'string' && value !== '' ? this.deidentifier.code(disclosure.of, value) : undefined;
      case 'code': {
        if (typeof value === 'string' && isKnown(disclosure.known, value)) return value;
        const { otherwise } = disclosure;
        return typeof otherwise === 'function' ? otherwise(index) : otherwise;
      }
      case 'label':
        if (typeof value !== 'string') return undefined;
        if (isKnown(this.#labels, value)) return value;
        return this.#definition.has(value) ? this.#definitionWords(value) : this.deidentifier.code('text', value);
      case 'definition':
        return typeof value === 'string' && value !== '' ? this.#definitionWords(value) : undefined;
      case 'list':
        return Array.isArray(value)
          ? value
              .map((item, i) => this.show(disclosure.of, item, frame, i))
              .filter((item) => item !== undefined && item !== '')
          : undefined;
      case 'object':
        return this.#object(disclosure.fields, value, frame, index);
      default:
        return undefined;
    }
  }

  #definitionWords(text: string): string {
    return this.words.definition ? text : this.deidentifier.code('text', text);
  }

  #object(
    fields: Readonly<Record<string, Disclosure>>,
    value: unknown,
    frame: SubjectFrame | null,
    index: number,
  ): Record<string, unknown> | undefined {
    if (typeof value !== 'object' || value === null) return undefined;
    const shown: Record<string, unknown> = {};
    for (const [name, disclosure] of Object.entries(fields)) {
      const part = this.show(disclosure, (value as Record<string, unknown>)[name], frame, index);
      if (part !== undefined) shown[name] = part;
    }
    return shown;
  }
}

function isMeasure(value: unknown): boolean {
  if (typeof value === 'string') return NUMBER_TEXT.test(value);
  return typeof value === 'number' || typeof value === 'boolean';
}

function shownDate(value: unknown, frame: SubjectFrame): string | number | undefined {
  if (typeof value === 'number') return value + frame.shiftDays;
  if (typeof value !== 'string' || !CALENDAR_DATE.test(value)) return undefined;
  return new Date(Date.parse(`${value}T00:00:00Z`) + frame.shiftDays * DAY_MS).toISOString().slice(0, 10);
}
