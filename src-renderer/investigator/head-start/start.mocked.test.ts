import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { addressesOf } from '../../../src-server/api/contract/addresses.ts';
import { createClientOf } from '../../../src-server/api/contract/client-core.ts';
import { routes } from '../../../src-server/api/contract/index.ts';
import { Ahead, type AheadRequests } from '../../shared/api/ahead.ts';
import type * as Queries from '../../shared/api/queries.ts';
import { HEAD_START_SCREENS } from './screens.ts';
import { startAhead } from './start.ts';

const IDS = { studyId: '01a20678-0699', subjectId: '019728c9-c000', recordingId: '019e7b24-5c28' };
const SUBJECT_PATH = `/studies/${IDS.studyId}/subjects/${IDS.subjectId}`;
const VIEWER_PATH = `${SUBJECT_PATH}/recordings/${IDS.recordingId}`;
const KEYS = { session: 'session', preferences: 'preferences', ahead: 'aheadRequests' };
const CREDENTIALS = { userId: 'u1', accessToken: 'secret' };

const desk = vi.hoisted(() => ({
  fetch: undefined as undefined | ((url: string, init: RequestInit) => Promise<Response>),
}));
vi.mock('../../shared/api/client.ts', () => ({
  ahead: {},
  client: createClientOf(addressesOf(routes), {
    baseUrl: '',
    fetch: (url, init) => desk.fetch!(url, init),
  }),
}));
let queries: typeof Queries;
let client: { credentials: typeof CREDENTIALS | undefined };
beforeAll(async () => {
  vi.stubGlobal('localStorage', { getItem: () => null });
  queries = await import('../../shared/api/queries.ts');
  ({ client } = await import('../../shared/api/client.ts'));
});

let asked: { url: string; authorization: string | null; answer: (status?: number) => void }[] = [];
let page: { [KEYS.ahead]?: AheadRequests } & Record<string, unknown> = {};

const send = (url: string, init?: RequestInit) =>
  new Promise<Response>((resolve) => {
    const answer = (status = 200) => resolve(new Response('{"items":[],"links":[],"recorded":[]}', { status }));
    asked.push({ url, authorization: new Headers(init?.headers).get('authorization'), answer });
  });

const settle = () => new Promise((resolve) => setTimeout(resolve));

function start(pathname: string, session: object | null = { expiration: Date.now() + 1e6 }) {
  const stored = session && { ...session, user: { id: CREDENTIALS.userId }, accessToken: CREDENTIALS.accessToken };
  vi.stubGlobal('window', page);
  vi.stubGlobal('location', { pathname });
  vi.stubGlobal('navigator', { languages: ['en-US'] });
  vi.stubGlobal('localStorage', { getItem: (key: string) => (key === 'session' ? JSON.stringify(stored) : null) });
  vi.stubGlobal('document', { createElement: () => ({}), head: { append: () => undefined } });
  vi.stubGlobal('fetch', send);
  const files = HEAD_START_SCREENS.map(({ path, requests }) => ({
    path,
    requests,
    scripts: [],
    styles: [],
    texts: {},
  }));
  startAhead(files, { en: [] }, KEYS);
}

beforeEach(() => {
  asked = [];
  page = {};
});
afterEach(() => vi.unstubAllGlobals());

it.each([
  [`${SUBJECT_PATH}/days`, (of: typeof Queries) => [of.subjectQuery(IDS.studyId, IDS.subjectId)]],
  [
    VIEWER_PATH,
    (of: typeof Queries) => [
      of.subjectQuery(IDS.studyId, IDS.subjectId),
      of.recordingsBesideQuery(IDS.studyId, IDS.subjectId, IDS.recordingId),
      of.recordingOverviewQuery(IDS.studyId, IDS.recordingId),
    ],
  ],
])('asks for the data of %s as its queries do, so that they ask no more', async (path, queriesOf) => {
  start(path);
  asked[0]!.answer();
  await settle();
  const urls = asked.map(({ url }) => url);
  expect(new Set(asked.map(({ authorization }) => authorization)).size).toBe(1);
  const ahead = new Ahead(send, page[KEYS.ahead]);
  desk.fetch = ahead.fetch;
  client.credentials = CREDENTIALS;
  for (const one of asked) one.answer();
  const { signal } = new AbortController();
  for (const { queryFn } of queriesOf(queries)) await Object(queryFn)({ signal });
  expect(asked.map(({ url }) => url)).toEqual(urls);
  // Only the stream of changes is left.
  expect([...page[KEYS.ahead]!.keys()]).toEqual([expect.stringMatching(/\/api\/v1\/live$/)]);
});

it('opens the stream of changes before it asks for data', async () => {
  start(VIEWER_PATH);
  expect(asked.map(({ url }) => url)).toEqual(['/api/v1/live']);
  await settle();
  expect(asked).toHaveLength(1);
  asked[0]!.answer();
  await settle();
  expect(asked).toHaveLength(4);
});

it('asks for nothing more with a credential that is refused', async () => {
  start(VIEWER_PATH);
  asked[0]!.answer(401);
  await settle();
  expect(asked).toHaveLength(1);
});

it('leaves to the desk what the desk has asked for before the stream was open', async () => {
  start(VIEWER_PATH);
  const ahead = new Ahead(send, page[KEYS.ahead]);
  const url = `/api/v1${SUBJECT_PATH}?recordings=false`;
  void ahead.fetch(url, { headers: { authorization: asked[0]!.authorization! } });
  await settle();
  asked[0]!.answer();
  await settle();
  expect(asked.filter((one) => one.url === url)).toHaveLength(1);
  expect(asked).toHaveLength(4);
});

it.each([
  ['without a session', VIEWER_PATH, null],
  ['with an expired session', VIEWER_PATH, { expiration: Date.now() - 1 }],
  ['on another screen', '/site/jobs', undefined],
  ['for an address that is not one of ids', `/studies/a%20b/subjects/c/days`, undefined],
])('asks for no data %s', async (_, path, session) => {
  start(path, session);
  await settle();
  expect(asked).toEqual([]);
});

it('asks for no data after the desk has started', async () => {
  page[KEYS.ahead] = new Map();
  start(VIEWER_PATH);
  await settle();
  expect(asked).toEqual([]);
});
