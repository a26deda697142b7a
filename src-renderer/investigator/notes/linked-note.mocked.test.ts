import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement, type ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { beforeAll, expect, it, vi } from 'vitest';
import type { Note } from '../../../src-server/api/contract/index.ts';

const shown = vi.hoisted(() => ({ noteId: '' }));
vi.mock('../../shared/api/client.ts', () => ({ client: {}, ahead: { dropAll: () => undefined } }));
// Rendered once, as on a server.
vi.mock('../../shared/store.ts', async (original) => ({
  ...(await original<object>()),
  useStore: ({ get }: { get: () => unknown }) => get(),
}));
vi.mock('@tanstack/react-router', async (original) => ({
  ...(await original<object>()),
  Link: ({ children }: { children?: ReactNode }) => createElement('a', {}, children),
  useParams: () => ({ studyId: 's' }),
  useSearch: () => ({ note: shown.noteId }),
}));

let modules: {
  StudyNotes: () => ReactNode;
  keys: Record<'pages' | 'one', readonly unknown[]>;
};
beforeAll(async () => {
  const { StudyNotes } = await import('./notes.tsx');
  const { notePagesQuery, noteQuery } = await import('../../shared/api/note-queries.ts');
  const { session } = await import('../../shared/api/session.ts');
  const { startLanguages, loadWords } = await import('../../shared/i18n/i18n.ts');
  vi.stubGlobal('document', { documentElement: {} });
  await startLanguages('en');
  await loadWords('notes');
  vi.unstubAllGlobals();
  const accounts = [{ id: 'a', role: 'ADMIN' }];
  session.set({ user: { id: 'u', accountId: 'a', timezone: 'UTC', accounts } } as never);
  modules = {
    StudyNotes,
    keys: { pages: notePagesQuery({ studyId: 's' }, undefined).queryKey, one: noteQuery('s', 'old').queryKey },
  };
});

const author = { id: 'u', displayName: 'Mia Sato' };
const noteOf = (id: string): Note => ({
  ...{ id, studyId: 's', kind: 'NOTE', body: `Text of ${id}`, version: 1 },
  ...{ author, createdTs: 1, editedBy: author, editedTs: 1 },
});

function render(noteId: string, read?: Note): string {
  shown.noteId = noteId;
  const queries = new QueryClient();
  const items = ['new', 'newer'].map(noteOf);
  queries.setQueryData(modules.keys.pages, { pages: [{ items, links: [] }], pageParams: [{ limit: 200 }] });
  if (read) queries.setQueryData(modules.keys.one, { ...read, earlier: [] });
  return renderToStaticMarkup(
    createElement(QueryClientProvider, { client: queries }, createElement(modules.StudyNotes)),
  );
}

/** Texts of the items that the address names. */
const markedOf = (html: string) =>
  [...html.matchAll(/<li[^>]* data-shown="true"[^>]*>.*?(Text of \w+)/g)].map(([, text]) => text);

it('marks the linked note where it is among the rows', () => {
  const html = render('newer');
  expect(markedOf(html)).toEqual(['Text of newer']);
  expect(html).not.toContain('Linked note');
});

it('reads a linked note that is not among the rows, and shows it marked above them', () => {
  const html = render('old', noteOf('old'));
  expect(html).toContain('Linked note');
  expect(markedOf(html)).toEqual(['Text of old']);
  expect(html.indexOf('Text of old')).toBeLessThan(html.indexOf('Text of new'));
});
