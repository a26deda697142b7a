/** Unsent messages per subject: kept in memory while other screens are open, never stored. */
import { session } from '../../shared/api/session.ts';
import { createStore } from '../../shared/store.ts';

export interface Draft {
  text: string;
  picture: File | null;
}

const EMPTY: Draft = { text: '', picture: null };

export const drafts = createStore<ReadonlyMap<string, Draft>>(new Map());

/** The author of the drafts; they are discarded when someone else signs in. */
let owner = session.get()?.user.id;
session.subscribe(() => {
  const next = session.get()?.user.id;
  if (next === undefined || next === owner) return;
  owner = next;
  drafts.set(new Map());
});

export const draftOf = (all: ReadonlyMap<string, Draft>, subjectId: string): Draft => all.get(subjectId) ?? EMPTY;

export function setDraft(subjectId: string, change: Partial<Draft>): void {
  const draft = { ...draftOf(drafts.get(), subjectId), ...change };
  const next = new Map(drafts.get());
  if (draft.text === '' && draft.picture === null) next.delete(subjectId);
  else next.set(subjectId, draft);
  drafts.set(next);
}
