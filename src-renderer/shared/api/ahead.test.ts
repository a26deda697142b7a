import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Ahead, type AheadRequest, aheadKey } from './ahead.ts';

const ADA = 'Basic ada';
type Send = ReturnType<typeof server>['send'];

const URL = '/api/v1/studies/1';

/** A server whose answers carry the number of the request. */
function server(status: (url: string) => number = () => 200) {
  const asked: string[] = [];
  const send = async (url: string, init?: RequestInit): Promise<Response> => {
    init?.signal?.throwIfAborted();
    asked.push(url);
    return new Response(String(asked.length), { status: status(url) });
  };
  return { asked, send };
}

const inAdvance = (send: Send, url: string): AheadRequest => {
  const abort = new AbortController();
  const answer = send(url, { signal: abort.signal });
  answer.catch(() => undefined);
  return { answer, abort: vi.fn(() => abort.abort()) };
};

const ofPage = (send: Send, ...urls: string[]) =>
  new Map(urls.map((url) => [aheadKey(url, ADA), inAdvance(send, url)]));

const as = (authorization: string, more: RequestInit = {}): RequestInit => ({ headers: { authorization }, ...more });

const textOf = async (answer: Promise<Response>) => await (await answer).text();

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it('hands an answer over once, and asks again for the next request', async () => {
  const { asked, send } = server();
  const ahead = new Ahead(send, ofPage(send, URL));
  expect(await textOf(ahead.fetch(URL, as(ADA)))).toBe('1');
  expect(asked).toEqual([URL]);
  expect(await textOf(ahead.fetch(URL, as(ADA)))).toBe('2');
});

it('hands an answer only to the same request with the same credential', async () => {
  const { asked, send } = server();
  const requests = ofPage(send, URL);
  const ahead = new Ahead(send, requests);
  for (const [url, init] of [
    [URL, as('Basic bob')],
    [URL, {}],
    [`${URL}?recordings=false`, as(ADA)],
    [URL, as(ADA, { method: 'DELETE' })],
    [URL, { headers: { authorization: ADA, accept: 'text/csv' } }],
  ] as const)
    expect(await textOf(ahead.fetch(url, init))).not.toBe('1');
  expect(asked).toHaveLength(6);
  expect(requests.size).toBe(1);
});

it('asks again where the answer ahead was refused, failed, or had not begun', async () => {
  const refusing = server((url) => (url === URL ? 401 : 200));
  const ahead = new Ahead(refusing.send, ofPage(refusing.send, URL));
  const refused = await ahead.fetch(URL, as(ADA));
  expect([refused.status, await refused.text()]).toEqual([401, '2']);
  expect(ahead.mayHaveMissedChanges).toBe(false);

  const { send } = server();
  const key = aheadKey(URL, ADA);
  const failed = Promise.reject(new TypeError('network'));
  expect(await textOf(new Ahead(send, new Map([[key, { answer: failed, abort() {} }]])).fetch(URL, as(ADA)))).toBe('1');
  const waiting = new Map([[key, { answer: undefined, abort() {} }]]);
  expect(await textOf(new Ahead(send, waiting).fetch(URL, as(ADA)))).toBe('2');
  // The head start sees by it that it must not begin any more.
  expect(waiting.size).toBe(0);
});

it('drops what nobody takes within some seconds', async () => {
  const { asked, send } = server();
  const requests = ofPage(send, URL);
  const [request] = requests.values();
  const ahead = new Ahead(send, requests);
  ahead.ask('/api/v1/late', ADA);
  vi.advanceTimersByTime(14_000);
  expect(requests.size).toBe(2);
  vi.advanceTimersByTime(2_000);
  expect(requests.size).toBe(0);
  expect(request?.abort).toHaveBeenCalled();
  await ahead.fetch(URL, as(ADA));
  expect(asked).toEqual([URL, '/api/v1/late', URL]);
});

it('drops answers of the page after a change, and all for another user', async () => {
  const { asked, send } = server();
  const ahead = new Ahead(send, ofPage(send, URL));
  ahead.ask('/api/v1/samples', ADA);
  ahead.dropOfPage();
  await ahead.fetch('/api/v1/samples', as(ADA));
  expect(asked).toEqual([URL, '/api/v1/samples']);
  await ahead.fetch(URL, as(ADA));
  expect(asked).toHaveLength(3);
  ahead.ask('/api/v1/samples', ADA);
  ahead.dropAll();
  await ahead.fetch('/api/v1/samples', as(ADA));
  expect(asked).toHaveLength(5);
});

it('tells that changes may have been missed, where the stream before the answers was not taken', async () => {
  const { send } = server();
  const live = '/api/v1/live';
  const whole = new Ahead(send, ofPage(send, live, URL));
  await whole.fetch(live, as(ADA));
  await whole.fetch(URL, as(ADA));
  expect(whole.mayHaveMissedChanges).toBe(false);
  const part = new Ahead(send, ofPage(send, URL));
  part.ask('/api/v1/samples', ADA);
  await part.fetch('/api/v1/samples', as(ADA));
  expect(part.mayHaveMissedChanges).toBe(false);
  await part.fetch(URL, as(ADA));
  expect(part.mayHaveMissedChanges).toBe(true);
});

it('asks once for what is already asked for', async () => {
  const { asked, send } = server();
  const ahead = new Ahead(send);
  ahead.ask(URL, ADA);
  ahead.ask(URL, ADA);
  expect(asked).toEqual([URL]);
});

it('ends a taken request with the request that took it', async () => {
  const { send } = server();
  const requests = ofPage(send, URL);
  const [request] = requests.values();
  const ahead = new Ahead(send, requests);
  const caller = new AbortController();
  await ahead.fetch(URL, as(ADA, { signal: caller.signal }));
  caller.abort();
  expect(request?.abort).toHaveBeenCalled();
  await expect(ahead.fetch(URL, as(ADA, { signal: caller.signal }))).rejects.toThrow('aborted');
});
