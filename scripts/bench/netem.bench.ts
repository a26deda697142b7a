/**
 * Retransmitted share of a 60 MB upload (MEGABYTES sets another size) from a simulated hub to a site in another network
 * namespace, over a link with 5 % packet loss, 300 ms delay and 1 Mbit/s in each direction. On the second link the network
 * also disappears for 75 s of every 4 min, longer than a connection survives. CONGESTION selects the TCP congestion control;
 * LINKS=lossy or LINKS=silent runs only one of the links.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { OUTPOST_COMMAND } from '../../src-server/testing/test-site.ts';
import type { SiteEnd, SiteStart } from './network/site.ts';
import type { BenchRow } from './types.ts';

const LINK = join(import.meta.dirname, 'network', 'bad_link.py');
const SITE = join(import.meta.dirname, 'network', 'site.ts');
const BAR_PERCENT = 10;
const LOSSY = ['5', '300', '1000000'];
const LINKS = [
  { kind: 'lossy', name: 'loss 5 %, 300 ms, 1 Mbit/s each way', parameters: LOSSY },
  { kind: 'silent', name: 'the same, disconnected for 75 s of every 4 min', parameters: [...LOSSY, '75', '240'] },
];

interface LinkStart {
  namespaces: { hub: string; site: string };
  folder: string;
  isNetem: boolean;
  refusal: string;
  congestionControl: string;
}

type LinkCounts = Partial<Record<'toSite' | 'toHub', { packets: number; bytes: number; lost: number }>>;

/** A child process that prints lines of JSON. */
class JsonLinesProcess {
  readonly child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(command: string, parameters: readonly string[], environment: Record<string, string> = {}) {
    const env = { ...process.env, ...environment };
    this.child = spawn(command, parameters, { stdio: ['pipe', 'pipe', 'inherit'], env });
    this.#lines = createInterface({ input: this.child.stdout! })[Symbol.asyncIterator]();
  }

  async next<T>(): Promise<T> {
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error(`${this.child.spawnargs.join(' ')} exited.`);
    return JSON.parse(value) as T;
  }

  /** Closes its standard input, which ends the program. */
  async end(): Promise<void> {
    this.child.stdin?.end();
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'exit');
  }
}

/** Returns why the link cannot be created on this computer; undefined when it can. */
function obstacle(): string | undefined {
  if (process.platform !== 'linux') return 'network namespaces need Linux';
  if (process.getuid?.() !== 0) return 'creating network namespaces needs root';
  for (const [command, parameter] of [
    ['python3', '--version'],
    ['ip', '-Version'],
    ['tc', '-Version'],
  ] as const) {
    if (spawnSync(command, [parameter]).status !== 0) return `${command} is not installed (Debian: iproute2, python3)`;
  }
  return undefined;
}

async function uploadOver(link: (typeof LINKS)[number], megabytes: number): Promise<BenchRow> {
  const wire = new JsonLinesProcess('python3', [LINK, `outpost-${process.pid}-${link.kind}`, ...link.parameters]);
  try {
    const { namespaces, folder, isNetem, refusal, congestionControl } = await wire.next<LinkStart>();
    const inside = (namespace: string, ...command: string[]) =>
      new JsonLinesProcess('ip', ['netns', 'exec', namespace, process.execPath, ...command], { TMPDIR: folder });
    const site = inside(namespaces.site, SITE, folder, String(megabytes));
    const start = await site.next<SiteStart>();
    const file = ['--file', start.path, '--sensor', start.sensor];
    const where = ['--state', join(folder, 'hub'), '--link', start.link];
    const started = performance.now();
    const hub = inside(namespaces.hub, OUTPOST_COMMAND, 'simulate', 'hub', ...where, ...file, '--once', '--json');
    const { sentBytes, recordings } = await hub.next<{ sentBytes: number; recordings: { siteState?: string }[] }>();
    const seconds = (performance.now() - started) / 1000;
    await hub.end();
    wire.child.stdin?.write('counts\n');
    const { toSite, toHub } = await wire.next<LinkCounts>();
    site.child.stdin?.end();
    const end = await site.next<SiteEnd>();
    const problems = [...end.problems];
    if (end.storedSha256.join() !== end.madeSha256)
      problems.push(`The site stores ${end.storedSha256.length} files, or different bytes.`);
    if (recordings.length !== 1 || recordings[0]?.siteState !== 'STORED') problems.push(JSON.stringify(recordings));
    for (const problem of problems) process.stderr.write(`${problem}\n`);
    const method = isNetem ? 'veth with tc netem' : `TUN devices and a user-space emulation of netem (${refusal})`;
    const packetCounts =
      toSite && toHub
        ? `${toSite.packets} packets, ${(toSite.bytes / 1e6).toFixed(1)} MB to the site, ${toSite.lost} lost; ${toHub.packets} packets back, ${toHub.lost} lost`
        : 'no packet counts';
    process.stderr.write(
      `${link.name}, by ${method}; TCP ${congestionControl}: ${(start.sizeBytes / 1e6).toFixed(1)} MB in ${seconds.toFixed(0)} s, ` +
        `${(sentBytes / 1e6).toFixed(1)} MB of chunks sent above TLS; ${packetCounts}\n`,
    );
    const resentPercent = (100 * (sentBytes - start.sizeBytes)) / start.sizeBytes;
    return {
      name: `${(start.sizeBytes / 1e6).toFixed(0)} MB of a hub, ${link.name}: sent more than once`,
      value: resentPercent,
      unit: '%',
      bar: `< ${BAR_PERCENT} %, byte by byte, verify clean`,
      pass: problems.length === 0 && resentPercent < BAR_PERCENT,
    };
  } finally {
    await wire.end();
  }
}

export async function run(): Promise<BenchRow[]> {
  const reason = obstacle();
  if (reason !== undefined) {
    process.stderr.write(`Skipped: ${reason}.\n`);
    return [];
  }
  const megabytes = Number(process.env.MEGABYTES ?? 60);
  const rows: BenchRow[] = [];
  for (const link of LINKS) {
    if ((process.env.LINKS ?? link.kind) === link.kind) rows.push(await uploadOver(link, megabytes));
  }
  return rows;
}
