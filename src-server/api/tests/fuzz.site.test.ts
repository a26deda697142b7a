import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SYSTEM } from '../../db/index.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { fillPath } from '../contract/addresses.ts';
import { type RouteId, routes } from '../contract/index.ts';
import type { RouteContract } from '../contract/route.ts';

let api: TestApi;
let messageId: string;
let annotationId: string;
beforeAll(async () => {
  api = await startTestApi({ withRecording: true });
  const place = { studyId: api.studyId, subjectId: api.subjectIds[0]! };
  messageId = (
    await api.store.messages.post({ ...place, body: 'Hi' }, { actor: { type: 'SUBJECT', id: place.subjectId } })
  ).id;
  const label = { ...place, type: 'subject', displayName: 'N', startTs: 1, stopTs: 2 } as const;
  annotationId = (await api.store.annotations.addLabels([label], SYSTEM))[0]!.id;
});
afterAll(() => api.close());

const RUNS_PER_ROUTE = 40;
/** `logout` would end the session of the run; `live` never ends by itself. */
const targets = (Object.entries(routes) as [RouteId, RouteContract][]).filter(
  ([id]) => !['logout', 'live'].includes(id),
);

const odd = fc.oneof(
  fc.constantFrom(
    '',
    '0',
    '-1',
    '1e400',
    'NaN',
    'null',
    '[]',
    '\u0000',
    '🦆',
    "'; DROP TABLE user;--",
    '../../x',
    '9'.repeat(400),
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.integer().map(String),
);
const oddJson = fc.oneof(
  odd,
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(
    null,
    true,
    -0.5,
    1e308,
    Number.MAX_SAFE_INTEGER,
    [],
    {},
    ['a', 'a'],
    [{ displayName: 'x', value: 1 }],
  ),
);

/** A body with the members of the schema, each absent, odd, or plausible. */
function bodyOf(route: RouteContract): fc.Arbitrary<unknown> {
  const members = Object.keys(route.body?.shape ?? {});
  const plausible: Record<string, unknown> = {
    timezone: 'US/Eastern',
    displayName: 'Fuzz',
    type: 'SENSOR',
    id: 'fuzz-1',
    email: 'f@example.org',
  };
  const record = Object.fromEntries(
    members.map((name) => [name, name in plausible ? fc.oneof(oddJson, fc.constant(plausible[name])) : oddJson]),
  );
  return fc.oneof({ arbitrary: fc.record(record, { requiredKeys: [] }), weight: 4 }, { arbitrary: oddJson, weight: 1 });
}

describe('whatever comes', () => {
  it.each(targets)('%s answers below 500, in JSON when it refuses', async (_id, route) => {
    const real: Record<string, string> = {
      accountId: api.accountId,
      userId: api.coordinator.userId,
      studyId: api.studyId,
      subjectId: api.subjectIds[0]!,
      recordingId: api.recordingId,
      jobId: api.jobId,
      equipmentId: 'hub-1',
      udid: 'AA:BB:CC:00:00:01',
      messageId,
      annotationId,
      pipelineId: 'fdd051b8-d753-11e6-ab51-34363bc84032',
      date: '2026-01-15',
    };
    const names = [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
    const params = fc.record(
      Object.fromEntries(
        names.map((name) => [
          name,
          fc.oneof({ arbitrary: fc.constant(real[name]!), weight: 5 }, { arbitrary: odd, weight: 1 }),
        ]),
      ),
    );
    const queryNames = [...Object.keys(route.query?.shape ?? {}), 'unknown'];
    const query = fc.array(fc.tuple(fc.constantFrom(...queryNames), odd), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(params, query, bodyOf(route), async (path, search, body) => {
        const hasBody = route.method === 'POST' || route.method === 'PUT';
        const url = `${api.url}/api/v1${fillPath(route.path, path)}?${new URLSearchParams(search)}`;
        const response = await fetch(url, {
          method: route.method,
          headers: { authorization: api.authorization, ...(hasBody ? { 'content-type': 'application/json' } : {}) },
          ...(hasBody ? { body: JSON.stringify(body) ?? '' } : {}),
        });
        const text = await response.text();
        if (response.status >= 400)
          expect(JSON.parse(text)).toMatchObject({ message: expect.any(String), code: expect.any(String) });
        expect(response.status, `${route.method} ${url} ${JSON.stringify(body)} ${text}`).toBeLessThan(500);
      }),
      { numRuns: RUNS_PER_ROUTE },
    );
  });
});
