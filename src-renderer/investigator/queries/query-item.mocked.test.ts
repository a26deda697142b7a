import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement, type ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { beforeAll, expect, it, vi } from 'vitest';
import type { DataQuery } from '../../../src-server/api/contract/index.ts';
import type { QueryItem as Item } from './query-item.tsx';

vi.mock('../../shared/api/client.ts', () => ({ client: {}, ahead: { dropAll: () => undefined } }));
// Rendered once, as on a server.
vi.mock('../../shared/store.ts', async (original) => ({
  ...(await original<object>()),
  useStore: ({ get }: { get: () => unknown }) => get(),
}));
vi.mock('@tanstack/react-router', async (original) => ({
  ...(await original<object>()),
  Link: ({ children }: { children?: ReactNode }) => createElement('a', {}, children),
}));

let QueryItem: typeof Item;
let signIn: (userId: string, role: string) => void;
beforeAll(async () => {
  ({ QueryItem } = await import('./query-item.tsx'));
  const { session } = await import('../../shared/api/session.ts');
  const { startLanguages, loadWords } = await import('../../shared/i18n/i18n.ts');
  vi.stubGlobal('document', { documentElement: {} });
  await startLanguages('en');
  await loadWords('queries');
  vi.unstubAllGlobals();
  signIn = (id, role) => {
    const accounts = [{ id: 'a', role }];
    session.set({ user: { id, accountId: 'a', timezone: 'UTC', accounts } } as never);
  };
});

const opener = { id: 'opener', displayName: 'Mia Sato' };
const step = { kind: 'OPEN', state: 'OPEN', text: 'Why?', author: opener, createdTs: 1 } as const;
const queryOf = (state: DataQuery['state']): DataQuery => ({
  ...{ id: 'q', studyId: 's', subjectId: 'p', subjectName: 'N-1', target: 'DAY', date: '2026-01-14' },
  ...{ state, stateTs: 1, openedBy: opener, openedTs: 1, steps: [{ id: 'one', ...step }] },
});

/** Buttons that a person sees, by the role in the study. */
function buttonsOf(state: DataQuery['state'], userId: string, role: 'ADMIN' | 'COORDINATOR' | 'MONITOR') {
  signIn(userId, role);
  const queries = new QueryClient();
  queries.setQueryData(['membership', 'of', userId], { items: [{ studyId: 's', role }] });
  const item = createElement(QueryItem, { query: queryOf(state), isOfStudy: false });
  const html = renderToStaticMarkup(createElement(QueryClientProvider, { client: queries }, item));
  return [...html.matchAll(/aria-label="(\w+): Why\?"/g)].map(([, name]) => name);
}

it('offers to assign an open query to those who may answer or resolve any', () => {
  expect(buttonsOf('OPEN', 'u', 'COORDINATOR')).toEqual(['Answer', 'Assign', 'Comment']);
  expect(buttonsOf('OPEN', 'u', 'MONITOR')).toEqual(['Assign', 'Comment']);
  expect(buttonsOf('ANSWERED', 'u', 'ADMIN')).toEqual(['Resolve', 'Reopen', 'Comment']);
  expect(buttonsOf('RESOLVED', 'u', 'ADMIN')).toEqual(['Reopen', 'Comment']);
});
