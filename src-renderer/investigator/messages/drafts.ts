/** Messages that were begun and not sent, per subject: they stay while one looks at something else. Never stored. */
import { session } from '../../shared/api/session.ts';
import { createStore } from '../../shared/store.ts';

export interface Draft {
  text: string;
  picture: File | null;
}

const EMPTY: Draft = { text: '', picture: null };

export const drafts = createStore<ReadonlyMap<string, Draft>>(new Map());

/** Whose they are: the next person at this desk neither reads nor sends them. */
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
