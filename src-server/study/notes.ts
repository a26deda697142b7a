/**
 * Rules of notes and calls that staff write down. Nothing of a note is lost: an edit keeps what was there before, and a withdrawn note
 * stays, marked as withdrawn. Notes may be written in every state of a study but a locked one: equipment is asked for after the end.
 * Pure.
 */
import { OutpostError } from '../errors.ts';
import type { NoteKind } from '../vocabulary/notes.ts';
import { addDays, isCalendarDate } from './day-windows.ts';

/** What a person may change of a note. */
export interface NoteContent {
  kind: NoteKind;
  /** Of a call: whether somebody was reached. */
  isReached?: boolean | undefined;
  body: string;
  /** Local date on which somebody is to come back to it. */
  followUpDate?: string | undefined;
  /** Who is to; absent: anybody of the study. */
  assigneeId?: string | undefined;
}

/** Further away, a date is a mistake of typing. */
const MOST_DAYS_AHEAD = 3660;

const invalid = (path: string, message: string): OutpostError =>
  new OutpostError('INVALID_INPUT', `The note is not valid: ${path} ${message}.`, { errors: [{ path, message }] });

/** Returns the content with its text trimmed. @throws INVALID_INPUT */
export function requireNoteContent(given: NoteContent): NoteContent {
  const { kind, isReached, followUpDate, assigneeId } = given;
  const body = given.body.trim();
  // A call that nobody answered needs no words.
  if (kind === 'NOTE' && body === '') throw invalid('body', 'must not be empty');
  if ((kind === 'CALL') !== (isReached !== undefined)) {
    throw invalid('isReached', kind === 'CALL' ? 'is required for a call' : 'is only of a call');
  }
  if (followUpDate !== undefined && !isCalendarDate(followUpDate)) throw invalid('followUpDate', 'is not a date');
  if (assigneeId !== undefined && followUpDate === undefined) {
    throw invalid('followUpDate', 'is required when somebody is assigned');
  }
  return { kind, isReached, body, followUpDate, assigneeId };
}

/**
 * A date that is newly set may not lie in the past.
 * @param today date in UTC: where it is still yesterday, yesterday is allowed
 * @throws INVALID_INPUT
 */
export function requireFollowUpAhead(date: string, today: string): void {
  if (date < addDays(today, -1)) throw invalid('followUpDate', 'must not be in the past');
  if (date > addDays(today, MOST_DAYS_AHEAD)) throw invalid('followUpDate', 'must be within ten years');
}

/** The content of one version beside another: what an edit would change. */
export function isSameContent(a: NoteContent, b: NoteContent): boolean {
  return (
    a.kind === b.kind &&
    a.isReached === b.isReached &&
    a.body === b.body &&
    a.followUpDate === b.followUpDate &&
    a.assigneeId === b.assigneeId
  );
}

/** @throws FORBIDDEN unless it is one's own note or one is an administrator of the study */
export function requireOwnNote(isAuthor: boolean, isAdmin: boolean): void {
  if (isAuthor || isAdmin) return;
  throw new OutpostError('FORBIDDEN', 'Only its author or an administrator can change or withdraw this note.');
}

export function noteWithdrawn(): OutpostError {
  return new OutpostError('CONFLICT', 'The note was withdrawn, so it cannot change. Write a new one.');
}
