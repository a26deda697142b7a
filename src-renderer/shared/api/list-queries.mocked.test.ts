import { beforeAll, expect, it, vi } from 'vitest';
import type { loadPages as LoadPages } from './list-queries.ts';

vi.mock('./client.ts', () => ({ client: {} }));
let loadPages: typeof LoadPages;
beforeAll(async () => {
  vi.stubGlobal('location', { origin: 'http://127.0.0.1' });
  ({ loadPages } = await import('./list-queries.ts'));
});

const asked: { limit: string; cursor?: string }[] = [];
const pages = async (page: { limit: string; cursor?: string }) => {
  asked.push(page);
  const from = Number(page.cursor ?? 0);
  const items = Array.from({ length: Math.min(Number(page.limit), 2_500 - from) }, (_, index) => from + index);
  const next = from + items.length;
  return {
    items,
    ...(next < 2_500 && { links: [{ href: `/v1/things?limit=${page.limit}&cursor=${next}`, rel: 'next' }] }),
  };
};

it('fetches one page of a list unless the whole of it is wanted', async () => {
  asked.length = 0;
  const first = await loadPages(false, pages);
  expect(first).toMatchObject({ hasMore: true });
  expect(first.items).toHaveLength(200);
  expect(asked).toEqual([{ limit: '200' }]);
});

it('follows the pages to the end of the list', async () => {
  asked.length = 0;
  const whole = await loadPages(true, pages);
  expect(whole.hasMore).toBe(false);
  expect(whole.items).toEqual(Array.from({ length: 2_500 }, (_, index) => index));
  expect(asked.map(({ cursor }) => cursor)).toEqual([undefined, '1000', '2000']);
});

it('fetches pages of another length where one would take the site too long', async () => {
  asked.length = 0;
  const whole = await loadPages(true, pages, 800);
  expect(whole.items).toHaveLength(2_500);
  expect(asked.map(({ limit, cursor }) => [limit, cursor])).toEqual([
    ['800', undefined],
    ['800', '800'],
    ['800', '1600'],
    ['800', '2400'],
  ]);
});

it('lets each further page be as long as all before it, up to the longest', async () => {
  const { nextPlace } = await import('./long-list.ts');
  const page = { items: [], links: [{ href: '/v1/things?limit=9&cursor=here', rel: 'next' }] };
  const limits = [];
  for (let place = nextPlace(page, { limit: 200 }); place && limits.length < 4; place = nextPlace(page, place)) {
    expect(place.cursor).toBe('here');
    limits.push(place.limit);
  }
  expect(limits).toEqual([400, 800, 1000, 1000]);
  expect(nextPlace({ items: [] }, { limit: 200 })).toBeUndefined();
  expect(nextPlace({ items: [], links: [{ href: '/v1/audit?before=17', rel: 'next' }] }, { limit: 100 })?.cursor).toBe(
    '17',
  );
});
