/**
 * Answers that were asked for ahead of the code that needs them, by the head start of the page or by a route. A request takes
 * the answer to the same address, with the same credential, instead of asking again. Each is taken once; one that failed,
 * that is not taken in time, or that may be older than a change is dropped, and the request asks as if it had never been.
 */
import { SECOND_MS } from '../../../src-server/durations.ts';

/** A request that runs ahead. The head start of the page makes such objects too. */
export interface AheadRequest {
  /** Undefined while the head start waits for the stream of changes; a request then asks for itself. */
  answer: Promise<Response> | undefined;
  abort: () => void;
}

/** By {@link aheadKey}. */
export type AheadRequests = Map<string, AheadRequest>;

/** The member of `window` under which the head start leaves its requests. */
export const AHEAD_MEMBER = 'outpostAhead';
/** Time for an answer to be taken, from the start of the desk or from asking: as long as the query client takes one for current. */
const AHEAD_MS = 15 * SECOND_MS;

const LIVE = /\/live$/;

export const aheadKey = (url: string, authorization: string) => `${authorization} ${url}`;

/** Key of a request for the usual form of an address with a credential; null for any other. */
function keyOf(url: string, { method = 'GET', headers }: RequestInit): string | null {
  const sent = new Headers(headers);
  const authorization = sent.get('authorization');
  return method === 'GET' && authorization !== null && !sent.has('accept') ? aheadKey(url, authorization) : null;
}

type Send = (url: string, init: RequestInit) => Promise<Response>;

export class Ahead {
  readonly #send: Send;
  readonly #requests: AheadRequests;
  readonly #ofPage: ReadonlySet<AheadRequest>;
  #tookAnswer = false;
  #tookLive = false;

  /** @param ofPage requests of the head start, all of which began after its stream of changes had been opened */
  constructor(send: Send, ofPage: AheadRequests = new Map()) {
    this.#send = send;
    this.#requests = ofPage;
    this.#ofPage = new Set(ofPage.values());
    setTimeout(() => this.dropOfPage(), AHEAD_MS);
  }

  /**
   * True where an answer of the head start was taken, but not the stream of changes that had been opened before it: what
   * changed since was announced to nobody.
   */
  get mayHaveMissedChanges(): boolean {
    return this.#tookAnswer && !this.#tookLive;
  }

  /** Asks for something that never changes and is about to be needed. */
  ask(url: string, authorization: string): void {
    const key = aheadKey(url, authorization);
    if (this.#requests.has(key)) return;
    const abort = new AbortController();
    const answer = this.#send(url, { headers: { authorization }, signal: abort.signal });
    const request: AheadRequest = { answer, abort: () => abort.abort() };
    this.#requests.set(key, request);
    const drop = () => this.#drop(key, request);
    answer.catch(drop);
    setTimeout(drop, AHEAD_MS);
  }

  /** After a change, the answers of the head start that nobody has taken may be old. */
  dropOfPage(): void {
    for (const [key, request] of this.#requests) if (this.#ofPage.has(request)) this.#drop(key, request);
  }

  /** After another user has signed in, or nobody is. */
  dropAll(): void {
    for (const [key, request] of this.#requests) this.#drop(key, request);
  }

  #drop(key: string, request: AheadRequest): void {
    if (this.#requests.get(key) !== request) return;
    this.#requests.delete(key);
    request.abort();
  }

  /** `fetch` that takes the answers which were asked for ahead. */
  readonly fetch = async (url: string, init: RequestInit): Promise<Response> =>
    (await this.#take(url, init)) ?? (await this.#send(url, init));

  async #take(url: string, init: RequestInit): Promise<Response | undefined> {
    const key = keyOf(url, init);
    const request = key === null ? undefined : this.#requests.get(key);
    if (key === null || !request) return undefined;
    this.#requests.delete(key);
    if (!request.answer) return undefined;
    if (init.signal?.aborted) request.abort();
    init.signal?.addEventListener('abort', request.abort, { once: true });
    const response = await request.answer.catch(() => undefined);
    if (!response?.ok) return undefined;
    if (LIVE.test(url)) this.#tookLive = true;
    else if (this.#ofPage.has(request)) this.#tookAnswer = true;
    return response;
  }
}
