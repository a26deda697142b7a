/**
 * The least and greatest that an adult is known to have, with room: a value beyond is a slip of the hand or of the unit. The
 * oldest verified age is 122 years; heights of adults lie from 0.55 to 2.72 m, weights from 2.1 to 635 kg. The same as in
 * `study/subject-fields.ts`, as a test holds.
 */
export const SUBJECT_BOUNDS = {
  /** Years. The sensors are labelled for adults. */
  age: { min: 18, max: 125 },
  /** Meters. */
  height: { min: 0.5, max: 2.8 },
  /** Kilograms. */
  weight: { min: 2, max: 650 },
} as const;
