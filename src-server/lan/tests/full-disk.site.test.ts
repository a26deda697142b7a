/** The site's disk fills up while a hub uploads over TLS. */
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { verifySite } from '../../integrity/verify.ts';
import { SimulatedHub } from '../../simulator/hub/hub.ts';
import { handOutSensors, pairHub } from '../../testing/paired-hubs.ts';
import { smallDisk } from '../../testing/small-disk.ts';
import { startTestLanSite } from '../../testing/test-lan-site.ts';
import { makeUploadFile } from '../../testing/upload-site.ts';

const CHUNK_BYTES = 128 << 10;
const HOUR_US = 3_600e6;

const sha256Of = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');

it('answers 507, shows nothing by halves, and takes the upload from where it was once there is room', async (context) => {
  const disk = await smallDisk();
  if (!disk) {
    context.skip();
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'outpost-full-disk-'));
  const test = await startTestLanSite({}, undefined, disk.path);
  const { dir, studyId, subjectIds, accountId } = test.place;
  const [[sensor] = []] = await handOutSensors(test.site.folder.store, test.place);
  let stop = new AbortController();
  let fillAt = Number.POSITIVE_INFINITY;
  const troubles: unknown[] = [];
  const hub = await SimulatedHub.open({
    folder: join(folder, 'hub'),
    serial: 'HUB-1',
    chunkBytes: CHUNK_BYTES,
    disturb: ({ offset }) => {
      if (offset >= fillAt) disk.fill();
      return {};
    },
    onTrouble: (problem) => {
      troubles.push(problem);
      stop.abort();
    },
  });
  /** Uploads until the first error, then aborts: the hub would otherwise back off for five minutes. */
  const sendUntilTrouble = async () => {
    stop = new AbortController();
    return await hub.sendAll({ signal: stop.signal });
  };
  try {
    await pairHub(test.client, hub);
    const take = async (hoursAgo: number, seconds: number) => {
      const startUs = Date.now() * 1000 - hoursAgo * HOUR_US;
      const made = await makeUploadFile(folder, { startUs, seconds, udid: sensor?.udid ?? '' });
      const path = join(folder, `${made.recordingId}.sig`);
      await writeFile(path, made.bytes);
      return await hub.takeRecording(path, sensor?.serial ?? '');
    };
    const params = { studyId, subjectId: subjectIds[0] ?? '' };
    const recordings = async () => (await test.client.call('listSubjectRecordings', { params })).items;
    const uploads = async () => (await test.client.call('listUploads', { params: { accountId } })).items;
    const inFolder = (...names: string[]) => readdirSync(join(dir, ...names)).sort();

    const first = await take(20, 2000);
    fillAt = 3 * CHUNK_BYTES;
    await expect(sendUntilTrouble()).rejects.toThrow();
    expect(troubles).toMatchObject([{ status: 507, code: 'DISK_FULL', permanent: false, retryAfterSeconds: 300 }]);
    expect(hub.sentBytes).toBe(4 * CHUNK_BYTES);
    expect(await recordings()).toEqual([]);
    expect(inFolder('signals')).toEqual([]);
    expect(await uploads()).toMatchObject([{ recordingId: first.recordingId, state: 'RECEIVING' }]);
    expect(inFolder('inbox', 'uploads')).toHaveLength(2);

    const attention = async () =>
      (await test.client.call('listAttention', { params: { accountId } })).items.find(
        ({ reason }) => reason === 'DISK_FULL',
      );
    expect(await attention()).toMatchObject({
      sentence: expect.stringContaining('uses the last reserve'),
      evidence: { detail: expect.stringMatching(/MB/), code: 'emergency' },
    });
    const use = await test.client.call('getDiskUse');
    expect(use.neededBytes).toBeGreaterThan(0);
    expect(use.parts.find(({ part }) => part === 'inbox')?.sizeBytes).toBeGreaterThan(CHUNK_BYTES);

    // A new upload is refused and leaves nothing behind. Older recordings are sent first.
    const second = await take(30, 60);
    await expect(sendUntilTrouble()).rejects.toThrow();
    expect(troubles).toHaveLength(2);
    expect(troubles[1]).toMatchObject({ status: 507, code: 'DISK_FULL' });
    expect(await uploads()).toHaveLength(1);
    expect(inFolder('inbox', 'uploads')).toHaveLength(2);
    expect(hub.sentBytes).toBe(4 * CHUNK_BYTES);

    disk.free();
    expect(await attention()).toBeUndefined();
    expect((await test.client.call('getDiskUse')).neededBytes).toBe(0);
    fillAt = Number.POSITIVE_INFINITY;
    const before = hub.sentBytes;
    expect(await sendUntilTrouble()).toMatchObject([
      { recordingId: second.recordingId, state: 'DELIVERED', siteState: 'STORED' },
      { recordingId: first.recordingId, state: 'DELIVERED', siteState: 'STORED' },
    ]);
    expect(hub.sentBytes - before).toBe(first.sizeBytes - 3 * CHUNK_BYTES + second.sizeBytes);
    for (const { recordingId, sha256 } of [first, second]) {
      expect(sha256Of(join(dir, 'signals', `${recordingId}.sig`))).toBe(sha256);
    }
    expect(await recordings()).toHaveLength(2);
    expect(inFolder('inbox', 'uploads')).toEqual([]);
    expect((await verifySite(dir)).problems).toEqual([]);
  } finally {
    hub.close();
    await test.close();
    await disk.remove();
    rmSync(folder, { recursive: true });
  }
});
