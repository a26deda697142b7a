/** A note as a person enters it: its kind, and what is missing. Pure. */
import type { Note } from '../../../src-server/api/contract/index.ts';

/** What a person chooses of a note: a call is one that made contact, or one that did not. */
export type KindChoice = 'NOTE' | 'REACHED' | 'MISSED';
export const NOTE_CHOICES: readonly KindChoice[] = ['NOTE', 'REACHED', 'MISSED'];

export const kindOf = ({ kind, isReached }: Pick<Note, 'kind' | 'isReached'>): KindChoice =>
  kind === 'NOTE' ? 'NOTE' : isReached ? 'REACHED' : 'MISSED';

/** What a person enters of a note. */
export interface NoteEntry {
  body: string;
  choice: KindChoice;
  /** Local date of the follow-up; '' for none. */
  date: string;
  /** Who follows up; '' for anyone. */
  assigneeId: string;
}

/** Returns what is missing, by field. */
export const missingOf = ({ body, choice, date, assigneeId }: NoteEntry) => ({
  body: choice === 'NOTE' && body.trim() === '',
  date: assigneeId !== '' && date === '',
});

/** Returns kind and text as the site takes them. */
export const writtenOf = ({ body, choice }: NoteEntry) => ({
  body,
  ...(choice === 'NOTE' ? { kind: 'NOTE' as const } : { kind: 'CALL' as const, isReached: choice === 'REACHED' }),
});

/** Returns a new note as the site takes it, without its id. */
export const newNoteOf = (entry: NoteEntry) => ({
  ...writtenOf(entry),
  ...(entry.date && { followUpDate: entry.date, ...(entry.assigneeId && { assigneeId: entry.assigneeId }) }),
});
