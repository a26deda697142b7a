import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { beforeAll, expect, it, vi } from 'vitest';
import type { DataTable as Table } from './data-table.tsx';
import type { RowSelection } from './row-selection.ts';

vi.mock('../api/client.ts', () => ({ client: {}, ahead: { dropAll: () => undefined } }));
// Rendered once, as on a server.
vi.mock('../store.ts', async (original) => ({
  ...(await original<object>()),
  useStore: ({ get }: { get: () => unknown }) => get(),
}));

let DataTable: typeof Table;
beforeAll(async () => {
  ({ DataTable } = await import('./data-table.tsx'));
  const { startLanguages } = await import('../i18n/i18n.ts');
  vi.stubGlobal('document', { documentElement: {} });
  await startLanguages('en');
  vi.unstubAllGlobals();
});

const ROWS = ['N-2', 'N-1'].map((name) => ({ name }));
const selectionOf = (...ids: string[]): RowSelection => ({
  ...{ ids: new Set(ids), lost: 0, list: { current: null } },
  ...{ change: () => undefined, remove: () => undefined },
});
const markup = (selection?: RowSelection) =>
  renderToStaticMarkup(
    createElement(DataTable<{ name: string }>, {
      ...{ caption: 'Subjects', rows: ROWS, rowId: ({ name }: { name: string }) => name, selection },
      columns: [{ id: 'name', header: 'Name', value: ({ name }) => name, cell: ({ name }) => name }],
      initialSort: { id: 'name', desc: false },
    }),
  );

it('does not change a table without a selection', () => {
  const html = markup();
  expect(html).not.toMatch(/checkbox|aria-selected/);
  expect(html.match(/<th /g)).toHaveLength(1);
});

it('gives each row a checkbox with its name, and the table one for all rows', () => {
  const html = markup(selectionOf('N-2'));
  expect(html.match(/aria-label="(Select [^"]+)"/g)).toEqual([
    'aria-label="Select all shown"',
    'aria-label="Select N-1"',
    'aria-label="Select N-2"',
  ]);
  expect(html.match(/aria-selected="(true|false)"/g)).toEqual(['aria-selected="false"', 'aria-selected="true"']);
  expect(html.match(/checked=""/g)).toHaveLength(1);
  expect(markup(selectionOf('N-1', 'N-2')).match(/checked=""/g)).toHaveLength(3);
});
