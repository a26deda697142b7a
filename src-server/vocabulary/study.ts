/** The words and bounds of a study that the interface and the rules of the study share. */

/** Roles in an account and in a study. What each may do is in `study/permissions.ts`. */
export const ROLES = ['ADMIN', 'COORDINATOR', 'ANALYST', 'MONITOR'] as const;

export const LIFECYCLE_STATES = ['INITIALIZED', 'IN_PROGRESS', 'COMPLETE'] as const;

/**
 * The least and greatest values known of adults, with a margin: a value beyond is a typing error or in another unit. The
 * oldest verified age is 122 years; heights of adults range from 0.55 to 2.72 m, weights from 2.1 to 635 kg.
 */
export const SUBJECT_BOUNDS = {
  /** Years. The labelled population of the sensors is 18 years and older (510(k) K173510). */
  age: { min: 18, max: 125 },
  /** Meters. */
  height: { min: 0.5, max: 2.8 },
  /** Kilograms. */
  weight: { min: 2, max: 650 },
} as const;

/** Types of questions that this program asks. The set is open: other types are asked as free text. */
export const QUESTION_TYPES = [
  'MULTIPLECHOICE',
  'RANGE',
  'BOOLEAN',
  'NUMERIC',
  'TIMEOFDAY',
  'DATE',
  'FREETEXT',
] as const;

/** Types of questions whose answers can decide whether a later question is asked. */
export const DECIDING_TYPES: readonly string[] = ['MULTIPLECHOICE', 'BOOLEAN'];

/** The longest texts of a definition, in characters. */
export const LONGEST_NAME = 200;
export const LONGEST_QUESTION = 1000;
export const LONGEST_UNIT = 20;
