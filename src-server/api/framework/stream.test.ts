/** Long lists over a real socket: blocks, valid JSON, and a cut instead of half a list. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Response } from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendJson } from './stream.ts';

const app = express();
const server = createServer(app);
let body: unknown;
let writes: number[] = [];
let failure: unknown;

/** Records the length of every write to the response. */
function observe(response: Response) {
  const write = response.write.bind(response) as (chunk: string) => boolean;
  response.write = (chunk: string) => {
    writes.push(chunk.length);
    return write(chunk);
  };
}

app.get('/', async (_request, response) => {
  observe(response);
  try {
    await sendJson(response, 200, body);
  } catch (thrown) {
    failure = thrown;
    response.destroy();
  }
});
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function get(answer: unknown): Promise<string> {
  body = answer;
  writes = [];
  failure = undefined;
  return await (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)).text();
}

const itemsOf = (count: number, text: string) =>
  Array.from({ length: count }, (_, id) => ({ id, text: `${text}${id}` }));

describe('sendJson', () => {
  it.each([
    ['small items', itemsOf(20_001, 'あ ')],
    ['items of 40 kB', itemsOf(250, 'x'.repeat(40_000))],
    [
      'small and large items',
      itemsOf(1000, '').map((item) => ({ ...item, more: 'y'.repeat(item.id % 300 ? 1 : 200_000) })),
    ],
    ['items without a value', Array.from({ length: 500 }, (_, id) => (id % 2 ? undefined : id))],
  ])('sends a list of %s in blocks as the same JSON', async (_, items) => {
    expect(await get(items)).toBe(JSON.stringify(items));
    const page = { items, size: items.length, links: [{ href: '/next', rel: 'next' }] };
    const text = await get(page);
    expect(text).toBe(JSON.stringify(page));
    expect(await get({ items })).toBe(JSON.stringify({ items }));
    // The first block is short, the others are near 64 kB: far fewer writes than items.
    expect(writes.length).toBeLessThan(4 + (4 * text.length) / 65_536 + items.length / 256);
    expect(writes[0]).toBeLessThan(64 * 40_100);
  });

  it('never completes a list that fails on the way', async () => {
    const items = itemsOf(5000, 'text') as object[];
    items[4000] = {
      toJSON: () => {
        throw new Error('unreadable');
      },
    };
    await expect(get(items)).rejects.toThrow();
    expect(failure).toMatchObject({ message: 'unreadable' });
    expect(writes.length).toBeGreaterThan(0);
  });
});
