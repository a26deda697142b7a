/** The public tus-js-client against the site's TLS listener: it uploads, is interrupted, and resumes. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DefaultHttpStack, Upload, type UploadOptions } from 'tus-js-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { HOUR_MS } from '../../durations.ts';
import { openTls } from '../../testing/test-device.ts';
import { startTestLanSite, type TestLanSite } from '../../testing/test-lan-site.ts';
import type { UploadFile } from '../../testing/upload-client.ts';
import { makeUploadFile, SENSOR, SENSOR_UDID } from '../../testing/upload-site.ts';

let test: TestLanSite;
let folder: string;
let token: string;
let httpStack: DefaultHttpStack;
let hoursAgo = 40;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'outpost-tus-'));
  test = await startTestLanSite();
  const { accountId, studyId, subjectIds, userId } = test.place;
  const change = { actor: { type: 'USER', id: userId } } as const;
  const { equipment } = test.site.folder.store;
  await equipment.register({ accountId, id: SENSOR, type: 'SENSOR', udid: SENSOR_UDID }, change);
  await equipment.assign(SENSOR, { studyId, subjectId: subjectIds[0]!, atTs: Date.now() - 48 * HOUR_MS }, change);
  ({ token } = await test.pairDevice({ serial: 'HUB-TUS-JS' }));
  const socket = await openTls(test.lanUrl);
  const ca = socket.getPeerX509Certificate()!.toString();
  socket.destroy();
  httpStack = new DefaultHttpStack({ ca, allowPartialTrustChain: true, checkServerIdentity: () => undefined });
});
afterAll(async () => {
  await test.close();
  rmSync(folder, { recursive: true });
});

interface Run {
  upload: Upload;
  /** Method of each request, and its status once answered. */
  requests: string[];
  ended: Promise<void>;
}

function run(file: UploadFile, options: UploadOptions = {}): Run {
  const requests: string[] = [];
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  const upload = new Upload(file.bytes, {
    endpoint: `${test.lanUrl}/api/v1/device/uploads`,
    httpStack,
    headers: { authorization: `Bearer ${token}` },
    chunkSize: 65_536,
    retryDelays: [0, 10, 100],
    metadata: {
      recordingId: file.recordingId,
      sensor: file.sensor,
      sha256: createHash('sha256').update(file.bytes).digest('hex'),
      formatVersion: '1',
      startUs: String(file.startUs),
    },
    onAfterResponse: (request, response) => void requests.push(`${request.getMethod()} ${response.getStatus()}`),
    onSuccess: () => resolve(),
    onError: reject,
    ...options,
  });
  upload.start();
  return { upload, requests, ended };
}

/** Each file covers its own hour, because recordings of one sensor must not overlap. */
async function makeFile(): Promise<UploadFile> {
  hoursAgo -= 1;
  return await makeUploadFile(folder, { startUs: (Date.now() - hoursAgo * HOUR_MS) * 1000, seconds: 600 });
}

/** Aborts in the middle of a chunk, after the first two have been sent. */
async function interrupt(file: UploadFile): Promise<Run> {
  const { promise: isUnderWay, resolve } = Promise.withResolvers<void>();
  const first = run(file, { onProgress: (sentBytes) => sentBytes > 150_000 && resolve() });
  await Promise.race([isUnderWay, first.ended]);
  await first.upload.abort();
  return first;
}

async function expectStored(file: UploadFile): Promise<void> {
  const stored = await test.site.folder.store.recordings.get(file.recordingId);
  expect(stored).toMatchObject({ fileState: 'PRESENT', sizeBytes: file.bytes.length });
}

it('uploads a recording in chunks', async () => {
  const file = await makeFile();
  const { requests, ended } = run(file);
  await ended;
  const chunks = Math.ceil(file.bytes.length / 65_536);
  expect(requests).toEqual(['POST 201', ...Array<string>(chunks).fill('PATCH 204')]);
  await expectStored(file);
});

it('resumes an interrupted upload at its address', async () => {
  const file = await makeFile();
  const { upload } = await interrupt(file);
  const { requests, ended } = run(file, { uploadUrl: upload.url });
  await ended;
  expect(requests[0]).toBe('HEAD 200');
  expect(requests.slice(1).every((request) => request === 'PATCH 204')).toBe(true);
  expect(requests.length - 1).toBeLessThan(Math.ceil(file.bytes.length / 65_536));
  await expectStored(file);
});

it('continues after it has lost the address: announces, is answered 409, asks for the offset', async () => {
  const file = await makeFile();
  await interrupt(file);
  const { requests, ended } = run(file);
  await ended;
  expect(requests.slice(0, 3)).toEqual(['POST 201', 'PATCH 409', 'HEAD 200']);
  expect(requests.slice(3).every((request) => request === 'PATCH 204')).toBe(true);
  await expectStored(file);
});

it('terminates an upload', async () => {
  const file = await makeFile();
  const { upload } = await interrupt(file);
  await Upload.terminate(upload.url!, { ...upload.options, retryDelays: null });
  const { requests, ended } = run(file, { uploadUrl: upload.url, retryDelays: null });
  await ended;
  expect(requests.slice(0, 2)).toEqual(['HEAD 410', 'POST 201']);
  await expectStored(file);
});
