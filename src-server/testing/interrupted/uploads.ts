/**
 * A device uploads a file to a server. Afterwards the files on disk are intact, acknowledged bytes are present, and the upload ends with
 * exactly one recording that equals the sent file byte for byte.
 */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifySite } from '../../integrity/verify.ts';
import { deviceToken } from '../../lan/device-identity.ts';
import { openSite } from '../../site/folder.ts';
import { makeTestSite, startServerProcess, type TestSite } from '../test-site.ts';
import { TestDevice, type UploadFile } from '../upload-client.ts';
import { problemsInTheEnd } from '../upload-outcome.ts';
import { makeUploadFile, SENSOR, SENSOR_UDID } from '../upload-site.ts';
import type { Activity } from './activity.ts';
import { whileServing } from './serving.ts';

const CHUNK_BYTES = 65_536;
const FILE_SECONDS = 900;
const STORED = 'stored';

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

export interface UploadTemplate {
  site: TestSite;
  file: UploadFile;
  authorization: string;
}

/** @param folder for the file on its way into memory */
export async function makeUploadTemplate(folder: string): Promise<UploadTemplate> {
  const site = await makeTestSite({ timeZones: ['US/Eastern'] });
  const authorization = await withHub(site);
  const startUs = (Date.now() - 6 * 3_600_000) * 1000;
  const syncPoints: [number, number][] = [[startUs, startUs + 2_000_000]];
  const file = { ...(await makeUploadFile(folder, { startUs, seconds: FILE_SECONDS })), syncPoints };
  return { site, file, authorization };
}

export function uploadActivity({ site, file, authorization }: UploadTemplate, folder: string): Activity {
  const dir = join(folder, 'site');
  const deviceAt = (url: string) => new TestDevice({ url, authorization, chunkBytes: CHUNK_BYTES, checksums: true });
  return {
    name: 'receive',
    isEarly: true,
    prepare: () => cp(site.dir, dir, { recursive: true }),
    work: (interruption) =>
      whileServing(dir, interruption, (url) => sendUntilDeath(deviceAt(url), file, interruption.acknowledge)),
    problems: async (acknowledged) => {
      const { problems: found } = await verifySite(dir);
      const problems = found.map(({ message }) => `after the end: ${message}`);
      const sentBytes = Math.max(0, ...acknowledged.map(Number).filter(Number.isFinite));
      const server = await startServerProcess(dir);
      try {
        const device = deviceAt(server.url);
        const { headers } = await device.announce(file);
        if (Number(headers['upload-offset']) < sentBytes) {
          problems.push(`${sentBytes} bytes were acknowledged, ${headers['upload-offset']} are there.`);
        }
        if (acknowledged.includes(STORED) && headers['outpost-upload-state'] !== 'STORED')
          problems.push('A stored file is lost.');
        const ended = await device.upload(file);
        if (ended.body.state !== 'STORED') problems.push(`The upload ended as ${JSON.stringify(ended.body)}.`);
      } finally {
        if ((await server.stop()) !== 0) problems.push(`The server did not end cleanly: ${server.stderr()}`);
      }
      return [...problems, ...(await problemsInTheEnd(dir, [file]))];
    },
  };
}

/** Sends until the file is stored or the server gone. */
async function sendUntilDeath(
  device: TestDevice,
  file: UploadFile,
  acknowledge: (what: string) => void,
): Promise<void> {
  try {
    const { headers } = await device.announce(file);
    const location = headers.location ?? '';
    for (let offset = 0; offset < file.bytes.length; ) {
      const answer = await device.patch(location, offset, file.bytes.subarray(offset, offset + CHUNK_BYTES));
      if (answer.status !== 204) return;
      offset = Number(answer.headers['upload-offset']);
      acknowledge(String(offset));
    }
    for (;;) {
      const { state } = (await device.state(location)).body;
      if (state === 'STORED') return acknowledge(STORED);
      if (state !== 'RECEIVED') return;
      await sleep(20);
    }
  } catch {
    // The server is gone.
  }
}
