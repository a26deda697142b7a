/**
 * API throughput of `outpost serve` in requests per second of its CPU time: an authenticated list of 100 subjects, once answered
 * from the cache and once made for each request, beside a plain Express server that sends the same bytes with the same headers
 * from memory, or made from the same database (separate processes, alternating rounds). Then 50 clients with mixed reads.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import autocannon from 'autocannon';
import { basicAuthorization, type Client, type Credentials } from '../../src-server/api/contract/client.ts';
import { prepareStudy } from '../../src-server/testing/fuzz/known.ts';
import { makeTestSite, signIn, startServerProcess, type TestSite } from '../../src-server/testing/test-site.ts';
import { LOOP_DELAY_HOOK, LoopMeter } from './loop-meter.ts';
import { median } from './rows.ts';
import type { BenchRow } from './types.ts';

const SUBJECTS = 100;
const ROUNDS = 5;
const ROUND_SECONDS = 3;
const CONNECTIONS = 10;
const MIN_RATIO = 0.5;
const CLIENTS = 50;
const MIXED_SECONDS = 30;
const LOOP_LIMIT_MS = 20;
/** Addresses of one connection that are never answered from the cache: it forgets them before they are used again. */
const FRESH_ADDRESSES = 400;
/** Clock ticks of /proc/PID/stat, the same on every Linux. */
const TICKS_PER_SECOND = 100;
/** Headers that differ between two answers of one server. */
const CHANGING_HEADERS = new Set(['date', 'x-request-id', 'connection', 'keep-alive', 'content-length']);

type Load = { requests: number; failures: number; perSecond: number; p99Ms: number };

async function load(options: autocannon.Options): Promise<Load> {
  const result = await autocannon(options);
  return {
    requests: result.requests.total,
    failures: result.errors + result.timeouts + result.non2xx,
    perSecond: result.requests.total / result.duration,
    p99Ms: result.latency.p99,
  };
}

/** CPU time of a process so far. The process name, in parentheses, may contain spaces. */
function processorSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

interface Peer {
  url: string;
  pid: number;
  stop(): void;
}

async function startBareExpress(environment: Record<string, string>): Promise<Peer> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'bare-express.ts')], {
    env: { ...process.env, ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [port] = await once(child.stdout, 'data');
  return { url: `http://127.0.0.1:${String(port).trim()}`, pid: child.pid as number, stop: () => child.kill() };
}

/** Gives each connection addresses of its own, which differ in a query that every server ignores. */
function withFreshAddresses(paths: readonly string[]): Pick<autocannon.Options, 'setupClient'> {
  let connection = 0;
  return {
    setupClient: (client) => {
      const own = connection++;
      client.setRequests(
        Array.from({ length: FRESH_ADDRESSES }, (_, i) => ({ path: `${paths[i % paths.length]}?fresh=${own}-${i}` })),
      );
    },
  };
}

async function answerOf(url: string, authorization: string) {
  const response = await fetch(url, { headers: { authorization } });
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !CHANGING_HEADERS.has(name)));
  return { status: response.status, headers, body: await response.text() };
}

interface Served {
  url: string;
  pid: number;
}

/** Compares requests per second of CPU time in alternating rounds, so that other load slows both servers alike. */
async function compare(
  name: string,
  own: Served,
  peer: Served & { what: string },
  options: autocannon.Options,
  isFresh: boolean,
): Promise<BenchRow> {
  const measure = async ({ url, pid }: Served): Promise<number> => {
    const fresh = isFresh ? withFreshAddresses([new URL(url).pathname]) : {};
    const before = processorSeconds(pid);
    const { requests, failures } = await load({ ...options, ...fresh, url });
    if (failures > 0) throw new Error(`${failures} requests to ${url} failed.`);
    return requests / (processorSeconds(pid) - before);
  };
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = -1; round < ROUNDS; round++) {
    const rates = [await measure(own), await measure(peer)] as const;
    // The first round warms up both servers.
    if (round < 0) continue;
    ours.push(rates[0]);
    theirs.push(rates[1]);
  }
  const ratio = median(ours.map((value, round) => value / (theirs[round] as number)));
  return {
    name: `list of ${SUBJECTS} subjects, ${name}`,
    value: median(ours),
    unit: 'requests per CPU second',
    peer: `bare express, ${peer.what}`,
    peerValue: median(theirs),
    ratio,
    bar: `>= ${MIN_RATIO * 100} %`,
    pass: ratio >= MIN_RATIO,
  };
}

async function compareBoth(
  url: string,
  pid: number,
  authorization: string,
  place: { site: TestSite; folder: string },
): Promise<BenchRow[]> {
  const { site, folder } = place;
  const answer = await answerOf(url, authorization);
  const bodyFile = join(folder, 'subjects.json');
  await writeFile(bodyFile, answer.body);
  const environment = {
    BODY_FILE: bodyFile,
    HEADERS: JSON.stringify(answer.headers),
    DATABASE: join(site.dir, 'site.db'),
  };
  const bare = await startBareExpress(environment);
  try {
    const path = `/studies/${site.studyId}/subjects`;
    const peer = (kind: string) => ({ url: `${bare.url}/${kind}${path}`, pid: bare.pid });
    for (const { url: other } of [peer('kept'), peer('made')]) {
      if (!isDeepStrictEqual(await answerOf(other, authorization), answer))
        throw new Error(`${other} does not answer as ${url} does.`);
    }
    const options = { url, connections: CONNECTIONS, duration: ROUND_SECONDS, headers: { authorization } };
    const own = { url, pid };
    return [
      await compare('kept', own, { ...peer('kept'), what: 'same bytes from memory' }, options, false),
      await compare(
        'not kept',
        own,
        { ...peer('made'), what: 'same bytes made from the same database' },
        options,
        true,
      ),
    ];
  } finally {
    bare.stop();
  }
}

async function mixedAddresses(client: Client, site: TestSite): Promise<string[]> {
  await prepareStudy(client, site);
  const study = { params: { studyId: site.studyId } };
  const subject = { params: { studyId: site.studyId, subjectId: site.subjectIds[0] as string } };
  const account = { params: { accountId: site.accountId } };
  return [
    client.url('listStudies', account),
    client.url('getStudy', study),
    client.url('listSubjects', study),
    client.url('getSubject', subject),
    client.url('listProgramStats', study),
    client.url('listProgramAudit', subject),
    client.url('listAccountEquipment', account),
    client.url('listEquipment', subject),
    client.url('listMessages', subject),
    client.url('listUnreadMessages', account),
    client.url('listStudyRecordings', study),
    client.url('listRecordingStats', study),
    client.url('listAnnotations', subject),
    client.url('listEvents', study),
    client.url('listMetrics', subject),
    client.url('listUsers', account),
  ];
}

export async function run(): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'outpost-throughput-'));
  const site = await makeTestSite({ timeZones: Array.from({ length: SUBJECTS }, () => 'US/Eastern') });
  const delayFile = join(folder, 'delay.json');
  const server = await startServerProcess(site.dir, {
    nodeArguments: ['--import', LOOP_DELAY_HOOK],
    environment: { LOOP_DELAY_FILE: delayFile },
  });
  try {
    const client = await signIn(server.url);
    const authorization = basicAuthorization(client.credentials as Credentials);
    const pid = server.child.pid as number;
    const address = client.url('listSubjects', { params: { studyId: site.studyId } });
    const comparisons = await compareBoth(address, pid, authorization, { site, folder });
    const requests = (await mixedAddresses(client, site)).map((address) => ({ path: new URL(address).pathname }));
    const meter = new LoopMeter(pid, delayFile);
    await meter.read();
    const options = { url: server.url, connections: CLIENTS, headers: { authorization } };
    const mixed = await load({ ...options, duration: MIXED_SECONDS, requests });
    const delay = await meter.read();
    const fresh = withFreshAddresses(requests.map(({ path }) => path));
    const notKept = await load({ ...options, duration: MIXED_SECONDS / 3, ...fresh });
    const requestCount = { peer: 'of requests', peerValue: mixed.requests };
    return [
      ...comparisons,
      {
        name: `failures of ${CLIENTS} clients with mixed reads, ${MIXED_SECONDS} s`,
        value: mixed.failures + notKept.failures,
        unit: '',
        ...requestCount,
        bar: '0',
        pass: mixed.failures + notKept.failures === 0 && mixed.requests > 0,
      },
      {
        name: 'event loop under mixed reads, p99',
        value: delay.p99Ms,
        unit: 'ms',
        peer: 'longest',
        peerValue: delay.maxMs,
        bar: `<= ${LOOP_LIMIT_MS} ms`,
        pass: delay.p99Ms <= LOOP_LIMIT_MS,
      },
      { name: 'mixed reads', value: mixed.perSecond, unit: 'requests/s', bar: 'informative', pass: true },
      { name: 'mixed reads, not kept', value: notKept.perSecond, unit: 'requests/s', bar: 'informative', pass: true },
      { name: 'mixed reads, p99', value: mixed.p99Ms, unit: 'ms', bar: 'informative', pass: true },
    ];
  } finally {
    await server.stop();
    await site.remove();
    await rm(folder, { recursive: true, force: true });
  }
}
