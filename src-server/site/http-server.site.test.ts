import { once } from 'node:events';
import { Agent, get, type RequestListener, type Server } from 'node:http';
import { get as getTls, Agent as TlsAgent } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { makeTestCertificate } from '../testing/test-certificate.ts';
import { createHttpServer, createHttpsServer } from './http-server.ts';

const LIMITS = { periodMs: 150, minimumBytes: 50, headTimeoutMs: 20_000, checkIntervalMs: 5000, keepAliveMs: 5000 };

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
  it('limits the time for the head of a request, but not for the whole request', async () => {
    await open(readAll);
    expect(server.requestTimeout).toBe(0);
    expect(server.headersTimeout).toBe(20_000);
  });

  it('accepts a long upload that arrives steadily', async () => {
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
    ['stalls', 10_000],
    ['trickles single bytes', LIMITS.periodMs / 6],
  ])('cuts a sender that %s in the middle of a body', async (_name, everyMs) => {
    const { socket, received } = await open(readAll);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(`${head(1000)}begun`);
    const timer = setInterval(() => socket.write('x'), everyMs);
    await closed;
    clearInterval(timer);
    expect(received()).toBe('');
  });

  it('does not cut a client that waits for a response, with and without a body', async () => {
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

  it('does not cut a sender whose body the site has not read yet', async () => {
    const reading = Promise.withResolvers<void>();
    const later: RequestListener = async (request, response) => {
      await sleep(LIMITS.periodMs * 4);
      readAll(request, response as Parameters<RequestListener>[1]);
      reading.resolve();
    };
    const { socket, received } = await open(later);
    socket.write(`${head(200_000)}${'x'.repeat(100_000)}`);
    // The sender has a full period from here on, however late this process comes to its timers.
    await reading.promise;
    socket.write('x'.repeat(100_000));
    while (!received().includes('took')) await sleep(10);
    expect(received()).toContain('took 200000');
  });
});

describe.each(['HTTP', 'HTTPS'])('connections over %s', (scheme) => {
  const limits = { ...LIMITS, headTimeoutMs: 200, checkIntervalMs: 20, keepAliveMs: 60_000 };

  async function listen(answer: RequestListener = (_request, response) => response.end('hello')): Promise<number> {
    server =
      scheme === 'HTTP'
        ? createHttpServer(answer, limits)
        : createHttpsServer(answer, await makeTestCertificate(), { ...limits, headTimeoutMs: 1000 });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  /** Sends `text` and returns the response bytes received until the server closes the connection. */
  async function exchange(port: number, text: string): Promise<string> {
    const socket =
      scheme === 'HTTP'
        ? connect(port, '127.0.0.1')
        : connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
    await once(socket, scheme === 'HTTP' ? 'connect' : 'secureConnect');
    let received = '';
    socket.setEncoding('utf8').on('data', (part: string) => {
      received += part;
    });
    const closed = once(socket, 'close');
    if (text !== '') socket.write(text);
    await closed;
    return received;
  }

  it('closes an unused connection without a response', async () => {
    expect(await exchange(await listen(), '')).toBe('');
  });

  it.each(['G', 'GET / HTTP/1.1\r\nHost: loc', 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\nGET /again HT'])(
    'answers 408 to the incomplete request %j',
    async (text) => {
      const received = await exchange(await listen(), text);
      expect(received).toMatch(/HTTP\/1\.1 408 Request Timeout\r\n.*"code":"REQUEST_TIMEOUT"/s);
      expect(received.includes('hello')).toBe(text.includes('again'));
    },
  );

  it.each(['garbage\r\n\r\n', 'GET / HTTP/9.9\r\n\r\n', '\u0000\u0001\u0002'])(
    'answers 400 to %j, which is not HTTP',
    async (text) => {
      expect(await exchange(await listen(), text)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n.*"code":"INVALID_INPUT"/s);
    },
  );

  it('appends no error to a response that has started', async () => {
    const port = await listen((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('event: hello\n\n');
    });
    const received = await exchange(port, 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\ngarbage\r\n\r\n');
    expect(received).not.toContain('HTTP/1.1 400');
  });

  it('reuses a keep-alive connection that idled longer than the head timeout', async () => {
    const port = await listen();
    const [agent, ask] =
      scheme === 'HTTP'
        ? [new Agent({ keepAlive: true, maxSockets: 1 }), get]
        : [new TlsAgent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false }), getTls];
    const fetchOnce = async (): Promise<{ status?: number; isReused: boolean }> => {
      const request = ask({ port, host: '127.0.0.1', agent });
      const [response] = await once(request, 'response');
      response.resume();
      await once(response, 'end');
      return { status: response.statusCode, isReused: request.reusedSocket };
    };
    expect(await fetchOnce()).toEqual({ status: 200, isReused: false });
    await sleep(scheme === 'HTTP' ? 500 : 1500);
    expect(await fetchOnce()).toEqual({ status: 200, isReused: true });
    agent.destroy();
  });
});
