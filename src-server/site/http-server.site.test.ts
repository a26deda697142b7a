import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { createHttpServer } from './http-server.ts';

const LIMITS = { periodMs: 150, minimumBytes: 50 };

let server: Server;
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const readAll: RequestListener = (request, response) => {
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
  });
  request.on('end', () => response.end(`took ${size}`));
};

async function open(answer: RequestListener): Promise<{ socket: Socket; received: () => string }> {
  server = createHttpServer(answer, LIMITS);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let text = '';
  socket.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  socket.on('error', () => undefined);
  return { socket, received: () => text };
}

const head = (bytes: number) => `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${bytes}\r\n\r\n`;

describe('slow senders', () => {
  it('no time limit on a whole request, one on its head', async () => {
    await open(readAll);
    expect(server.requestTimeout).toBe(0);
    expect(server.headersTimeout).toBe(20_000);
  });

  it('takes an upload that goes on steadily, however long it lasts', async () => {
    const { socket, received } = await open(readAll);
    const pieces = 30;
    socket.write(head(pieces * 400));
    for (let i = 0; i < pieces; i++) {
      socket.write('x'.repeat(400));
      await sleep(LIMITS.periodMs / 6);
    }
    while (!received().includes('took')) await sleep(10);
    expect(received()).toContain(`took ${pieces * 400}`);
  });

  it.each([
    ['falls silent', 10_000],
    ['drips single bytes', LIMITS.periodMs / 6],
  ])('cuts a sender that %s in the middle of a body', async (_name, everyMs) => {
    const { socket, received } = await open(readAll);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(`${head(1000)}begun`);
    const timer = setInterval(() => socket.write('x'), everyMs);
    await closed;
    clearInterval(timer);
    expect(received()).toBe('');
  });

  it('leaves alone who waits for an answer, with and without a body', async () => {
    const slow: RequestListener = (request, response) => {
      request.resume();
      setTimeout(() => response.end('late'), LIMITS.periodMs * 4);
    };
    const { socket, received } = await open(slow);
    socket.write(`${head(4)}body`);
    while (!received().includes('late')) await sleep(10);
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    while (received().split('late').length < 3) await sleep(10);
  });

  it('does not blame a sender for a body that the site has not read yet', async () => {
    const later: RequestListener = (request, response) => {
      setTimeout(() => readAll(request, response as Parameters<RequestListener>[1]), LIMITS.periodMs * 4);
    };
    const { socket, received } = await open(later);
    socket.write(`${head(200_000)}${'x'.repeat(100_000)}`);
    await sleep(LIMITS.periodMs * 5);
    socket.write('x'.repeat(100_000));
    while (!received().includes('took')) await sleep(10);
    expect(received()).toContain('took 200000');
  });
});
