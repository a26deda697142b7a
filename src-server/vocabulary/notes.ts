/** Notes of staff: what there are, and how long. */

/** CALL: somebody called the subject, or was called; whether they were reached is part of it. */
export const NOTE_KINDS = ['NOTE', 'CALL'] as const;
export type NoteKind = (typeof NOTE_KINDS)[number];

/** The longest text of a note, in characters. */
export const LONGEST_NOTE = 10_000;
