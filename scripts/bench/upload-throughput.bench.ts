/** Throughput of durable, checksummed uploads, compared to the tus server's file store, which neither syncs nor verifies. */
import { spawn } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, open, readdir, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from './rows.ts';
import type { BenchRow } from './types.ts';

const FILE_BYTES = 96 << 20;
const CHUNK_SIZES_BYTES = [8 << 20, 16 << 20];
const ROUNDS = 7;
const BAR = 0.8;
const UPLOADS = '/api/v1/device/uploads';
/** Start of a recording file; random bytes follow, which cannot be compressed. */
const HEAD = Buffer.from([0x89, 0x4f, 0x53, 0x49, 0x47, 0x0d, 0x0a, 0x1a, 1, 0]);

interface Chunk {
  bytes: Buffer;
  checksum: string;
}

function makeChunks(chunkBytes: number): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = 0; at < FILE_BYTES; at += chunkBytes) {
    const bytes = randomBytes(chunkBytes);
    if (at === 0) HEAD.copy(bytes);
    chunks.push({ bytes, checksum: `sha256 ${createHash('sha256').update(bytes).digest('base64')}` });
  }
  return chunks;
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

  /** Returns the seconds from creating the upload to the response to the last chunk. */
  async send(chunks: readonly Chunk[]): Promise<number> {
    const metadata = { recordingId: randomUUID(), sensor: 'sensor', sha256: randomSha256(), formatVersion: '1' };
    const members = Object.entries({ ...metadata, startUs: '1700000000000000' });
    const started = performance.now();
    const { location } = await this.#call('POST', UPLOADS, {
      'upload-length': FILE_BYTES,
      'upload-metadata': members.map(([name, value]) => `${name} ${btoa(value)}`).join(','),
      'content-length': 0,
    });
    let offset = 0;
    for (const { bytes, checksum } of chunks) {
      const headers = {
        'upload-offset': offset,
        'content-type': 'application/offset+octet-stream',
        'content-length': bytes.length,
        'upload-checksum': checksum,
      };
      const { status } = await this.#call('PATCH', location, headers, bytes);
      if (status !== 204) throw new Error(`A chunk was answered with ${status}.`);
      offset += bytes.length;
    }
    return (performance.now() - started) / 1000;
  }
}

/** Returns a random SHA-256, so that each upload is a new file to the site. */
function randomSha256(): string {
  return createHash('sha256').update(randomBytes(16)).digest('hex');
}

async function startServer(which: 'ours' | 'file-store', dir: string) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'upload-peer.ts'), which, dir], {
    stdio: ['pipe', 'pipe', 'inherit'],
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

/** Syncs all files, so that pending writes of one round do not slow down the next. */
async function settle(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const handle = await open(join(entry.parentPath, entry.name), 'r+');
    await handle.sync();
    await handle.close();
  }
}

export async function run(): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(process.env.BENCH_DIR ?? tmpdir(), 'outpost-upload-bench-'));
  const sizes = CHUNK_SIZES_BYTES.map((chunkBytes) => ({
    chunkBytes,
    chunks: makeChunks(chunkBytes),
    seconds: { ours: [] as number[], peer: [] as number[] },
  }));
  const servers: Record<'ours' | 'peer', Awaited<ReturnType<typeof startServer>>> = {
    ours: await startServer('ours', await mkdtemp(join(folder, 'ours-'))),
    peer: await startServer('file-store', await mkdtemp(join(folder, 'peer-'))),
  };
  try {
    // The first round warms up both servers.
    for (let round = 0; round <= ROUNDS; round++) {
      for (const { chunks, seconds } of sizes) {
        for (const which of round % 2 === 0 ? (['ours', 'peer'] as const) : (['peer', 'ours'] as const)) {
          const taken = await servers[which].client.send(chunks);
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
    const ratioList = ratios.map((ratio) => ratio.toFixed(2)).join(' ');
    process.stderr.write(`chunks of ${chunkBytes >> 20} MiB, ratios of the rounds: ${ratioList}\n`);
    const ratio = median(ratios);
    return {
      name: `upload of ${FILE_BYTES >> 20} MiB in chunks of ${chunkBytes >> 20} MiB, each verified and synced`,
      value: FILE_BYTES / 1e6 / median(seconds.ours),
      unit: 'MB/s',
      peer: 'tus server with its file store, neither verified nor synced',
      peerValue: FILE_BYTES / 1e6 / median(seconds.peer),
      ratio,
      bar: `>= ${BAR} x, median of ${ROUNDS} rounds`,
      pass: ratio >= BAR,
    };
  });
}
