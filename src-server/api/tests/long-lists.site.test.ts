/** The whole list of a study's recordings, where it is too long to hold. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fillDatabase } from '../../testing/full-database.ts';
import { plainDays } from '../../testing/full-site/sample-days.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';

interface Page {
  items: { id: string }[];
  size: number;
  links?: { href: string }[];
}

let api: TestApi;
let mostRows = 0;

beforeAll(async () => {
  api = await startTestApi({
    withRecording: true,
    onQuery: ({ name, rows }) => {
      if (name === 'recordings.listForStudy') mostRows = Math.max(mostRows, rows);
    },
  });
  const { accountId, studyId } = api;
  const size = { accountId, studyId, subjects: 40, days: 55, sensors: 2, fromTs: Date.UTC(2025, 10, 1) };
  fillDatabase(api.store.path, size, { samples: plainDays(1, 3600) });
}, 60_000);
afterAll(() => api.close());

async function read(path: string): Promise<Page> {
  const response = await fetch(`${api.url}/api${path}`, { headers: { authorization: api.authorization } });
  expect(response.status, path).toBe(200);
  return (await response.json()) as Page;
}

it.each(['newest=false', 'newest=true'])('holds each recording once, in its order, with %s', async (order) => {
  const path = `/v1/studies/${api.studyId}/recordings?${order}`;
  const paged: Page['items'] = [];
  for (let next: string | undefined = `${path}&limit=900`; next; ) {
    const { items, links } = await read(next);
    paged.push(...items);
    next = links?.[0]?.href;
  }
  mostRows = 0;
  const whole = await read(path);
  expect(whole.items.length).toBeGreaterThan(4000);
  expect(whole).toEqual({ items: paged, size: paged.length });
  // It is read while it is sent.
  expect(mostRows).toBe(2000);
});
