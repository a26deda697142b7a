/**
 * API throughput of `outpost serve`: an authenticated list of 100 subjects compared to a bare Express server that sends the
 * same bytes (separate processes, alternating rounds), and 50 clients with mixed reads for 30 s.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { basicAuthorization, type Client, type Credentials } from '../../src-server/api/contract/client.ts';
import { prepareStudy } from '../../src-server/testing/fuzz/known.ts';
import { makeTestSite, signIn, startServerProcess, type TestSite } from '../../src-server/testing/test-site.ts';
import { LOOP_DELAY_HOOK, LoopMeter } from './loop-meter.ts';
import type { BenchRow } from './types.ts';

const SUBJECTS = 100;
const ROUNDS = 5;
const ROUND_SECONDS = 3;
const CONNECTIONS = 10;
const MIN_RATIO = 0.5;
const CLIENTS = 50;
const MIXED_SECONDS = 30;
const LOOP_LIMIT_MS = 20;

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

const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1] as number;

async function startBareExpress(bodyFile: string): Promise<{ url: string; stop(): void }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'bare-express.ts')], {
    env: { ...process.env, BODY_FILE: bodyFile },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [port] = await once(child.stdout, 'data');
  return { url: `http://127.0.0.1:${String(port).trim()}`, stop: () => child.kill() };
}

/** Compares requests per second in alternating rounds, so that other load slows both servers alike. */
async function compare(client: Client, authorization: string, site: TestSite, folder: string): Promise<BenchRow> {
  const address = client.url('listSubjects', { params: { studyId: site.studyId } });
  const bodyFile = join(folder, 'subjects.json');
  await writeFile(bodyFile, await (await fetch(address, { headers: { authorization } })).text());
  const bare = await startBareExpress(bodyFile);
  try {
    const ours: number[] = [];
    const theirs: number[] = [];
    for (let round = -1; round < ROUNDS; round++) {
      const common = { connections: CONNECTIONS, duration: ROUND_SECONDS, headers: { authorization } };
      const own = await load({ ...common, url: address });
      const peer = await load({ ...common, url: `${bare.url}${new URL(address).pathname}` });
      if (own.failures + peer.failures > 0) throw new Error(`${own.failures} and ${peer.failures} requests failed.`);
      // The first round warms up both servers.
      if (round < 0) continue;
      ours.push(own.perSecond);
      theirs.push(peer.perSecond);
    }
    const ratio = median(ours.map((value, round) => value / (theirs[round] as number)));
    return {
      name: `authenticated list of ${SUBJECTS} subjects`,
      value: median(ours),
      unit: 'requests/s',
      peer: 'bare express, same bytes',
      peerValue: median(theirs),
      ratio,
      bar: `>= ${MIN_RATIO * 100} %`,
      pass: ratio >= MIN_RATIO,
    };
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
    const comparison = await compare(client, authorization, site, folder);
    const requests = (await mixedAddresses(client, site)).map((address) => ({ path: new URL(address).pathname }));
    const meter = new LoopMeter(server.child.pid as number, delayFile);
    await meter.read();
    const mixed = await load({
      url: server.url,
      connections: CLIENTS,
      duration: MIXED_SECONDS,
      headers: { authorization },
      requests,
    });
    const delay = await meter.read();
    const requestCount = { peer: 'of requests', peerValue: mixed.requests };
    return [
      comparison,
      {
        name: `failures of ${CLIENTS} clients with mixed reads, ${MIXED_SECONDS} s`,
        value: mixed.failures,
        unit: '',
        ...requestCount,
        bar: '0',
        pass: mixed.failures === 0 && mixed.requests > 0,
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
      { name: 'mixed reads, p99', value: mixed.p99Ms, unit: 'ms', bar: 'informative', pass: true },
    ];
  } finally {
    await server.stop();
    await site.remove();
    await rm(folder, { recursive: true, force: true });
  }
}
