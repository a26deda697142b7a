/** Answers of routes that say only what is stored, as bytes, until the next write. */
import type { Request, Response } from 'express';
import type { RouteContract } from '../contract/route.ts';
import type { Caller } from './authenticate.ts';
import { ResponseCache, type WriteCounter } from './response-cache.ts';

const KEPT_BYTES = 16 * 1024 * 1024;
/** Longer answers go out in pieces; making them anew costs little beside sending them. */
const LONGEST_BYTES = 512 * 1024;
const LONGEST_LIST = 200;

export class StoredAnswers {
  readonly #kept: ResponseCache<Buffer>;

  constructor(store: WriteCounter) {
    this.#kept = new ResponseCache(store, KEPT_BYTES);
  }

  /** The key of a request whose answer may be kept; undefined for any other. */
  keyOf(route: RouteContract, request: Request, caller: Caller | undefined): string | undefined {
    if (!route.isStored || !caller) return undefined;
    return `${caller.user.id} ${request.originalUrl}`;
  }

  /** True when a kept answer went out. */
  send(response: Response, key: string): boolean {
    const bytes = this.#kept.get(key);
    if (!bytes) return false;
    sendBytes(response, bytes);
    return true;
  }

  /** Sends the answer and keeps it, if it was read since the count of writes was `begun`. False when it is too long. */
  sendAndKeep(response: Response, key: string, answer: unknown, begun: number): boolean {
    const items = Array.isArray(answer) ? answer : (answer as { items?: unknown }).items;
    if (Array.isArray(items) && items.length > LONGEST_LIST) return false;
    const bytes = Buffer.from(JSON.stringify(answer));
    if (bytes.length <= LONGEST_BYTES) this.#kept.keep(key, bytes, begun, bytes.length);
    sendBytes(response, bytes);
    return true;
  }
}

function sendBytes(response: Response, bytes: Buffer): void {
  response.setHeader('content-type', 'application/json; charset=utf-8');
  response.setHeader('content-length', bytes.length);
  response.status(200).end(bytes);
}
