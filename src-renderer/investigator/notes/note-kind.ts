import type { Note } from '../../../src-server/api/contract/index.ts';

/** What a person chooses of a note: a call is one that made contact, or one that did not. */
export type KindChoice = 'NOTE' | 'REACHED' | 'MISSED';
export const NOTE_CHOICES: readonly KindChoice[] = ['NOTE', 'REACHED', 'MISSED'];

export const kindOf = ({ kind, isReached }: Pick<Note, 'kind' | 'isReached'>): KindChoice =>
  kind === 'NOTE' ? 'NOTE' : isReached ? 'REACHED' : 'MISSED';
