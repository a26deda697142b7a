/** Writes long answers in chunks: the event loop stays free, and a slow reader applies back-pressure. */
import type { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Response } from 'express';
import { OutpostError } from '../../errors.ts';
import { compressedBody, sendBuffer } from './compression.ts';

const CHUNK_CHARACTERS = 64 * 1024;
/** Longest turn of work on the main thread, in ms. */
export const TURN_MS = 4;

/** Collects text and sends it in chunks of about 64 KB, yielding to other requests in between. */
export class TextStream {
  readonly #response: Response;
  #body: Writable | undefined;
  #parts: string[] = [];
  #length = 0;
  #turnStarted = performance.now();

  constructor(response: Response) {
    this.#response = response;
  }

  /** Adds text. Returns true when `flush` should be awaited before more text is made. */
  add(text: string): boolean {
    this.#parts.push(text);
    this.#length += text.length;
    return this.#length >= CHUNK_CHARACTERS;
  }

  /** Sends the added text, with back-pressure. @throws CANCELLED when the reader has disconnected */
  async flush(): Promise<void> {
    if (this.#length > 0) {
      const text = this.#parts.join('');
      this.#parts = [];
      this.#length = 0;
      if (this.#response.destroyed) throw readerGone();
      this.#body ??= compressedBody(this.#response);
      if (!this.#body.write(text)) await drained(this.#body);
    }
    await this.giveWay();
  }

  /** Yields to other requests when this turn has lasted long enough. */
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
    (this.#body ?? this.#response).end();
  }
}

/** Returns the error that ends a stream whose reader has disconnected. */
export function readerGone(): OutpostError {
  return new OutpostError('CANCELLED', 'The reader closed the connection.');
}

/** Resolves once the reader has caught up. @throws CANCELLED when it has disconnected */
export function drained(body: Writable): Promise<void> {
  return new Promise((resolve, reject) => {
    // Nothing will come of a body that was destroyed already.
    if (body.destroyed) return reject(readerGone());
    const onDrain = () => {
      body.off('close', onClose);
      resolve();
    };
    const onClose = () => {
      body.off('drain', onDrain);
      reject(readerGone());
    };
    body.once('drain', onDrain);
    body.once('close', onClose);
  });
}

const LONG_LIST = 200;
/** Items of the first block; the number then follows the length of the items, so that a block has about {@link CHUNK_CHARACTERS}. */
const FIRST_BLOCK_ITEMS = 64;
/** Bounds a block whose items are suddenly longer than those before. */
const MOST_BLOCK_ITEMS = 512;

/** Sends a JSON answer; long lists (bare or under `items`) are sent in blocks. */
export async function sendJson(response: Response, status: number, body: unknown): Promise<void> {
  response.status(status);
  const { items: listed, ...rest } = Array.isArray(body) ? { items: body } : (body as { items?: unknown });
  const items: unknown = listed;
  if (!Array.isArray(items) || items.length <= LONG_LIST) {
    response.type('application/json');
    await sendBuffer(response, Buffer.from(JSON.stringify(body)));
    return;
  }
  response.type('application/json');
  const stream = new TextStream(response);
  stream.add(Array.isArray(body) ? '[' : '{"items":[');
  await writeItems(stream, items);
  // A list has `size` beside its items, and a page a link to the next.
  const more = JSON.stringify(rest).slice(1);
  await stream.end(Array.isArray(body) ? ']' : more === '}' ? ']}' : `],${more}`);
}

/**
 * Sends a list that is too long to hold: its pages are read while it is sent.
 * @param pages in the order of the list; none is empty
 */
export async function sendPages(response: Response, pages: AsyncIterable<readonly unknown[]>): Promise<void> {
  response.status(200).type('application/json');
  const stream = new TextStream(response);
  stream.add('{"items":[');
  let size = 0;
  for await (const page of pages) {
    if (size > 0) stream.add(',');
    await writeItems(stream, page);
    size += page.length;
  }
  await stream.end(`],"size":${size}}`);
}

/** One `JSON.stringify` and one write per block: per item, each costs more than the text of a small item. */
async function writeItems(stream: TextStream, items: readonly unknown[]): Promise<void> {
  let count = FIRST_BLOCK_ITEMS;
  let sent = 0;
  while (sent < items.length) {
    const block = items.slice(sent, sent + count);
    const text = JSON.stringify(block).slice(1, -1);
    stream.add(sent === 0 ? text : `,${text}`);
    await stream.flush();
    sent += block.length;
    const fitting = Math.ceil((CHUNK_CHARACTERS * block.length) / text.length);
    count = Math.min(MOST_BLOCK_ITEMS, Math.max(1, fitting));
  }
}
