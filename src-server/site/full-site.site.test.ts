/** A site whose disk fills up: space reserved for devices, rejected requests, and closing and reopening on a full disk. */

import { randomUUID } from 'node:crypto';
import { statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { basicAuthorization, type Credentials } from '../api/contract/client.ts';
import { SYSTEM } from '../db/index.ts';
import { HOUR_MS } from '../durations.ts';
import { type SmallDisk, smallDisk } from '../testing/small-disk.ts';
import { openTls } from '../testing/test-device.ts';
import { startTestLanSite, type TestLanSite } from '../testing/test-lan-site.ts';
import { signIn } from '../testing/test-site.ts';
import { type Answer, TestDevice } from '../testing/upload-client.ts';
import { openSite } from './folder.ts';

const MB = 1 << 20;
const EIGHT_DAYS_MS = 8 * 24 * HOUR_MS;
const SENSOR = 'SN-0001';

const probe = await smallDisk();
await probe?.remove();

describe.runIf(probe !== undefined)('a site on a disk of 20 MB', () => {
  let disk: SmallDisk;
  let test: TestLanSite;
  let ca: string;

  const freeBytes = () => {
    const { bavail, bsize } = statfsSync(disk.path);
    return bavail * bsize;
  };
  const reserveBytes = () => {
    const { blocks, bsize } = statfsSync(disk.path);
    return (blocks * bsize) / 20;
  };

  beforeEach(async () => {
    disk = (await smallDisk()) as SmallDisk;
    test = await startTestLanSite({}, undefined, disk.path);
    const { store } = test.site.folder;
    const { accountId, studyId, subjectIds } = test.place;
    await store.equipment.register({ accountId, id: SENSOR, type: 'SENSOR', udid: 'AA:BB:CC:00:00:77' }, SYSTEM);
    await store.equipment.assign(SENSOR, { studyId, subjectId: subjectIds[0] ?? '', atTs: 1 }, SYSTEM);
    const socket = await openTls(test.lanUrl);
    ca = socket.getPeerX509Certificate()?.toString() ?? '';
    socket.destroy();
  });
  afterEach(async () => {
    disk.free();
    await test.close();
    await disk.remove();
  });

  async function hub(serial: string): Promise<TestDevice> {
    const { token } = await test.pairDevice({ serial });
    return new TestDevice({ url: test.lanUrl, authorization: `Bearer ${token}`, ca });
  }

  /** Announces an upload without sending it. */
  function announce(device: TestDevice, sizeBytes: number): Promise<Answer> {
    return device.announce({
      recordingId: randomUUID(),
      sensor: SENSOR,
      bytes: Buffer.alloc(0),
      startUs: (Date.now() - HOUR_MS) * 1000,
      metadata: { size: String(sizeBytes), sha256: randomUUID().replaceAll('-', '').repeat(2) },
    });
  }

  /** Announces uploads of this size until one is rejected. */
  async function announceAll(device: TestDevice, sizeBytes: number): Promise<{ accepted: number; refusal: Answer }> {
    for (let accepted = 0; ; accepted++) {
      const refusal = await announce(device, sizeBytes);
      if (refusal.status !== 201) return { accepted, refusal };
    }
  }

  it('reserves at most half of the space for one hub, and no more than all of it for all hubs', async () => {
    const room = freeBytes() - reserveBytes();
    const first = await announceAll(await hub('HUB-1'), MB);
    expect(first.refusal).toMatchObject({ status: 429, body: { code: 'UPLOAD_BUSY', permanent: false } });
    expect(first.refusal.body.message).toContain('half of the free space');
    expect(first.accepted).toBeGreaterThan(0);
    expect(first.accepted * MB).toBeLessThanOrEqual(room / 2);
    const second = await announceAll(await hub('HUB-2'), MB);
    expect(second.accepted).toBeGreaterThan(0);
    const third = await announceAll(await hub('HUB-3'), MB);
    const fourth = await announce(await hub('HUB-4'), 4 * MB);
    expect([fourth.status, fourth.body.code, fourth.headers['retry-after']]).toEqual([507, 'DISK_FULL', '300']);
    const promised = (first.accepted + second.accepted + third.accepted) * MB;
    expect(promised).toBeLessThanOrEqual(room);
    expect(freeBytes()).toBeGreaterThan(reserveBytes());
  });

  /** Uploads of 1 MB for which half of the space has room. Announcing them takes space too: the database grows. */
  const roomOfHub = () => Math.floor((freeBytes() - reserveBytes()) / 2 / MB);

  it('releases the reservation of uploads that ended or expired', async () => {
    const device = await hub('HUB-1');
    const { accepted } = await announceAll(device, MB);
    test.clock.aheadMs = EIGHT_DAYS_MS;
    await test.restart();
    const again = await hub('HUB-1');
    again.options.url = test.lanUrl;
    const second = await announceAll(again, MB);
    expect(second.accepted).toBeGreaterThanOrEqual(accepted - 1);
    expect(second.accepted).toBe(roomOfHub());
    const { items } = await test.client.call('listUploads', {
      params: { accountId: test.place.accountId },
      query: { state: ['RECEIVING'] },
    });
    for (const { id } of items) {
      expect((await again.request('DELETE', `/api/v1/device/uploads/${id}`)).status).toBe(204);
    }
    const third = await announceAll(again, MB);
    expect(third.accepted).toBe(roomOfHub());
  });

  it('counts what has arrived of unfinished uploads as the space of their hub', async () => {
    const device = await hub('HUB-1');
    const room = freeBytes() - reserveBytes();
    const head = Buffer.from([0x89, 0x4f, 0x53, 0x49, 0x47, 0x0d, 0x0a, 0x1a, 1, 0]);
    // All but the end of each file: little is outstanding, and the disk would be full by halves.
    let sent = 0;
    for (let count = 0; count < 32; count++) {
      const announced = await announce(device, MB);
      if (announced.status !== 201) break;
      const bytes = Buffer.concat([head, Buffer.alloc(MB - 100)]).subarray(0, MB - 50);
      expect((await device.patch(announced.headers.location ?? '', 0, bytes)).status).toBe(204);
      sent += MB;
    }
    expect(sent).toBeGreaterThan(room / 4);
    expect(sent).toBeLessThanOrEqual(room / 2);
    expect((await announceAll(await hub('HUB-2'), MB)).accepted).toBeGreaterThan(0);
  });

  it('keeps its reserve when another program fills the disk while a hub sends', async () => {
    const device = await hub('HUB-1');
    const announced = await announce(device, 2 * MB);
    const location = announced.headers.location ?? '';
    writeFileSync(join(disk.path, 'other'), Buffer.alloc(freeBytes() - reserveBytes() / 2));
    const answer = await device.patch(location, 0, Buffer.alloc(64 * 1024));
    expect([answer.status, answer.body.code]).toEqual([507, 'DISK_FULL']);
    // The database still has space, so writes succeed.
    await test.client.call('createSubject', {
      params: { studyId: test.place.studyId },
      body: { displayName: 'Written on the reserve', timezone: 'UTC' },
    });
  });

  it('rejects imports and pictures that would use the reserve, and leaves no files behind', async () => {
    const { studyId, subjectIds } = test.place;
    const subjectId = subjectIds[0] ?? '';
    writeFileSync(join(disk.path, 'other'), Buffer.alloc(freeBytes() - reserveBytes() - 256 * 1024));
    const before = freeBytes();
    const send = async (path: string, part: string, bytes: Uint8Array<ArrayBuffer>, fields: Record<string, string>) => {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.set(name, value);
      form.set(part, new Blob([bytes]), 'file.png');
      const answer = await fetch(new URL(`/api/v1${path}`, test.site.url), {
        method: 'POST',
        headers: { authorization: basicAuthorization(test.client.credentials as Credentials) },
        body: form,
      });
      return [answer.status, ((await answer.json()) as { code: string }).code];
    };
    const big = new Uint8Array(MB);
    big.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
    const base = `/studies/${studyId}/subjects/${subjectId}`;
    expect(await send(`${base}/imports`, 'file', big, {})).toEqual([507, 'DISK_FULL']);
    expect(await send(`${base}/messages`, 'image', big, { body: 'Look' })).toEqual([507, 'DISK_FULL']);
    expect(freeBytes()).toBeGreaterThan(before - 128 * 1024);
  });

  it('reports the full disk at sign-in, and accepts the sign-in once there is space', async () => {
    disk.fill();
    const email = 'admin@example.org';
    const tries = [];
    for (let n = 0; n < 5; n++) tries.push(await trySignIn(email));
    for (const { status, body } of tries) {
      expect([200, 507]).toContain(status);
      if (status === 507)
        expect(body).toMatchObject({ code: 'DISK_FULL', message: expect.stringMatching(/disk.*full/i) });
    }
    // Reads still succeed.
    expect(await test.client.call('listStudies', { params: { accountId: test.place.accountId } })).toHaveLength(1);
    disk.free();
    expect((await trySignIn(email)).status).toBe(200);
    await signIn(test.site.url);
  });

  async function trySignIn(email: string) {
    const answer = await fetch(new URL('/api/v1/users/login/email', test.site.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password: 'correct horse 1' }),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  }

  it('closes on a full disk, releases its lock, and reopens in the same process', async () => {
    const { studyId } = test.place;
    for (let n = 0; n < 20; n++) {
      await test.client.call('createSubject', {
        params: { studyId },
        body: { displayName: `Subject ${n + 10}`, timezone: 'UTC' },
      });
    }
    disk.fill();
    await test.site.close();
    // Opening may fail with DISK_FULL, but not with SITE_LOCKED by the closed site.
    const full = await openSite(test.place.dir).then(
      async (folder) => await folder.close(),
      (thrown: unknown) => thrown,
    );
    if (full !== undefined) expect(full).toMatchObject({ code: 'DISK_FULL' });
    disk.free();
    const folder = await openSite(test.place.dir);
    const names = (await folder.store.subjects.list(studyId)).map(({ displayName }) => displayName);
    await folder.close();
    expect(names).toContain('Subject 29');
    await test.restart();
  });
});
