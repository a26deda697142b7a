/**
 * Serves a recorded disk to one client over a Unix socket, in the NBD protocol (github.com/NetworkBlockDevice/nbd, doc/proto.md):
 * the fixed new-style handshake and simple replies, which every client knows. Requests are done one after the other.
 */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { RecordedDisk } from './recorded-disk.ts';

const OPTION_MAGIC = Buffer.from('IHAVEOPT');
const OPTION_REPLY_MAGIC = 0x3e889045565a9n;
const REQUEST_MAGIC = 0x25609513;
const REPLY_MAGIC = 0x67446698;
/** Fixed new-style, and no zeroes after the old form of the handshake. */
const HANDSHAKE_FLAGS = 3;
/** Flags are valid, flushes are known. */
const EXPORT_FLAGS = 1 | 4;
const OPTION = { exportName: 1, abort: 2, info: 6, go: 7 };
const ANSWER = { acknowledged: 1, info: 3, unsupported: 0x80000001 };
const COMMAND = { read: 0, write: 1, disconnect: 2, flush: 3 };
const EIO = 5;
const EINVAL = 22;

/** Reads exact numbers of bytes from a socket. */
class Reader {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(socket: Socket) {
    this.#chunks = socket[Symbol.asyncIterator]();
  }

  /** Undefined at the end. */
  async take(count: number): Promise<Buffer | undefined> {
    const pieces: Buffer[] = [this.#rest];
    let length = this.#rest.length;
    while (length < count) {
      const next = await this.#chunks.next();
      if (next.done) return undefined;
      pieces.push(next.value);
      length += next.value.length;
    }
    const all = pieces.length === 1 ? this.#rest : Buffer.concat(pieces);
    this.#rest = all.subarray(count);
    return all.subarray(0, count);
  }
}

export interface NbdServer {
  close(): Promise<void>;
}

export async function serveDisk(disk: RecordedDisk, socketPath: string): Promise<NbdServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    serve(disk, socket)
      .catch(() => undefined)
      .finally(() => socket.destroy());
  });
  server.listen(socketPath);
  await once(server, 'listening');
  return {
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

async function serve(disk: RecordedDisk, socket: Socket): Promise<void> {
  const reader = new Reader(socket);
  if (!(await handshake(disk, socket, reader))) return;
  for (;;) {
    const request = await reader.take(28);
    if (!request || request.readUInt32BE(0) !== REQUEST_MAGIC) return;
    const command = request.readUInt16BE(6);
    const offset = Number(request.readBigUInt64BE(16));
    const length = request.readUInt32BE(24);
    let error = 0;
    let answer: Buffer | undefined;
    if (command === COMMAND.disconnect) return;
    if (command === COMMAND.write) {
      const bytes = await reader.take(length);
      if (!bytes) return;
      // A copy of its own: the bytes lie in a larger piece of the stream, which would be kept with them.
      if (!disk.write(offset, Buffer.from(bytes))) error = EIO;
    } else if (command === COMMAND.read) {
      answer = disk.read(offset, length);
      if (!answer) error = EIO;
    } else if (command === COMMAND.flush) {
      if (!disk.flush()) error = EIO;
    } else error = EINVAL;
    const reply = Buffer.alloc(16);
    reply.writeUInt32BE(REPLY_MAGIC, 0);
    reply.writeUInt32BE(error, 4);
    request.copy(reply, 8, 8, 16);
    socket.write(answer ? Buffer.concat([reply, answer]) : reply);
  }
}

/** @returns whether requests follow */
async function handshake(disk: RecordedDisk, socket: Socket, reader: Reader): Promise<boolean> {
  socket.write(Buffer.concat([Buffer.from('NBDMAGIC'), OPTION_MAGIC, Buffer.from([0, HANDSHAKE_FLAGS])]));
  if (!(await reader.take(4))) return false;
  const size = Buffer.alloc(10);
  size.writeBigUInt64BE(BigInt(disk.sizeBytes));
  size.writeUInt16BE(EXPORT_FLAGS, 8);
  for (;;) {
    const header = await reader.take(16);
    if (!header?.subarray(0, 8).equals(OPTION_MAGIC)) return false;
    const option = header.readUInt32BE(8);
    if ((await reader.take(header.readUInt32BE(12))) === undefined) return false;
    const answer = (kind: number, data = Buffer.alloc(0)) => {
      const reply = Buffer.alloc(20);
      reply.writeBigUInt64BE(OPTION_REPLY_MAGIC, 0);
      reply.writeUInt32BE(option, 8);
      reply.writeUInt32BE(kind, 12);
      reply.writeUInt32BE(data.length, 16);
      socket.write(Buffer.concat([reply, data]));
    };
    if (option === OPTION.exportName) {
      socket.write(size);
      return true;
    }
    if (option === OPTION.info || option === OPTION.go) {
      answer(ANSWER.info, Buffer.concat([Buffer.alloc(2), size]));
      answer(ANSWER.acknowledged);
      if (option === OPTION.go) return true;
    } else if (option === OPTION.abort) {
      answer(ANSWER.acknowledged);
      return false;
    } else answer(ANSWER.unsupported);
  }
}
