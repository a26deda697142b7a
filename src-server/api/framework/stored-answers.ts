/** Caches complete answers of routes marked `isStored` as bytes, until something that they show is written to. */
import type { Request, Response } from 'express';
import type { RouteContract } from '../contract/route.ts';
import type { Caller } from './authenticate.ts';
import { sendBuffer } from './compression.ts';
import { type ReadFrom, type ReadTracker, ResponseCache } from './response-cache.ts';

const CACHE_BYTES = 16 * 1024 * 1024;
/** Longer answers are sent in chunks; making them again costs little compared with sending them. */
const LONGEST_BYTES = 512 * 1024;
const LONGEST_LIST = 200;

export class StoredAnswers {
  readonly #cache: ResponseCache<Buffer>;

  constructor(store: ReadTracker) {
    this.#cache = new ResponseCache(store, CACHE_BYTES);
  }

  /** Returns the cache key of a request, or undefined when its answer must not be cached. */
  keyOf(route: RouteContract, request: Request, caller: Caller | undefined): string | undefined {
    if (!route.isStored || !caller) return undefined;
    return `${caller.user.id} ${request.originalUrl}`;
  }

  /** Sends the cached answer. Returns false when there is none. */
  async send(response: Response, key: string): Promise<boolean> {
    const bytes = this.#cache.get(key);
    if (!bytes) return false;
    await sendBytes(response, bytes);
    return true;
  }

  /** Sends the answer and caches it, unless what it was read from has changed. Returns false when it is too long. */
  async sendAndKeep(response: Response, key: string, answer: unknown, from: ReadFrom): Promise<boolean> {
    const items = Array.isArray(answer) ? answer : (answer as { items?: unknown }).items;
    if (Array.isArray(items) && items.length > LONGEST_LIST) return false;
    const bytes = Buffer.from(JSON.stringify(answer));
    if (bytes.length <= LONGEST_BYTES) this.#cache.keep(key, bytes, from, bytes.length);
    await sendBytes(response, bytes);
    return true;
  }
}

async function sendBytes(response: Response, bytes: Buffer): Promise<void> {
  response.status(200).setHeader('content-type', 'application/json; charset=utf-8');
  await sendBuffer(response, bytes);
}
