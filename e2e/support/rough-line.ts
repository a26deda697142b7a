/** A line between a browser and a site that breaks where a test wants it to. It carries TLS and reads nothing of it. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export class RoughLine {
  #port = 0;
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((from) => this.#carry(from));
  #leftBytes = Number.POSITIVE_INFINITY;
  /** How often the line broke. */
  breaks = 0;

  constructor(url: string) {
    this.leadTo(url);
  }

  /** Where the site listens now; the browser keeps its own address. */
  leadTo(url: string): void {
    this.#port = Number(new URL(url).port);
  }

  /** Where the browser calls. */
  url = '';

  async open(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.url = `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  /** Ends all connections; those that come next break once they have carried so many bytes, in both directions together. */
  breakAfter(bytes: number): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#leftBytes = bytes;
  }

  /** Carries everything from now on. */
  mend(): void {
    this.#leftBytes = Number.POSITIVE_INFINITY;
  }

  async close(): Promise<void> {
    this.breakAfter(0);
    this.#server.close();
    await once(this.#server, 'close');
  }

  #carry(from: Socket): void {
    const to = connect(this.#port, '127.0.0.1');
    const pass = (target: Socket) => (chunk: Buffer) => {
      const carried = chunk.subarray(0, this.#leftBytes);
      this.#leftBytes -= carried.length;
      target.write(carried);
      if (this.#leftBytes > 0) return;
      if (!from.destroyed) this.breaks += 1;
      // What was carried arrives; the other end learns of the break as of a lost peer.
      target.end();
      from.destroy();
      to.destroySoon();
    };
    from.on('data', pass(to));
    to.on('data', pass(from));
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      this.#sockets.add(one);
      one.on('error', () => undefined);
      one.on('close', () => {
        this.#sockets.delete(one);
        other.destroySoon();
      });
    }
  }
}
