import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareStudy } from '../../testing/fuzz/known.ts';
import { fuzz } from '../../testing/fuzz/run.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ withRecording: true });
});
afterAll(() => api.close());

const REQUESTS = 1600;
const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000);

describe(`arbitrary requests (FUZZ_SEED=${seed})`, () => {
  it('receive responses that the OpenAPI document lists', async () => {
    const known = await prepareStudy(api.client, api);
    const { url, authorization } = api;
    const result = await fuzz({ url, authorization, requests: REQUESTS, seed, known });
    expect(result.problems).toEqual([]);
    expect(result.requests).toBe(REQUESTS);
    // Most requests must reach the records, or the run would prove little.
    const successes = ['200', '201', '204'].map((status) => result.statuses[status] ?? 0);
    expect(successes.reduce((sum, count) => sum + count)).toBeGreaterThan(REQUESTS / 5);
    expect(successes.every((count) => count > 0)).toBe(true);
  });

  it('are rejected in JSON at any address below the API', async () => {
    const part = fc.oneof(
      fc.constantFrom(
        '..',
        '.',
        '',
        '%2e%2e',
        '%00',
        '%ff',
        'studies',
        'subjects',
        'users',
        api.studyId,
        ':id',
        '*',
        '{x}',
      ),
      fc.string({ maxLength: 8 }).map((text) => encodeURIComponent(text.toWellFormed())),
    );
    const address = fc.array(part, { minLength: 1, maxLength: 8 }).map((parts) => parts.join('/'));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('/api/v1/', '/v1/', '/api/'), address, async (root, path) => {
        const response = await fetch(`${api.url}${root}${path}`, { headers: { authorization: api.authorization } });
        const text = await response.text();
        expect(response.status, text).toBeLessThan(500);
        // Dot segments may lead out of the API, where responses need not be JSON.
        if (new URL(response.url).pathname.startsWith(root)) JSON.parse(text);
      }),
      { seed, numRuns: 200 },
    );
  });
});
