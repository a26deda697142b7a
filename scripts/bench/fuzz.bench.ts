/**
 * Fuzzes every operation of a site with 20,000 generated requests, valid and invalid. Every response must match the OpenAPI
 * document, no request may fail with 500 or hang, and `outpost verify` must pass afterwards. FUZZ_SEED repeats a run.
 */
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { basicAuthorization, type Credentials } from '../../src-server/api/contract/client.ts';
import { simulateSubject } from '../../src-server/simulator/physiology/subject.ts';
import { writeSimulatedRecording } from '../../src-server/simulator/physiology/write.ts';
import { prepareStudy } from '../../src-server/testing/fuzz/known.ts';
import { fuzz } from '../../src-server/testing/fuzz/run.ts';
import {
  allJobsEnd,
  makeTestSite,
  OUTPOST_COMMAND,
  signIn,
  startServerProcess,
  upload,
} from '../../src-server/testing/test-site.ts';
import type { BenchRow } from './types.ts';

const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 20_000);
const START_MS = Date.UTC(2026, 0, 14, 15);
const SHOWN_PROBLEMS = 40;

export async function run(): Promise<BenchRow[]> {
  const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000);
  process.stderr.write(`seed ${seed}\n`);
  const folder = await mkdtemp(join(tmpdir(), 'outpost-fuzz-'));
  const site = await makeTestSite();
  try {
    const { recordings } = simulateSubject({
      seed: 3,
      timeZone: 'US/Eastern',
      startMs: START_MS,
      stopMs: START_MS + 20 * 60_000,
      dailyCharging: false,
    });
    const server = await startServerProcess(site.dir);
    let result: Awaited<ReturnType<typeof fuzz>>;
    try {
      const client = await signIn(server.url);
      for (const recording of recordings) {
        const { path } = await writeSimulatedRecording(folder, recording);
        await upload(client, { studyId: site.studyId, subjectId: site.subjectIds[0] as string }, [path]);
      }
      await allJobsEnd(client);
      const known = await prepareStudy(client, site);
      const authorization = basicAuthorization(client.credentials as Credentials);
      result = await fuzz({ url: server.url, authorization, requests: REQUESTS, seed, known });
    } finally {
      const code = await server.stop();
      process.stderr.write(`the server exited with ${code}\n${server.stderr().slice(-3000)}`);
    }
    for (const problem of result.problems.slice(0, SHOWN_PROBLEMS)) process.stderr.write(`${problem}\n`);
    process.stderr.write(`${JSON.stringify(result.statuses)}\n`);
    const verify = spawnSync(process.execPath, [OUTPOST_COMMAND, 'verify', '--data', site.dir], { encoding: 'utf8' });
    if (verify.status !== 0) process.stderr.write(`${verify.stdout}${verify.stderr}\n`);
    const zero = { unit: '', bar: '0', peer: `of requests, seed ${seed}`, peerValue: result.requests };
    return [
      {
        name: `undocumented responses, ${result.operations} operations`,
        value: result.problems.length,
        ...zero,
        pass: result.problems.length === 0 && result.requests === REQUESTS,
      },
      {
        name: 'slowest response',
        value: result.slowestMs,
        unit: 'ms',
        bar: '<= 60000 ms',
        pass: result.slowestMs <= 60_000,
      },
      {
        name: 'exit code of verify afterwards',
        value: verify.status ?? -1,
        unit: '',
        bar: '0',
        pass: verify.status === 0,
      },
    ];
  } finally {
    await site.remove();
    await rm(folder, { recursive: true, force: true });
  }
}
