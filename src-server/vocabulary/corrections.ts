/** What a person may correct, and the codes of beats. */

/** Corrections of single beats of a recording. */
export const BEAT_CORRECTIONS = ['BEAT_ADD', 'BEAT_MOVE', 'BEAT_DELETE', 'BEAT_LABEL'] as const;
/** Corrections of spans of a subject's time. */
export const SPAN_CORRECTIONS = ['ASLEEP', 'AWAKE', 'WORN', 'NOT_WORN'] as const;
export type SpanCorrectionKind = (typeof SPAN_CORRECTIONS)[number];
export const isSpanCorrection = (kind: string): kind is SpanCorrectionKind =>
  (SPAN_CORRECTIONS as readonly string[]).includes(kind);

/** `EXCLUDE` takes a span of one recording out of everything that is computed from its beats. */
export const CORRECTION_KINDS = [...BEAT_CORRECTIONS, 'EXCLUDE', ...SPAN_CORRECTIONS] as const;

export type CorrectionKind = (typeof CORRECTION_KINDS)[number];

/**
 * Types of beats as in annotation files of MIT and WFDB (ecgcodes.h), each with its number there and what it is to analytics: `SINUS` is
 * used everywhere, `OTHER` for the heart rate alone, `NONE` nowhere.
 */
export const BEAT_CODES = {
  N: { number: 1, origin: 'SINUS' },
  L: { number: 2, origin: 'SINUS' },
  R: { number: 3, origin: 'SINUS' },
  a: { number: 4, origin: 'OTHER' },
  V: { number: 5, origin: 'OTHER' },
  F: { number: 6, origin: 'OTHER' },
  J: { number: 7, origin: 'OTHER' },
  A: { number: 8, origin: 'OTHER' },
  S: { number: 9, origin: 'OTHER' },
  E: { number: 10, origin: 'OTHER' },
  j: { number: 11, origin: 'SINUS' },
  '/': { number: 12, origin: 'OTHER' },
  Q: { number: 13, origin: 'OTHER' },
  '|': { number: 16, origin: 'NONE' },
  e: { number: 34, origin: 'SINUS' },
  f: { number: 38, origin: 'OTHER' },
} as const satisfies Record<string, { number: number; origin: 'SINUS' | 'OTHER' | 'NONE' }>;

export type BeatCode = keyof typeof BEAT_CODES;

export const BEAT_CODE_NAMES = Object.keys(BEAT_CODES) as BeatCode[];

/** A correction finds the beat that it means within this of its time: no two beats of a heart are so near. */
export const SAME_BEAT_US = 60_000;

/** The most corrections of one request. */
export const MAX_CORRECTIONS = 500;

interface TimeSpan {
  from: number;
  to: number;
}

/** The spans in which people said that the sensors were not worn, of corrections in their order: later ones win. */
export function spansNotWorn(corrections: readonly (TimeSpan & { kind: CorrectionKind })[]): TimeSpan[] {
  let off: TimeSpan[] = [];
  for (const { kind, from, to } of corrections) {
    if (kind === 'NOT_WORN') off.push({ from, to });
    if (kind !== 'WORN') continue;
    off = off.flatMap((span) => [
      ...(span.from < from ? [{ from: span.from, to: Math.min(span.to, from) }] : []),
      ...(span.to > to ? [{ from: Math.max(span.from, to), to: span.to }] : []),
    ]);
  }
  return off;
}
