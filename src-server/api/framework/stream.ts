/** Writes long answers piece by piece: the event loop stays free and a slow reader holds the writer back. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Response } from 'express';
import { OutpostError } from '../../errors.ts';

const PIECE_CHARACTERS = 64 * 1024;
/** A piece of work on the main thread ends after about this long. */
export const TURN_MS = 4;

/** Collects text and sends it in pieces of about 64 KB, giving way to other requests in between. */
export class TextStream {
  readonly #response: Response;
  #parts: string[] = [];
  #length = 0;
  #turnStarted = performance.now();

  constructor(response: Response) {
    this.#response = response;
  }

  /** Adds text. True when `flush` should be awaited before more is made. */
  add(text: string): boolean {
    this.#parts.push(text);
    this.#length += text.length;
    return this.#length >= PIECE_CHARACTERS;
  }

  /** Sends what was added; waits while the reader is slow. @throws CANCELLED when the reader has gone */
  async flush(): Promise<void> {
    if (this.#length > 0) {
      const text = this.#parts.join('');
      this.#parts = [];
      this.#length = 0;
      if (this.#response.destroyed) throw readerGone();
      if (!this.#response.write(text)) await drained(this.#response);
    }
    await this.giveWay();
  }

  /** Lets others run when this turn has lasted long enough. */
  async giveWay(): Promise<void> {
    if (performance.now() - this.#turnStarted < TURN_MS) return;
    await nextTurn();
    this.#turnStarted = performance.now();
    if (this.#response.destroyed) throw readerGone();
  }

  async write(text: string): Promise<void> {
    if (this.add(text)) await this.flush();
  }

  async end(text = ''): Promise<void> {
    this.add(text);
    await this.flush();
    this.#response.end();
  }
}

/** What ends a stream whose reader has left. */
export function readerGone(): OutpostError {
  return new OutpostError('CANCELLED', 'The reader closed the connection.');
}

/** Resolves once the reader has caught up. @throws CANCELLED when it has gone */
export function drained(response: Response): Promise<void> {
  return new Promise((resolve, reject) => {
    const onDrain = () => {
      response.off('close', onClose);
      resolve();
    };
    const onClose = () => {
      response.off('drain', onDrain);
      reject(readerGone());
    };
    response.once('drain', onDrain);
    response.once('close', onClose);
  });
}

const LONG_LIST = 200;

/** Sends a JSON answer; long lists (bare or under `items`) go out in pieces. */
export async function sendJson(response: Response, status: number, body: unknown): Promise<void> {
  response.status(status);
  const items = Array.isArray(body) ? body : (body as { items?: unknown }).items;
  if (!Array.isArray(items) || items.length <= LONG_LIST) {
    response.json(body);
    return;
  }
  response.type('application/json');
  const stream = new TextStream(response);
  stream.add(Array.isArray(body) ? '[' : '{"items":[');
  for (const [i, item] of items.entries()) {
    await stream.write(`${i === 0 ? '' : ','}${JSON.stringify(item)}`);
    await stream.giveWay();
  }
  await stream.end(Array.isArray(body) ? ']' : `],"size":${items.length}}`);
}
