/** Recordings that a signed-in user sends for one subject: the same protocol and checks as for devices, the rights of the user. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { basicAuthorization } from '../../api/contract/client.ts';
import { hashPassword } from '../../db/index.ts';
import { HOUR_MS } from '../../durations.ts';
import type { Role } from '../../study/permissions.ts';
import { openTls } from '../../testing/test-device.ts';
import { startTestLanSite, type TestLanSite } from '../../testing/test-lan-site.ts';
import { TEST_PASSWORD } from '../../testing/test-site.ts';
import { checksumOf, TestDevice, type UploadFile } from '../../testing/upload-client.ts';
import { makeUploadFile, type TestFileOptions } from '../../testing/upload-site.ts';

const STRAP = 'STRAP-1';
const OTHERS_STRAP = 'STRAP-2';
const HALF = 200_000;

interface Person {
  userId: string;
  accessToken: string;
  desk: TestDevice;
}

let test: TestLanSite;
let folder: string;
let studyId: string;
let subjectId: string;
let otherSubjectId: string;
let coordinator: Person;
let hoursBack = 190;
let people = 0;

const store = () => test.site.folder.store;
const byAdmin = () => ({ actor: { type: 'USER', id: test.place.userId } }) as const;
const collectionOf = (study: string, subject: string) => `/api/v1/studies/${study}/subjects/${subject}/uploads`;

async function addPerson(role: Role, member: Role | null = null, place = { studyId, subjectId }): Promise<Person> {
  people += 1;
  const { id: userId } = await store().users.create(
    {
      accountId: test.place.accountId,
      email: `person-${people}@example.org`,
      firstName: 'Test',
      lastName: role,
      locale: 'en_US',
      timezone: 'US/Eastern',
      role,
      passwordHash: await hashPassword(TEST_PASSWORD),
    },
    byAdmin(),
  );
  if (member) await store().studies.setMember(studyId, userId, member, byAdmin());
  const { accessToken } = await store().tokens.create(userId);
  const authorization = basicAuthorization({ userId, accessToken });
  const collection = collectionOf(place.studyId, place.subjectId);
  return { userId, accessToken, desk: new TestDevice({ url: test.site.url, authorization, collection }) };
}

/** Each file covers its own hour: recordings of one sensor must not overlap. */
async function makeFile(options: TestFileOptions & { sensor?: string } = {}): Promise<UploadFile> {
  hoursBack -= 1;
  const startUs = (Date.now() - hoursBack * HOUR_MS) * 1000;
  const file = await makeUploadFile(folder, { startUs, udid: '', ...options });
  return { ...file, sensor: options.sensor ?? STRAP };
}

const uploadsOf = async (file: UploadFile) => await store().uploads.list({ recordingIds: [file.recordingId] });

/** Announces and sends the first half. Returns the location. */
async function sendHalf(desk: TestDevice, file: UploadFile): Promise<string> {
  const { headers } = await desk.announce(file);
  const location = headers.location ?? '';
  expect((await desk.patch(location, 0, file.bytes.subarray(0, HALF))).status).toBe(204);
  return location;
}

async function certificate(): Promise<string> {
  const socket = await openTls(test.lanUrl);
  const ca = socket.getPeerX509Certificate()!.toString();
  socket.destroy();
  return ca;
}

/** Sends the rest in one request; `meanwhile` runs when all but its last bytes are sent. Returns the status. */
async function sendSlowly(
  { desk }: Person,
  location: string,
  file: UploadFile,
  meanwhile: () => Promise<void>,
): Promise<number> {
  const rest = file.bytes.subarray(HALF);
  const { url, authorization } = desk.options;
  return await new Promise((resolve, reject) => {
    const sent = request(new URL(location, url), {
      method: 'PATCH',
      headers: {
        authorization,
        'tus-resumable': '1.0.0',
        'upload-offset': HALF,
        'content-type': 'application/offset+octet-stream',
        'content-length': rest.length,
      },
    });
    sent.on('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.write(rest.subarray(0, -100), () => {
      meanwhile().then(() => sent.end(rest.subarray(-100)), reject);
    });
  });
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'outpost-uploads-of-users-'));
  test = await startTestLanSite();
  const { accountId, subjectIds } = test.place;
  ({ studyId } = test.place);
  [subjectId = '', otherSubjectId = ''] = subjectIds;
  const atTs = Date.now() - 200 * HOUR_MS;
  for (const [id, holder] of [
    [STRAP, subjectId],
    [OTHERS_STRAP, otherSubjectId],
  ] as const) {
    await store().equipment.register({ accountId, id, type: 'SENSOR' }, byAdmin());
    await store().equipment.assign(id, { studyId, subjectId: holder, atTs }, byAdmin());
  }
  coordinator = await addPerson('COORDINATOR', 'COORDINATOR');
});
afterAll(async () => {
  await test.close();
  rmSync(folder, { recursive: true });
});

describe('a coordinator', () => {
  it('sends a file despite cut connections, and is the actor of what it becomes', async () => {
    const file = await makeFile();
    let cuts = 0;
    const answer = await coordinator.desk.upload(file, {
      cutAfter: (bytes) => (cuts++ < 6 ? Math.floor((bytes * cuts) / 7) : undefined),
    });
    expect(answer.body).toMatchObject({ state: 'STORED', storedRecordingId: file.recordingId });
    const recording = await store().recordings.require(file.recordingId);
    expect(recording).toMatchObject({ studyId, subjectId, equipmentId: STRAP });
    const stored = readFileSync(join(test.site.folder.signalsDir, `${file.recordingId}.sig`));
    expect(stored.equals(file.bytes)).toBe(true);
    const [upload] = await uploadsOf(file);
    expect(upload).toMatchObject({ userId: coordinator.userId, state: 'STORED', studyId, subjectId });
    expect(upload?.credentialId).toBeUndefined();

    const trail = await test.client.call('listStudyAudit', { params: { studyId }, query: { limit: '50' } });
    const actorOf = (entityId: string, action: string) =>
      trail.items.find((entry) => entry.entityId === entityId && entry.action === action)?.actor;
    for (const [id, action] of [
      [upload?.id ?? '', 'upload.begin'],
      [upload?.id ?? '', 'upload.stored'],
      [file.recordingId, 'recording.add'],
    ] as const) {
      expect([action, actorOf(id, action)]).toEqual([
        action,
        expect.objectContaining({ type: 'USER', id: coordinator.userId }),
      ]);
    }
    const { items } = await test.client.call('listEvents', { params: { studyId } });
    const event = items.find(({ referenceId }) => referenceId === file.recordingId);
    expect(event).toMatchObject({
      action: 'RECORDING_UPLOADED',
      author: { principalType: 'USER', id: coordinator.userId },
    });
    const listed = await test.client.call('listUploads', {
      params: { accountId: test.place.accountId },
      query: { state: ['STORED'] },
    });
    expect(listed.items.find(({ id }) => id === upload?.id)).toMatchObject({ userId: coordinator.userId, subjectId });
  });

  it('sends a file twice, and the site has one upload and one recording', async () => {
    const file = await makeFile();
    const location = await sendHalf(coordinator.desk, file);
    const again = await coordinator.desk.announce(file);
    expect(again.headers).toMatchObject({ location, 'upload-offset': String(HALF) });
    await Promise.all([coordinator.desk.upload(file), coordinator.desk.upload(file)]);
    expect((await coordinator.desk.upload(file)).body.state).toBe('STORED');
    expect(await uploadsOf(file)).toHaveLength(1);
  });

  it('gets the checks of devices: damaged pages, and a chunk with another checksum', async () => {
    const file = await makeFile();
    const location = await sendHalf(coordinator.desk, file);
    const chunk = file.bytes.subarray(HALF, HALF + 1000);
    const headers = { 'upload-checksum': checksumOf(Buffer.from('other')) };
    expect((await coordinator.desk.patch(location, HALF, chunk, { headers })).body.code).toBe('CHECKSUM_MISMATCH');
    const bytes = Buffer.from((await makeFile()).bytes);
    bytes.fill(0xff, bytes.length - 3000, bytes.length - 100);
    const damaged = await coordinator.desk.upload({ ...(await makeFile()), bytes });
    expect(damaged.body).toMatchObject({ code: 'FILE_DAMAGED' });
  });

  it('abandons an upload, whose bytes are removed', async () => {
    const file = await makeFile();
    const location = await sendHalf(coordinator.desk, file);
    expect((await coordinator.desk.request('DELETE', location)).status).toBe(204);
    expect((await uploadsOf(file))[0]?.state).toBe('ENDED');
  });
});

describe('the subject that a user names', () => {
  it('is not one who did not hold the sensor', async () => {
    const file = await makeFile({ sensor: OTHERS_STRAP });
    const refused = await coordinator.desk.announce(file);
    expect(refused).toMatchObject({ status: 403, body: { code: 'SENSOR_NOT_SERVED', permanent: true } });
    const early = await makeFile({ startUs: (Date.now() - 300 * HOUR_MS) * 1000 });
    expect((await coordinator.desk.announce(early)).body.code).toBe('SENSOR_NOT_SERVED');
    expect((await coordinator.desk.announce(await makeFile({ sensor: 'NOBODY-KNOWS' }))).body.code).toBe(
      'SENSOR_UNKNOWN',
    );
  });

  it('is checked again when the file is there: the sensor was reassigned meanwhile', async () => {
    const accountId = test.place.accountId;
    await store().equipment.register({ accountId, id: 'STRAP-3', type: 'SENSOR' }, byAdmin());
    const at = Date.now() - 20 * HOUR_MS;
    await store().equipment.assign('STRAP-3', { studyId, subjectId, atTs: at }, byAdmin());
    const file = await makeFile({ sensor: 'STRAP-3', startUs: (at + HOUR_MS) * 1000 });
    const location = await sendHalf(coordinator.desk, file);
    // What was booked wrongly is corrected before the last byte.
    await store().equipment.unassign('STRAP-3', { subjectId, atTs: at + 60_000 }, byAdmin());
    await store().equipment.assign('STRAP-3', { studyId, subjectId: otherSubjectId, atTs: at + 120_000 }, byAdmin());
    await coordinator.desk.patch(location, HALF, file.bytes.subarray(HALF));
    const { body } = await coordinator.desk.state(location);
    expect(body).toMatchObject({ state: 'QUARANTINED', code: 'NOT_ASSIGNED' });
    expect(await store().recordings.get(file.recordingId)).toBeUndefined();
    expect((await uploadsOf(file))[0]).toMatchObject({ subjectId });
  });

  it('is not one whose recording this is not', async () => {
    const file = await makeFile();
    await coordinator.desk.upload(file);
    const desk = new TestDevice({ ...coordinator.desk.options, collection: collectionOf(studyId, otherSubjectId) });
    expect(await desk.announce(file)).toMatchObject({ status: 409, body: { code: 'CONFLICT', permanent: true } });
    const [upload] = await uploadsOf(file);
    expect((await desk.state(`${collectionOf(studyId, otherSubjectId)}/${upload?.id}`)).status).toBe(410);
  });

  it('was erased: the answer says that the copy has to go', async () => {
    const { id } = await store().subjects.create(studyId, { displayName: 'Gone', timezone: 'US/Eastern' }, byAdmin());
    const desk = new TestDevice({ ...coordinator.desk.options, collection: collectionOf(studyId, id) });
    const body = { reason: 'Asked for in writing', confirmation: 'Gone', password: TEST_PASSWORD };
    await test.client.call('eraseSubject', { params: { studyId, subjectId: id }, body });
    expect((await desk.announce(await makeFile())).body.code).toBe('SUBJECT_ERASED');
  });
});

describe('what the user may', () => {
  it('is refused without a session, a membership, or a role that imports', async () => {
    const file = await makeFile();
    const stranger = new TestDevice({ ...coordinator.desk.options, authorization: 'Basic bm9ib2R5OnRva2Vu' });
    expect((await stranger.announce(file)).status).toBe(401);
    const outsider = await addPerson('COORDINATOR');
    expect((await outsider.desk.announce(file)).status).toBe(404);
    for (const role of ['MONITOR', 'ANALYST'] as const) {
      const reader = await addPerson('COORDINATOR', role);
      expect((await reader.desk.announce(file)).body.code).toBe('FORBIDDEN');
    }
    expect(await uploadsOf(file)).toEqual([]);
  });

  it('ends at the study: its subjects are not found below another', async () => {
    const own = await store().studies.create({ accountId: test.place.accountId, displayName: 'Own study' }, byAdmin());
    const person = await addPerson('COORDINATOR');
    await store().studies.setMember(own.id, person.userId, 'COORDINATOR', byAdmin());
    const file = await makeFile();
    for (const [study, status] of [
      [own.id, 404],
      [studyId, 404],
    ] as const) {
      const desk = new TestDevice({ ...person.desk.options, collection: collectionOf(study, subjectId) });
      expect((await desk.announce(file)).status).toBe(status);
    }
    const location = await sendHalf(coordinator.desk, file);
    const id = location.split('/').at(-1);
    for (const method of ['HEAD', 'GET', 'DELETE']) {
      expect((await person.desk.request(method, `${collectionOf(own.id, subjectId)}/${id}`)).status).toBe(404);
      expect((await person.desk.request(method, location)).status).toBe(404);
    }
    expect((await person.desk.patch(location, HALF, file.bytes.subarray(HALF))).status).toBe(404);
    expect((await coordinator.desk.upload(file)).body.state).toBe('STORED');
  });

  it('does not reach the open upload of another user or of a device', async () => {
    const file = await makeFile();
    const location = await sendHalf(coordinator.desk, file);
    const colleague = await addPerson('COORDINATOR', 'COORDINATOR');
    for (const answer of [
      await colleague.desk.state(location),
      await colleague.desk.head(location),
      await colleague.desk.request('DELETE', location),
      await colleague.desk.patch(location, HALF, file.bytes.subarray(HALF)),
    ]) {
      expect(answer.status).toBe(410);
    }
    expect((await uploadsOf(file))[0]?.state).toBe('RECEIVING');
    // The colleague's own upload of the same file ends the other: nobody would finish it.
    expect((await colleague.desk.upload(file)).body.state).toBe('STORED');
    expect((await coordinator.desk.state(location)).body).toMatchObject({
      state: 'STORED',
      storedRecordingId: file.recordingId,
    });

    const hub = await test.pairDevice();
    const token = new TestDevice({ ...coordinator.desk.options, authorization: `Bearer ${hub.token}` });
    const open = await makeFile();
    const own = await sendHalf(coordinator.desk, open);
    expect((await token.state(own)).status).toBe(401);
    const ca = await certificate();
    const device = new TestDevice({ url: test.lanUrl, authorization: `Bearer ${hub.token}`, ca });
    const id = own.split('/').at(-1);
    expect((await device.state(`/api/v1/device/uploads/${id}`)).status).toBe(410);
    const user = new TestDevice({ ...device.options, authorization: coordinator.desk.options.authorization });
    expect((await user.state(`/api/v1/device/uploads/${id}`)).status).toBe(401);
  });

  it('ends with the session, half-way: bytes are kept, and another sign-in continues', async () => {
    const person = await addPerson('COORDINATOR', 'COORDINATOR');
    const file = await makeFile();
    const location = await sendHalf(person.desk, file);
    await store().tokens.revoke(person.userId, person.accessToken);
    for (const answer of [
      await person.desk.patch(location, HALF, file.bytes.subarray(HALF)),
      await person.desk.state(location),
      await person.desk.announce(file),
    ]) {
      expect(answer).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
    }
    expect((await uploadsOf(file))[0]).toMatchObject({ state: 'RECEIVING' });
    const { accessToken } = await store().tokens.create(person.userId);
    const authorization = basicAuthorization({ userId: person.userId, accessToken });
    const desk = new TestDevice({ ...person.desk.options, authorization });
    expect((await desk.announce(file)).headers).toMatchObject({ location, 'upload-offset': String(HALF) });
    expect((await desk.upload(file)).body.state).toBe('STORED');
  });

  it.each([
    ['lost', null, 404],
    ['lowered', 'MONITOR', 403],
  ] as const)('is %s within a request: the last bytes make no recording', async (_how, role, status) => {
    const person = await addPerson('COORDINATOR', 'COORDINATOR');
    const file = await makeFile();
    const location = await sendHalf(person.desk, file);
    const sending = sendSlowly(person, location, file, async () => {
      await store().studies.setMember(studyId, person.userId, role, byAdmin());
    });
    expect(await sending).toBe(status);
    expect((await person.desk.state(location)).status).toBe(status);
    expect((await uploadsOf(file))[0]?.state).toBe('RECEIVING');
    expect(await store().recordings.get(file.recordingId)).toBeUndefined();
    // Given back, the file is complete at once.
    await store().studies.setMember(studyId, person.userId, 'COORDINATOR', byAdmin());
    expect((await person.desk.upload(file)).body.state).toBe('STORED');
  });

  it('does not pass the closed desk of the network', async () => {
    const ca = await certificate();
    const desk = new TestDevice({ ...coordinator.desk.options, url: test.lanUrl, ca });
    expect(await desk.announce(await makeFile())).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
  });
});
