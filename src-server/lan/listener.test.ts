import { EventEmitter } from 'node:events';
import type { Server } from 'node:https';
import { expect, it } from 'vitest';
import { openListener } from './listener.ts';

class FakeSocket extends EventEmitter {
  isDestroyed = false;
  readonly remoteAddress: string;

  constructor(remoteAddress: string) {
    super();
    this.remoteAddress = remoteAddress;
  }

  destroy(): void {
    this.isDestroyed = true;
  }
}

async function listening() {
  const server = Object.assign(new EventEmitter(), {
    listen: (_port: number, _host: string | undefined, done: () => void) => done(),
    address: () => ({ port: 1 }),
  });
  await openListener(server as unknown as Server, { port: 0 }, () => undefined);
  return (address: string) => {
    const socket = new FakeSocket(address);
    server.emit('connection', socket);
    return socket;
  };
}

it('limits the connections of one IPv6 network, whatever addresses it uses, and leaves other networks theirs', async () => {
  const connect = await listening();
  const first = Array.from({ length: 200 }, (_, i) => connect(`2001:db8::${(i + 1).toString(16)}`));
  expect(first.filter(({ isDestroyed }) => !isDestroyed)).toHaveLength(96);
  expect(connect('2001:db8:0:1::1').isDestroyed).toBe(false);
  expect(connect('192.0.2.1').isDestroyed).toBe(false);
  first[0]!.emit('close');
  expect([connect('2001:db8::ffff').isDestroyed, connect('2001:db8::ffff').isDestroyed]).toEqual([false, true]);
});

it('limits the connections of one address', async () => {
  const connect = await listening();
  const own = Array.from({ length: 40 }, () => connect('192.0.2.1'));
  expect(own.filter(({ isDestroyed }) => !isDestroyed)).toHaveLength(32);
});
