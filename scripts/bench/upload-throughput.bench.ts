/** Durable, checked uploads beside the tus server's own file store, which neither syncs nor checks; the same client for both. */
import { spawn } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, open, readdir, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BenchRow } from './types.ts';

const FILE_BYTES = 96 << 20;
const PIECES_BYTES = [8 << 20, 16 << 20];
const ROUNDS = 7;
const BAR = 0.8;
const UPLOADS = '/api/v1/device/uploads';
/** Beginning of a recording; the rest is what no disk or network can make smaller. */
const HEAD = Buffer.from([0x89, 0x4f, 0x53, 0x49, 0x47, 0x0d, 0x0a, 0x1a, 1, 0]);

interface Piece {
  bytes: Buffer;
  checksum: string;
}

function makePieces(chunkBytes: number): Piece[] {
  const pieces: Piece[] = [];
  for (let at = 0; at < FILE_BYTES; at += chunkBytes) {
    const bytes = randomBytes(chunkBytes);
    if (at === 0) HEAD.copy(bytes);
    pieces.push({ bytes, checksum: `sha256 ${createHash('sha256').update(bytes).digest('base64')}` });
  }
  return pieces;
}

class Client {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  #call(method: string, path: string, headers: Record<string, string | number>, body?: Buffer) {
    return new Promise<{ status: number; location: string }>((resolve, reject) => {
      const sent = request(
        new URL(path, this.#url),
        { method, agent: this.#agent, headers: { 'tus-resumable': '1.0.0', ...headers } },
        (response) => {
          response.resume();
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, location: response.headers.location ?? '' }),
          );
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
  }

  /** Seconds from the announcement to the answer to the last piece. */
  async send(pieces: readonly Piece[]): Promise<number> {
    const metadata = { recordingId: randomUUID(), sensor: 'sensor', sha256: hashOfNothing(), formatVersion: '1' };
    const members = Object.entries({ ...metadata, startUs: '1700000000000000' });
    const started = performance.now();
    const { location } = await this.#call('POST', UPLOADS, {
      'upload-length': FILE_BYTES,
      'upload-metadata': members.map(([name, value]) => `${name} ${btoa(value)}`).join(','),
      'content-length': 0,
    });
    let offset = 0;
    for (const { bytes, checksum } of pieces) {
      const headers = {
        'upload-offset': offset,
        'content-type': 'application/offset+octet-stream',
        'content-length': bytes.length,
        'upload-checksum': checksum,
      };
      const { status } = await this.#call('PATCH', location, headers, bytes);
      if (status !== 204) throw new Error(`A piece was answered ${status}.`);
      offset += bytes.length;
    }
    return (performance.now() - started) / 1000;
  }
}

/** Each upload is another file to the site. */
function hashOfNothing(): string {
  return createHash('sha256').update(randomBytes(16)).digest('hex');
}

async function startServer(which: 'ours' | 'file-store', dir: string) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'upload-peer.ts'), which, dir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  return {
    client: new Client(line.trim()),
    stop: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

/** What one round left to be written must not be counted against the next. */
async function settle(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const handle = await open(join(entry.parentPath, entry.name), 'r+');
    await handle.sync();
    await handle.close();
  }
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

export async function run(): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(process.env.BENCH_DIR ?? tmpdir(), 'outpost-upload-bench-'));
  const sizes = PIECES_BYTES.map((chunkBytes) => ({
    chunkBytes,
    pieces: makePieces(chunkBytes),
    seconds: { ours: [] as number[], peer: [] as number[] },
  }));
  const servers: Record<'ours' | 'peer', Awaited<ReturnType<typeof startServer>>> = {
    ours: await startServer('ours', await mkdtemp(join(folder, 'ours-'))),
    peer: await startServer('file-store', await mkdtemp(join(folder, 'peer-'))),
  };
  try {
    // The first round finds cold code.
    for (let round = 0; round <= ROUNDS; round++) {
      for (const { pieces, seconds } of sizes) {
        for (const which of round % 2 === 0 ? (['ours', 'peer'] as const) : (['peer', 'ours'] as const)) {
          const taken = await servers[which].client.send(pieces);
          if (round > 0) seconds[which].push(taken);
          await settle(folder);
        }
      }
    }
  } finally {
    await Promise.all([servers.ours.stop(), servers.peer.stop()]);
    await rm(folder, { recursive: true, force: true });
  }
  return sizes.map(({ chunkBytes, seconds }) => {
    const ratios = seconds.ours.map((taken, round) => (seconds.peer[round] ?? Number.NaN) / taken);
    const told = ratios.map((ratio) => ratio.toFixed(2)).join(' ');
    process.stderr.write(`pieces of ${chunkBytes >> 20} MiB, ratios of the rounds: ${told}\n`);
    const ratio = median(ratios);
    return {
      name: `upload of ${FILE_BYTES >> 20} MiB in pieces of ${chunkBytes >> 20} MiB, each checked and synced`,
      value: FILE_BYTES / 1e6 / median(seconds.ours),
      unit: 'MB/s',
      peer: 'tus server with its file store, neither checked nor synced',
      peerValue: FILE_BYTES / 1e6 / median(seconds.peer),
      ratio,
      bar: `>= ${BAR} x, median of ${ROUNDS} rounds`,
      pass: ratio >= BAR,
    };
  });
}
