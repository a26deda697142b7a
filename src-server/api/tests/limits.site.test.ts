import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { addTestRecording } from '../../testing/test-recording.ts';
import { routes } from '../contract/index.ts';
import type { RouteContract } from '../contract/route.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ withRecording: true });
  await api.client.call('putDefinition', {
    params: { studyId: api.studyId },
    body: {
      subjectMetadataFields: [
        { displayName: 'Arm', type: 'MULTIPLECHOICE', values: ['Left', 'Right'] },
        { displayName: 'Note', type: 'FREETEXT', values: [] },
        { displayName: 'Shoe size', type: 'NUMBER', values: [] },
        { displayName: 'Smokes', type: 'BOOLEAN', values: ['YES', 'NO'] },
      ],
    },
  });
});
afterAll(() => api.close());

let names = 0;

function send(method: string, path: string, body?: unknown): Promise<Response> {
  return fetch(`${api.url}/api/v1${path}`, {
    method,
    headers: {
      authorization: api.authorization,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

const addSubject = (fields: object) =>
  send('POST', `/studies/${api.studyId}/subjects`, {
    displayName: `Subject of limits ${++names}`,
    timezone: 'US/Eastern',
    ...fields,
  });

const addUser = (password: unknown, fields: object = {}) => {
  const email = `limits-${++names}@example.org`;
  return send('POST', '/users/register/email', {
    email,
    ...(password === undefined ? {} : { password }),
    user: {
      accountId: api.accountId,
      email,
      firstName: 'A',
      lastName: 'B',
      locale: 'en_US',
      timezone: 'Asia/Tokyo',
      ...fields,
    },
  });
};

/** Asserts that the error names the field. */
async function expectRefused(response: Response, field: string) {
  const body = await response.json();
  expect(response.status, JSON.stringify(body)).toBe(400);
  expect(body.errors.map(({ path }: { path: string }) => path)).toContainEqual(expect.stringContaining(field));
}

const metadata = (displayName: unknown, value: unknown) => ({ metadataFields: [{ displayName, value }] });

describe('a subject', () => {
  it.each<[string, object]>([
    ['18 years', { age: 18 }],
    ['MALE', { gender: 'MALE' }],
    ['FEMALE', { gender: 'FEMALE' }],
    ['the least height and weight', { height: 0.5, weight: 2 }],
    ['the greatest age, height and weight', { age: 125, height: 2.8, weight: 650 }],
    ['no metadata', { metadataFields: [] }],
    ['a listed option', metadata('Arm', 'Right')],
    ['any text', metadata('Note', 'ä, "b"\n')],
    ['a decimal number', metadata('Shoe size', '42.5')],
    ['a yes', metadata('Smokes', 'YES')],
    ['an old zone name', { timezone: 'Canada/Yukon' }],
    ['a fixed zone', { timezone: 'Etc/GMT+8' }],
  ])('may have %s', async (_name, fields) => {
    const response = await addSubject(fields);
    expect(response.status, await response.clone().text()).toBe(201);
    const { links } = await response.json();
    expect(await (await send('GET', links[0].href.replace('/v1', ''))).json()).toMatchObject(fields);
  });

  it.each<[string, object, string]>([
    ['17 years', { age: 17 }, 'age'],
    ['a broken age', { age: 18.5 }, 'age'],
    ['an age as text', { age: '30' }, 'age'],
    ['another gender', { gender: 'male' }, 'gender'],
    ['no height', { height: 0 }, 'height'],
    ['a height in centimeters', { height: 172 }, 'height'],
    ['an age that nobody reaches', { age: 150 }, 'age'],
    ['a weight in grams', { weight: 68_000 }, 'weight'],
    ['a negative weight', { weight: -1 }, 'weight'],
    ['a weight as text', { weight: '70' }, 'weight'],
    ['a blank name', { displayName: ' \t' }, 'displayName'],
    ['no name', { displayName: undefined }, 'displayName'],
    ['no zone', { timezone: undefined }, 'timezone'],
    ['an unknown zone', { timezone: 'Mars/Olympus' }, 'timezone'],
    ['an offset as zone', { timezone: '+09:00' }, 'timezone'],
    ['an unknown field', metadata('Leg', 'Left'), 'metadataFields.0.displayName'],
    ['an option that is not listed', metadata('Arm', 'left'), 'metadataFields.0.value'],
    ['a word for a number', metadata('Shoe size', 'large'), 'metadataFields.0.value'],
    ['a number that is no string', metadata('Shoe size', 42), 'metadataFields.0.value'],
    ['a maybe', metadata('Smokes', 'MAYBE'), 'metadataFields.0.value'],
  ])('is rejected with %s', async (_name, fields, field) => {
    await expectRefused(await addSubject(fields), field);
  });
});

describe('a user', () => {
  it.each([8, 64])('may have a password of %i characters, each counted once', async (length) => {
    for (const character of ['a', 'é', '🦆']) expect((await addUser(character.repeat(length))).status).toBe(201);
  });

  it.each([0, 7, 65])('is rejected with a password of %i characters', async (length) => {
    for (const character of ['a', '🦆']) await expectRefused(await addUser(character.repeat(length)), 'password');
  });

  it('requires every member, a known locale and a known zone', async () => {
    for (const member of ['accountId', 'email', 'firstName', 'lastName', 'locale', 'timezone'])
      await expectRefused(await addUser('12345678', { [member]: undefined }), member);
    for (const locale of ['en_us', 'de_DE', '']) await expectRefused(await addUser('12345678', { locale }), 'locale');
    for (const locale of ['en_US', 'ja_JP']) expect((await addUser('12345678', { locale })).status).toBe(201);
    await expectRefused(await addUser('12345678', { timezone: 'Mars/Olympus' }), 'timezone');
  });
});

describe('a complete study', () => {
  it('rejects every change until it is reopened with a reason', async () => {
    const { id: studyId } = await api.client.call('createStudy', {
      params: { accountId: api.accountId },
      body: { displayName: 'Short study' },
    });
    const study = `/studies/${studyId}`;
    const subject = await (await send('POST', `${study}/subjects`, { displayName: 'S', timezone: 'Etc/GMT' })).json();
    const subjectPath = `${study}/subjects/${subject.id}`;
    await send('POST', `/accounts/${api.accountId}/equipment`, { id: 'hub-limits', type: 'LINK_HUB' });
    for (const step of ['start', 'stop']) expect((await send('POST', `${study}/${step}`)).status).toBe(204);
    const message = new FormData();
    message.set('body', 'Hello');
    const changes = () => [
      send('POST', `${study}/subjects`, { displayName: 'T', timezone: 'Etc/GMT' }),
      send('PUT', subjectPath, { age: 40 }),
      send('PUT', subjectPath, { isHidden: true }),
      send('PUT', study, { title: 'Another title' }),
      send('PUT', `${study}/definition`, { activities: [{ displayName: 'Walk' }] }),
      send('PUT', `${subjectPath}/equipment/hub-limits`),
      send('POST', `${subjectPath}/annotations`, { displayName: 'Here', startTs: 1 }),
      fetch(`${api.url}/api/v1${subjectPath}/messages`, {
        method: 'POST',
        headers: { authorization: api.authorization },
        body: message,
      }),
    ];
    for (const response of await Promise.all(changes())) {
      expect(response.status, response.url).toBe(409);
      expect(await response.json()).toMatchObject({ code: 'STUDY_STATE' });
    }
    await expectRefused(await send('POST', `${study}/reopen`, { reason: ' ' }), 'reason');
    expect((await send('POST', `${study}/reopen`, { reason: 'A visit was missed' })).status).toBe(204);
    for (const response of await Promise.all(changes())) expect(response.ok, response.url).toBe(true);
  });
});

describe('a page of raw data', () => {
  it('has at most 200,000 rows and links to the next page', async () => {
    const place = { studyId: api.studyId, subjectId: api.subjectIds[1]! };
    const startMs = Date.UTC(2026, 0, 15, 11);
    await addTestRecording(api.store, api.deps.signalsDir, place, { startUs: startMs * 1000, durationSeconds: 1000 });
    const read = (query: { from: number; to: number }) => api.client.call('getRawData', { params: place, query });
    const page = await read({ from: startMs, to: startMs + 3_600_000 });
    const rows = page.channels.reduce((sum, { times }) => sum + times.length, 0);
    expect(rows).toBeLessThanOrEqual(200_000);
    expect(rows).toBeGreaterThan(199_000);
    expect(page.links).toEqual([{ href: expect.stringMatching(/^\/v1\//), rel: 'next' }]);
    expect(await read({ from: startMs, to: startMs + 60_000 })).not.toHaveProperty('links');
  });
});

describe('a window', () => {
  const DAY_MS = 86_400_000;
  const statusOf = async (path: string) => (await send('GET', path)).status;

  it('of events lasts up to 24 hours', async () => {
    const events = `/studies/${api.studyId}/events`;
    expect(await statusOf(`${events}?from=0&to=${DAY_MS}`)).toBe(200);
    expect(await statusOf(`${events}?from=0&to=${DAY_MS + 1}`)).toBe(400);
    expect(await statusOf(`${events}?from=2&to=1`)).toBe(400);
  });

  it('accepts only epoch ms and ISO 8601 with an offset', async () => {
    const data = `/studies/${api.studyId}/subjects/${api.subjectIds[0]}/data`;
    for (const from of ['0', '1768474800000', '2026-01-15T11:00:00Z', '2026-01-15T20:00:00.000%2B09:00'])
      expect(await statusOf(`${data}?from=${from}&to=1768474801000`), from).toBe(200);
    for (const from of ['', 'now', '1.5', '2026-01-15', '2026-01-15T11:00:00', '1e3', '0x10'])
      expect(await statusOf(`${data}?from=${from}&to=1768474801000`), from).toBe(400);
    for (const query of ['', '?from=0', '?to=0', '?from=1&to=0', '?from=0&to=1&tsMicros=2'])
      expect(await statusOf(data + query), query).toBe(400);
  });

  const ofDates = Object.entries(routes as Record<string, RouteContract>).filter(
    ([, { method, query }]) => method === 'GET' && query && 'fromDate' in query.shape,
  );
  it.each(ofDates.map(([name, { path }]) => [name, path]))(
    'of dates has only those of the calendar: %s',
    async (_, path) => {
      const list = path.replace('{studyId}', api.studyId).replace('{subjectId}', api.subjectIds[0]!);
      expect(await statusOf(`${list}?fromDate=2026-02-28&toDate=2026-03-01`)).toBe(200);
      await expectRefused(await send('GET', `${list}?fromDate=2026-02-31&toDate=2026-03-01`), 'fromDate');
      await expectRefused(await send('GET', `${list}?toDate=2026-13-01`), 'toDate');
      await expectRefused(await send('GET', `${list}?fromDate=2026-03-02&toDate=2026-03-01`), 'fromDate');
    },
  );

  it('of channels accepts six bin widths', async () => {
    const channels = `/studies/${api.studyId}/subjects/${api.subjectIds[0]}/pipelines/fdd051b8-d753-11e6-ab51-34363bc84032/channels?masterId=4e8a80fd-4778-11e6-a313-34363bc3dbe2&from=0&to=1`;
    for (const interval of [1000, 5000, 10_000, 15_000, 30_000, 60_000])
      expect(await statusOf(`${channels}&interval=${interval}`)).toBe(200);
    for (const interval of ['', '0', '999', '2000', '120000', 'x'])
      expect(await statusOf(`${channels}&interval=${interval}`), interval).toBe(400);
  });
});
