/** A webhook receiver over real HTTP or HTTPS that verifies signatures and responds as a test configures. */
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';

export interface ReceivedPost {
  id: string;
  /** Epoch ms when it had arrived whole. */
  atMs: number;
  path: string;
  headers: Record<string, string>;
  body: string;
  event: { action: string; referenceId: string; [member: string]: unknown };
}

type Behaviour = (response: ServerResponse, post: ReceivedPost) => void;

export interface TestReceiver {
  url: string;
  port: number;
  /** Every POST that arrived, in order. */
  posts: ReceivedPost[];
  /** How the next posts are answered; default 204. */
  answer: Behaviour;
  /** Throws unless the post carries a good signature by the secret. */
  verify(post: ReceivedPost, secret: string): void;
  /** Resolves once so many posts have arrived. */
  whenPosts(count: number): Promise<void>;
  close(): Promise<void>;
}

export const answerStatus =
  (status: number, body = ''): Behaviour =>
  (response) => {
    response.writeHead(status).end(body);
  };

/** Never answers. */
export const hang: Behaviour = () => {};

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of request.setEncoding('utf8')) text += part as string;
  return text;
}

export async function startTestReceiver(
  options: { port?: number; tls?: { key: string; cert: string } } = {},
): Promise<TestReceiver> {
  const posts: ReceivedPost[] = [];
  const listener = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await bodyOf(request);
    const headers = request.headers as Record<string, string>;
    const post = {
      id: headers['webhook-id'] ?? '',
      atMs: Date.now(),
      path: request.url ?? '',
      headers,
      body,
      event: JSON.parse(body) as ReceivedPost['event'],
    };
    posts.push(post);
    receiver.answer(response, post);
  };
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    listener(request, response).catch(() => response.destroy());
  };
  const server = options.tls ? createHttpsServer(options.tls, handle) : createHttpServer(handle);
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const receiver: TestReceiver = {
    url: `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}/hook`,
    port,
    posts,
    answer: answerStatus(204),
    verify: (post, secret) => {
      new Webhook(secret).verify(post.body, post.headers);
    },
    whenPosts: async (count) => {
      while (posts.length < count) await sleep(5);
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}
