/**
 * What `verify` costs, part by part and by the size of its files, beside programs that only read the same files. The recordings of a
 * full site have under 2 kB each, so its rate in MB/s tells little of a real site, whose files of a day have megabytes.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { verifySite } from '../../../src-server/integrity/verify.ts';
import { CheckMemory, checkSignalFile, createSignalFile } from '../../../src-server/signals/index.ts';
import type { SignalHeader } from '../../../src-server/signals/types.ts';
import type { FullSite } from '../../../src-server/testing/full-site/site-folder.ts';

const cpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** CPU time of each step of a verification in this process, in seconds. */
export async function verifyParts({ dir, nowTs }: FullSite): Promise<Map<string, number>> {
  const parts = new Map<string, number>();
  let [step, since] = ['', cpuMs()];
  const end = (next: string) => {
    const now = cpuMs();
    if (step !== '') parts.set(step, (parts.get(step) ?? 0) + (now - since) / 1000);
    [step, since] = [next, now];
  };
  await verifySite(dir, { nowTs, onProgress: ({ step: next }) => next !== step && end(next) });
  end('');
  return parts;
}

/**
 * CPU time in seconds of a shell command and what it runs, by the account that the shell keeps; undefined where there is no such shell.
 * Programs in C that start once for many files are the least that the file system and the hash of its content cost.
 */
function shellCpuSeconds(command: string): number | undefined {
  if (process.platform === 'win32') return undefined;
  const said = execFileSync('sh', ['-c', `${command} >/dev/null; times`], { encoding: 'utf8' });
  const times = [...said.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, seconds]) => 60 * Number(minutes) + Number(seconds),
  );
  return times.length === 4 ? times.reduce((sum, one) => sum + one, 0) : undefined;
}

const quoted = (path: string) => `'${path.replaceAll("'", "'\\''")}'`;

/** Reading and hashing every file in folders of a site. */
export function hashingSeconds(folders: readonly string[]): number | undefined {
  return shellCpuSeconds(`find ${folders.map(quoted).join(' ')} -type f -exec sha256sum {} +`);
}

/** Asking for the size of every file in folders, which is what a backup in which nothing changed has to do. */
export function sizingSeconds(folders: readonly string[]): number | undefined {
  return shellCpuSeconds(`find ${folders.map(quoted).join(' ')} -type f -size -1c`);
}

const RATE_HZ = 250;
const HEADER: SignalHeader = {
  version: 1,
  recordingId: '019728c9-c000-7000-8000-000000000000',
  deviceRecordingId: 1,
  udid: 'AA:BB:CC:00:00:01',
  hardwareId: 'BRCS02',
  firmwareId: '1.0',
  physicalConfig: { location: 'MEDIAL_CHEST', side: 'NONE', signal: 'ECG' },
  sensorConfig: { sensingType: 'MPU_ANALOG', afe: { gain: 6, rate: RATE_HZ } },
  channels: [
    { type: 'ECG', dimensions: ['v'], unit: 'V', nominalRateHz: RATE_HZ, scale: [1e-6], offset: [0], sampleBits: 16 },
  ],
  syncPoints: [],
  source: { format: 'bench', fileName: 'noise', sha256: '0'.repeat(64) },
};
const MOST_PAGE_SECONDS = 60;
/** Noise does not compress, so a sample takes about this much. */
const SAMPLE_BYTES = 1.75;

/** Writes a file of about `bytes` with pages of a minute of noise, as a device's would be. */
async function writeNoise(path: string, bytes: number) {
  const writer = await createSignalFile(path, HEADER);
  const periodUs = 1e6 / RATE_HZ;
  let state = 1;
  const noise = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 18) - 8192;
  };
  let left = Math.ceil(bytes / SAMPLE_BYTES);
  for (let startUs = Date.UTC(2026, 0, 1) * 1000; left > 0; startUs += MOST_PAGE_SECONDS * 1e6) {
    const count = Math.min(left, MOST_PAGE_SECONDS * RATE_HZ);
    await writer.append({ channel: 0, startUs, periodUs, count, columns: [Int16Array.from({ length: count }, noise)] });
    left -= count;
  }
  return await writer.finish();
}

const FILE_SIZES: readonly [string, number][] = [
  ['5 kB', 5e3],
  ['100 kB', 1e5],
  ['1 MB', 1e6],
  ['11 MB', 11e6],
];
/** Enough for the compiler to have settled. */
const WARM_UP_MS = 300;
const MEASURED_MS = 600;

export interface FileCost {
  size: string;
  bytesPerFile: number;
  cpuUsPerFile: number;
}

/** CPU time of checking one signal file after the other, each read from the page cache. */
export async function verifyFiles(folder: string): Promise<FileCost[]> {
  const costs: FileCost[] = [];
  const memory = new CheckMemory();
  for (const [size, bytes] of FILE_SIZES) {
    const path = join(folder, `${bytes}.sig`);
    const content = await writeNoise(path, bytes);
    const run = async (leastMs: number) => {
      const started = cpuMs();
      let files = 0;
      for (; cpuMs() - started < leastMs; files++) {
        const { problems } = await checkSignalFile(path, content, memory);
        if (problems.length > 0) throw new Error(problems.join(' '));
      }
      return ((cpuMs() - started) / files) * 1000;
    };
    await run(WARM_UP_MS);
    costs.push({ size, bytesPerFile: content.sizeBytes, cpuUsPerFile: await run(MEASURED_MS) });
  }
  return costs;
}
