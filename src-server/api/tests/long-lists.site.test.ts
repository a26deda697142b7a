/** The whole list of a study's recordings, where it is too long to hold. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SYSTEM } from '../../db/index.ts';
import { fillDatabase } from '../../testing/full-database.ts';
import { plainDays } from '../../testing/full-site/sample-days.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';

interface Page {
  items: { id: string; faults: unknown[] }[];
  size: number;
  links?: { href: string }[];
}

let api: TestApi;
let mostRows = 0;

beforeAll(async () => {
  api = await startTestApi({
    withRecording: true,
    onQuery: ({ name, rows }) => {
      if (name === 'recordings.shownOfStudy') mostRows = Math.max(mostRows, rows);
    },
  });
  const { accountId, studyId } = api;
  const size = { accountId, studyId, subjects: 40, days: 55, sensors: 2, fromTs: Date.UTC(2025, 10, 1) };
  fillDatabase(api.store.path, size, { samples: plainDays(1, 3600) });
  const rows = (await api.store.recordings.shownOfStudy(studyId)).filter((_, i) => i % 9 === 0);
  const faults = rows.map(({ subjectId, udid, stopUs }, i) => ({
    ...{ studyId, subjectId, sensorId: udid, mobileAppVersion: '1', sensorFirmwareId: '1' },
    ...{ faultFlag: 'LOW_BATTERY', faultType: 'BATTERY' },
    faultTs: Math.floor(stopUs / 1000) + (i % 2 === 0 ? 30_000 : -3_600_000),
  }));
  await api.store.faults.add(faults, SYSTEM);
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
  // With a window, faults are matched with all recordings around them, not with those of one page and the next ones.
  expect(await read(`${path}&from=0&to=${Date.UTC(2100, 0)}`)).toEqual(whole);
  expect(whole.items.filter(({ faults }) => faults.length > 0).length).toBeGreaterThan(100);
});
