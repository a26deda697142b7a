/**
 * Random writes of every kind between random reads, on a running site with hubs, jobs and several users: what the site answers
 * is, byte for byte, what a server that has cached nothing computes from another connection to the same database.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { newId, SYSTEM } from '../../db/index.ts';
import { DAY_MS, HOUR_MS } from '../../durations.ts';
import { openStore, type Store } from '../../services/index.ts';
import { SimulatedHub } from '../../simulator/hub/hub.ts';
import { seededRandom } from '../../testing/signal-fixtures.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { startTestLanSite, type TestLanSite } from '../../testing/test-lan-site.ts';
import { addTestRecording } from '../../testing/test-recording.ts';
import { allJobsEnd, signIn, TEST_EMAIL, TEST_PASSWORD } from '../../testing/test-site.ts';
import { makeUploadFile } from '../../testing/upload-site.ts';
import { basicAuthorization } from '../contract/client.ts';
import { createApi } from '../create-api.ts';
import { StoredAnswers } from '../framework/stored-answers.ts';

const ROUNDS = Number(process.env.ROUNDS ?? 20);
/** Addresses that each round compares for each person; what it leaves is compared in a later one. */
const COMPARED = 12;
const PASSWORD = 'correct horse 1';
const BLOCK = 5;
const SENSORS = [
  { id: 'SN-1', udid: 'AA:BB:CC:00:00:71' },
  { id: 'SN-2', udid: 'AA:BB:CC:00:00:72' },
];

let folder: string;
let test: TestLanSite;
let hub: SimulatedHub;
/** Lends what a server needs beside the store. */
let lender: TestApi;
let fresh: { url: string; begin(): void; close(): Promise<void> };
const sent = vi.spyOn(StoredAnswers.prototype, 'send');

interface Place {
  studyId: string;
  subjectId: string;
}
const places: Place[] = [];
interface Person {
  userId: string;
  email: string;
  authorization: string;
}
const people: Person[] = [];

const now = () => Date.now() + test.clock.aheadMs;

async function logIn(url: string, email: string, password: string): Promise<Person> {
  const response = await fetch(`${url}/api/v1/users/login/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  const { user, accessToken } = (await response.json()) as { user: { id: string }; accessToken: string };
  return { userId: user.id, email, authorization: basicAuthorization({ userId: user.id, accessToken }) };
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'outpost-random-cache-'));
  test = await startTestLanSite();
  lender = await startTestApi();
  const { store } = test.site.folder;
  const { accountId, studyId, subjectIds } = test.place;
  for (const subjectId of subjectIds) places.push({ studyId, subjectId });
  const other = await store.studies.create({ accountId, displayName: 'Other study' }, SYSTEM);
  for (const displayName of ['B 1', 'B 2']) {
    const subject = await store.subjects.create(other.id, { displayName, timezone: 'Asia/Tokyo' }, SYSTEM);
    places.push({ studyId: other.id, subjectId: subject.id });
  }
  people.push(await logIn(test.site.url, TEST_EMAIL, TEST_PASSWORD));
  for (const [i, role] of (['COORDINATOR', 'MONITOR'] as const).entries()) {
    const email = `person${i}@example.org`;
    const user = {
      accountId,
      email,
      firstName: 'P',
      lastName: `${i}`,
      locale: 'en_US' as const,
      timezone: 'UTC',
      role,
    };
    const { id } = await test.client.call('createUser', { body: { email, password: PASSWORD, user } });
    await store.studies.setMember(places[2 * i]!.studyId, id, role, SYSTEM);
    people.push(await logIn(test.site.url, email, PASSWORD));
  }
  for (const [i, sensor] of SENSORS.entries()) {
    await store.equipment.register({ accountId, type: 'SENSOR', ...sensor }, SYSTEM);
    await store.equipment.assign(sensor.id, { ...places[2 * i]!, atTs: now() - 2 * DAY_MS }, SYSTEM);
  }
  hub = await SimulatedHub.open({ folder: join(folder, 'hub'), serial: 'HUB-1', clock: now });
  const { id, link } = await test.startPairing();
  const onCheckCode = async (checkCode: string) => {
    await test.client.call('confirmPairing', { params: { pairingId: id }, body: { checkCode } });
  };
  await hub.pair({ link }, { onCheckCode, collectEveryMs: 5 });
  fresh = await startFreshServer(store.path);
});
afterAll(async () => {
  hub.close();
  await fresh.close();
  await lender.close();
  await test.close();
  rmSync(folder, { recursive: true });
});

/** A server over a connection of its own; `begin` forgets everything that it knows. */
async function startFreshServer(path: string): Promise<typeof fresh> {
  const store: Store = openStore(path, { readonly: true, isChecked: true, clock: now });
  let app: RequestListener;
  const begin = () => {
    app = createApi({ ...lender.deps, store, clock: now, validateResponses: false });
  };
  begin();
  const server = createServer((request, response) => app(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await store.close();
  };
  return { url: `http://127.0.0.1:${port}`, begin, close };
}

/** Addresses of every kind of answer that is cached. */
function probes(): string[] {
  const { accountId } = test.place;
  const ofStudy = (id: string) => [
    `/studies/${id}`,
    `/studies/${id}/definition`,
    `/studies/${id}/subjects`,
    `/studies/${id}/subjects?summary=true`,
    `/studies/${id}/subjects?limit=1`,
    `/studies/${id}/recordings`,
    `/studies/${id}/fault_stats`,
  ];
  const ofSubject = ({ studyId, subjectId }: Place) => [
    `/studies/${studyId}/subjects/${subjectId}`,
    `/studies/${studyId}/subjects/${subjectId}/equipment`,
    `/studies/${studyId}/subjects/${subjectId}/messages`,
    `/studies/${studyId}/subjects/${subjectId}/messages?newest=true&limit=2`,
    `/studies/${studyId}/subjects/${subjectId}/recordings`,
  ];
  return [
    `/accounts/${accountId}/studies?summary=true`,
    `/accounts/${accountId}/users`,
    `/accounts/${accountId}/equipment`,
    `/accounts/${accountId}/equipment/SN-1/history`,
    `/accounts/${accountId}/messages`,
    `/accounts/${accountId}/conversations`,
    ...[...new Set(places.map(({ studyId }) => studyId))].flatMap(ofStudy),
    ...places.flatMap(ofSubject),
  ];
}

async function read(url: string, path: string, person: Person): Promise<string> {
  const response = await fetch(`${url}/api/v1${path}`, { headers: { authorization: person.authorization } });
  const text = await response.text();
  // An error has the id of its request.
  return `${response.status} ${response.ok ? text : ''}`;
}

type Random = () => number;
const pickOf =
  (random: Random) =>
  <T>(values: readonly T[]): T =>
    values[Math.floor(random() * values.length)]!;

/** Writes through the interface and the services, by people, subjects and the system. */
function writesOf(random: Random) {
  const { store, signalsDir } = test.site.folder;
  const { accountId, userId } = test.place;
  const byUser = { actor: { type: 'USER', id: userId } } as const;
  const pick = pickOf(random);
  const word = () => Math.floor(random() * 1e6).toString(36);
  const params = () => pick(places);
  let hoursBack = 400;
  return {
    message: async () => {
      const place = params();
      const author = pick([byUser, { actor: { type: 'SUBJECT' as const, id: place.subjectId } }]);
      await store.messages.post({ ...place, body: word() }, author);
    },
    readMessage: async () => {
      const [message] = (await store.messages.list(params().subjectId)).filter(({ isRead }) => !isRead);
      if (message) await store.messages.markRead(message.id, byUser);
    },
    renameSubject: () => test.client.call('updateSubject', { params: params(), body: { displayName: word() } }),
    hideSubject: () => store.subjects.update(params().subjectId, { isHidden: random() < 0.5 }, byUser),
    moveZone: () => store.subjects.update(params().subjectId, { timezone: pick(['UTC', 'Asia/Tokyo']) }, byUser),
    addSubject: async () => {
      const { studyId } = params();
      if (places.length < 7) {
        const subject = await store.subjects.create(studyId, { displayName: word(), timezone: 'UTC' }, byUser);
        places.push({ studyId, subjectId: subject.id });
      }
    },
    renameStudy: () => test.client.call('updateStudy', { params: params(), body: { title: word() } }),
    define: () =>
      store.studies.putDefinition(
        params().studyId,
        {
          diaries: [
            {
              id: newId(),
              displayName: word(),
              mode: 'UNSUPERVISED',
              questions: [{ text: word(), type: 'BOOLEAN', values: ['Y', 'N'] }],
            },
          ],
        },
        byUser,
      ),
    recording: async () => {
      hoursBack -= 1;
      const { udid } = pick(SENSORS);
      const startUs = (now() - hoursBack * HOUR_MS) * 1000;
      await addTestRecording(store, signalsDir, params(), { startUs, durationSeconds: 2, udid });
    },
    exportSize: async () => {
      const [recording] = await store.recordings.listForStudy(params().studyId);
      if (recording) await store.recordings.setExportSize(recording.id, Math.floor(random() * 1e6));
    },
    fault: async () => {
      const place = params();
      const [recording] = await store.recordings.listForSubject(place.subjectId);
      const faultTs = recording ? Math.floor(recording.startUs / 1000) + 1000 : now();
      const sensor = pick(SENSORS);
      await store.faults.add(
        [
          {
            ...place,
            ...(recording && random() < 0.5 && { recordingId: recording.id }),
            ...(random() < 0.5 && { equipmentId: sensor.id }),
            faultTs,
            faultFlag: 'BATTERY_DEPLETED',
            faultType: 'LINK_HUB_SENSOR_FAULT',
            mobileAppVersion: '1',
            sensorFirmwareId: '1',
            sensorId: sensor.udid,
          },
        ],
        SYSTEM,
      );
    },
    label: () =>
      test.client.call('createLabel', { params: params(), body: { displayName: word(), startTs: now() - HOUR_MS } }),
    handOver: async () => {
      const { id } = pick(SENSORS);
      const { holder } = await store.equipment.require(id);
      if (holder) await store.equipment.unassign(id, { subjectId: holder.subjectId }, byUser);
      else await store.equipment.assign(id, params(), byUser);
    },
    renameEquipment: () =>
      test.client.call('updateEquipment', {
        params: { accountId, equipmentId: pick(SENSORS).id },
        body: { displayName: word() },
      }),
    renameUser: () => test.client.call('updateUser', { params: { userId }, body: { lastName: word() } }),
    role: () =>
      test.client.call('updateUserRole', {
        params: { userId: pick(people.slice(1)).userId },
        body: { role: pick(['ADMIN', 'COORDINATOR', 'ANALYST', 'MONITOR'] as const) },
      }),
    member: async () => {
      const { studyId } = params();
      const member = pick(people.slice(1)).userId;
      if (random() < 0.5) await store.studies.setMember(studyId, member, 'ANALYST', byUser);
      else if ((await store.studies.membershipRole(studyId, member)) !== null)
        await store.studies.setMember(studyId, member, null, byUser);
    },
    logOut: async () => {
      const person = pick(people.slice(1));
      await fetch(`${test.site.url}/api/v1/users/logout`, { headers: { authorization: person.authorization } });
      if (random() < 0.7) Object.assign(person, await logIn(test.site.url, person.email, PASSWORD));
    },
    settings: () =>
      test.client.call('updateSiteSettings', {
        body: { displayName: word(), lan: { deskOpen: random() < 0.5 } },
      }),
    failing: () => {
      // What a transaction wrote before it failed was never there.
      const { subjectId } = params();
      const failed = store.transaction(async (open) => {
        await open.subjects.update(subjectId, { displayName: word() }, byUser);
        throw new Error('undo');
      });
      return failed.catch(() => undefined);
    },
    clock: async () => {
      test.clock.aheadMs += Math.floor((random() - 0.4) * 6) * HOUR_MS;
    },
    contact: async () => {
      const { udid } = pick(SENSORS);
      if (random() < 0.5) {
        const faultTs = now() - HOUR_MS;
        const kind = { faultClass: 'FLAT_BATTERY', faultType: 'LINK_HUB_SENSOR_FAULT', faultFlag: 'X' } as const;
        await hub.noteFault({ ...kind, faultTs, udid });
      }
      await hub.contact({ batteryPercent: Math.floor(random() * 100), sensors: [{ udid, batteryPercent: 5 }] });
    },
  };
}

/** Writes that take a second each, so they happen at fixed rounds. */
function slowWrites(): (() => Promise<unknown>)[] {
  const [sensor] = SENSORS;
  return [
    async function upload() {
      const startUs = (now() - 5 * HOUR_MS) * 1000;
      const made = await makeUploadFile(folder, { startUs, udid: sensor!.udid, seconds: 120 });
      const path = join(folder, `${made.recordingId}.sig`);
      await writeFile(path, made.bytes);
      await hub.takeRecording(path, sensor!.id);
      await hub.sendAll();
    },
    async function archive() {
      await test.client.call('requestStudyArchive', { params: { studyId: test.place.studyId } });
    },
    async function twoWeeks() {
      test.clock.aheadMs += 15 * DAY_MS;
    },
    async function signInAgain() {
      test.client = await signIn(test.site.url);
      people[0] = await logIn(test.site.url, TEST_EMAIL, TEST_PASSWORD);
    },
  ];
}

/** Compares answers with fresh ones. Where something wrote meanwhile, both are read again. */
async function expectFresh(paths: readonly string[], context: string): Promise<void> {
  const { store } = test.site.folder;
  fresh.begin();
  for (const person of people) {
    for (const path of paths) {
      let answers: [string, string];
      let before: number;
      do {
        before = store.writeCount();
        answers = [await read(test.site.url, path, person), await read(fresh.url, path, person)];
      } while (store.writeCount() !== before);
      expect(answers[0], `${context}: ${path} for ${person.email}`).toBe(answers[1]);
    }
  }
}

const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);

it(`never answers with old bytes (SEED=${seed})`, { timeout: 600_000 }, async () => {
  const random = seededRandom(seed);
  const pick = pickOf(random);
  const all = Object.entries(writesOf(random));
  let writes = all;
  const slow = slowWrites();
  await expectFresh(probes(), 'at first');
  for (let round = 0; round < ROUNDS; round++) {
    const done: string[] = [];
    // A few kinds of writes for a while: with all of them, one that drops everything hides what the others fail to drop.
    if (round % BLOCK === 0) writes = Array.from({ length: 4 }, () => pick(all));
    const racing: Promise<unknown>[] = [];
    const race = () => {
      for (let i = 0; i < 4; i++) racing.push(read(test.site.url, pick(probes()), pick(people)));
    };
    const count = 1 + Math.floor(random() * 3);
    for (let i = 0; i < count; i++) {
      const [name, write] = pick(writes);
      done.push(name);
      race();
      await Promise.all([write(), race()]);
    }
    const slowWrite = round % BLOCK === BLOCK - 1 ? slow[Math.floor(round / BLOCK) % slow.length] : undefined;
    if (slowWrite) {
      done.push(slowWrite.name);
      await slowWrite();
      race();
      if (slowWrite.name !== 'twoWeeks') await allJobsEnd(test.client);
    }
    await Promise.all(racing);
    const compared = Array.from({ length: COMPARED }, () => pick(probes()));
    await expectFresh(compared, `seed ${seed}, round ${round}, after ${done.join(', ')}`);
    if (slowWrite?.name === 'twoWeeks') await slow.at(-1)!();
  }
  const results = await Promise.all(sent.mock.results.map(({ value }) => value as Promise<boolean>));
  // With fewer answers from the cache, the comparison would say little.
  expect(results.filter(Boolean).length).toBeGreaterThan(5 * ROUNDS);
  expect(lender.problems).toEqual([]);
});
