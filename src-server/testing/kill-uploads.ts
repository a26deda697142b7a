/**
 * Kills a server with SIGKILL at random moments of a device's upload: afterwards the files on disk are intact, acknowledged bytes
 * are present, and the upload ends with exactly one recording that equals the sent file byte for byte.
 */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifySite } from '../integrity/verify.ts';
import { deviceToken } from '../lan/device-identity.ts';
import { openSite } from '../site/folder.ts';
import type { DurableStep } from './kill-rounds.ts';
import { makeTestSite, startServerProcess, type TestSite } from './test-site.ts';
import { TestDevice, type UploadFile } from './upload-client.ts';
import { problemsInTheEnd } from './upload-outcome.ts';
import { makeUploadFile, SENSOR, SENSOR_UDID } from './upload-site.ts';

export interface UploadKillRound {
  /** `after 130 ms` or `before commit 3`. */
  moment: string;
  /** Violations found; empty when there are none. */
  problems: string[];
}

const HOOK = join(import.meta.dirname, 'kill-hook.ts');
const CHUNK_BYTES = 65_536;
/** Approximate number of each step in an undisturbed upload. */
const STEPS: Record<DurableStep, number> = { sync: 30, rename: 5, commit: 14 };

async function withHub(site: TestSite): Promise<string> {
  const folder = await openSite(site.dir);
  try {
    const { store } = folder;
    const { accountId, studyId } = site;
    const change = { actor: { type: 'USER', id: site.userId } } as const;
    await store.equipment.register({ accountId, id: SENSOR, type: 'SENSOR', udid: SENSOR_UDID }, change);
    await store.equipment.assign(SENSOR, { studyId, subjectId: site.subjectIds[0]!, atTs: 1 }, change);
    await store.equipment.register({ accountId, id: 'hub-1', type: 'LINK_HUB' }, change);
    const hub = { accountId, kind: 'HUB', serial: 'hub-1', equipmentId: 'hub-1' } as const;
    const { device, secret } = await store.devices.add(hub, change);
    return `Bearer ${deviceToken(folder.site.id, device.id, secret)}`;
  } finally {
    await folder.close();
  }
}

export async function uploadKillRounds(options: {
  random: () => number;
  rounds: number;
  onRound?: (round: UploadKillRound, index: number) => void;
}): Promise<UploadKillRound[]> {
  const { random } = options;
  const folder = await mkdtemp(join(tmpdir(), 'outpost-upload-kill-'));
  const template = await makeTestSite({ timeZones: ['US/Eastern'] });
  const rounds: UploadKillRound[] = [];
  try {
    const authorization = await withHub(template);
    const startUs = (Date.now() - 6 * 3_600_000) * 1000;
    const syncPoints: [number, number][] = [[startUs, startUs + 2_000_000]];
    const file = { ...(await makeUploadFile(folder, { startUs, seconds: 900 })), syncPoints };
    for (let index = 0; index < options.rounds; index++) {
      const site = { ...template, dir: join(folder, `round-${index}`) };
      await cp(template.dir, site.dir, { recursive: true });
      const step = (['commit', 'rename', 'sync'] as const)[Math.floor(random() * 3)]!;
      const nth = 1 + Math.floor(random() * STEPS[step]);
      const side = random() < 0.5 ? 'before' : 'after';
      const afterMs = index % 3 === 0 ? random() ** 2 * 1500 : undefined;
      const moment = afterMs === undefined ? `${side} ${step} ${nth}` : `after ${Math.round(afterMs)} ms`;
      const problems = await oneRound(site, file, authorization, afterMs ?? `${step}:${side}:${nth}`);
      rounds.push({ moment, problems });
      options.onRound?.({ moment, problems }, index);
      await rm(site.dir, { recursive: true, force: true });
    }
    return rounds;
  } finally {
    await template.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Sends until the server is gone; returns the last acknowledged offset, and the state if the upload completed. */
async function sendUntilDeath(device: TestDevice, file: UploadFile): Promise<{ offset: number; state: string }> {
  const reached = { offset: 0, state: '' };
  try {
    const { headers } = await device.announce(file);
    const location = headers.location ?? '';
    while (reached.offset < file.bytes.length) {
      const chunk = file.bytes.subarray(reached.offset, reached.offset + CHUNK_BYTES);
      const answer = await device.patch(location, reached.offset, chunk);
      if (answer.status !== 204) break;
      reached.offset = Number(answer.headers['upload-offset']);
      reached.state = answer.headers['outpost-upload-state'] ?? '';
    }
  } catch {
    // The server is gone.
  }
  return reached;
}

async function oneRound(
  site: TestSite,
  file: UploadFile,
  authorization: string,
  moment: number | string,
): Promise<string[]> {
  const options = { authorization, chunkBytes: CHUNK_BYTES, checksums: true };
  const killed = await startServerProcess(site.dir, {
    nodeArguments: ['--import', HOOK],
    environment: typeof moment === 'string' ? { KILL_AT: moment } : {},
  }).catch(() => undefined);
  let reached = { offset: 0, state: '' };
  if (killed) {
    if (typeof moment === 'number') void sleep(moment).then(killed.kill);
    reached = await sendUntilDeath(new TestDevice({ ...options, url: killed.url }), file);
    await killed.kill();
  }
  const { problems: found } = await verifySite(site.dir);
  const problems = found.map(({ message }) => `after the kill: ${message}`);
  const server = await startServerProcess(site.dir);
  try {
    const device = new TestDevice({ ...options, url: server.url });
    const { headers } = await device.announce(file);
    if (Number(headers['upload-offset']) < reached.offset) {
      problems.push(`${reached.offset} bytes were acknowledged, ${headers['upload-offset']} are there.`);
    }
    if (reached.state === 'STORED' && headers['outpost-upload-state'] !== 'STORED')
      problems.push('A stored file is lost.');
    const ended = await device.upload(file);
    if (ended.body.state !== 'STORED') problems.push(`The upload ended as ${JSON.stringify(ended.body)}.`);
  } finally {
    if ((await server.stop()) !== 0) problems.push(`The server did not end cleanly: ${server.stderr()}`);
  }
  return [...problems, ...(await problemsInTheEnd(site.dir, [file]))];
}
