/** Subjects without data, each for a different reason, made with simulated devices. */

import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src-server/durations.ts';
import { SimulatedHub } from '../../src-server/simulator/hub/hub.ts';
import type { TestLanSite } from '../../src-server/testing/test-lan-site.ts';
import { makeUploadFile, type TestFileOptions } from '../../src-server/testing/upload-site.ts';
import { removeFolder } from './remove-folder.ts';

/** What the desk shows for one of them. */
export interface NoDataCase {
  subjectName: string;
  /** True if Today lists it; otherwise the test searches for the subject. */
  isOnToday: boolean;
  /** The first cause, with its topic. */
  cause: RegExp;
  /** Its one action. */
  action: string;
  /** Heading or field of the place where the action is done. */
  place: { role: 'heading' | 'textbox'; name: string };
}

export interface NoDataSite {
  studyId: string;
  cases: NoDataCase[];
  close(): Promise<void>;
}

/** Returns a zone in which it is about noon now, so that no day ends while the tests run. */
function zoneAtNoon(nowMs: number): string {
  const ahead = 12 - new Date(nowMs).getUTCHours();
  return ahead === 0 ? 'Etc/GMT' : `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
}

interface Person {
  displayName: string;
  serial: string;
  udid: string;
  hub: SimulatedHub;
}

/** Creates six days of data up to now, with one subject for each cause. */
export async function makeNoData(lan: TestLanSite): Promise<NoDataSite> {
  const { client, clock } = lan;
  const { accountId } = lan.place;
  const { aheadMs } = clock;
  const nowMs = Date.now() + aheadMs;
  const timezone = zoneAtNoon(nowMs);
  const tag = crypto.randomUUID().slice(0, 4).toUpperCase();
  const folder = await mkdtemp(join(tmpdir(), 'outpost-no-data-'));
  const hubs: SimulatedHub[] = [];
  clock.aheadMs = aheadMs - 6 * DAY_MS;
  const { id: studyId } = await client.call('createStudy', {
    params: { accountId },
    body: { displayName: `No data ${tag}` },
  });
  await client.call('startStudy', { params: { studyId } });

  /** Enrols a subject with a sensor and a hub. */
  async function enrol(name: string, { holdsSensor = true } = {}): Promise<Person> {
    const displayName = `${name}-${tag}`;
    const { id: subjectId } = await client.call('createSubject', {
      params: { studyId },
      body: { displayName, timezone },
    });
    const serial = `SN-${displayName}`;
    const udid = Array.from(crypto.getRandomValues(new Uint8Array(6)), (byte) =>
      byte.toString(16).padStart(2, '0'),
    ).join(':');
    await client.call('registerEquipment', {
      params: { accountId },
      body: { id: serial, type: 'SENSOR', displayName: `Chest ${name}`, udid },
    });
    const hub = await SimulatedHub.open({
      folder: join(folder, name),
      serial: `HUB-${displayName}`,
      displayName: `Hub of ${displayName}`,
      clock: () => Date.now() + clock.aheadMs,
    });
    hubs.push(hub);
    const { id, link } = await client.call('startPairing', { body: { studyId, subjectId } });
    const onCheckCode = async (checkCode: string) =>
      void (await client.call('confirmPairing', { params: { pairingId: id }, body: { checkCode } }));
    await hub.pair({ link }, { onCheckCode, collectEveryMs: 50 });
    if (holdsSensor) await client.call('assignEquipment', { params: { studyId, subjectId, equipmentId: serial } });
    await hub.contact({ batteryPercent: 90, sensors: [{ udid, batteryPercent: 80 }] });
    return { displayName, serial, udid, hub };
  }

  /** Makes a recording, which the hub takes off the sensor and sends. */
  async function send({ hub, serial, udid }: Person, options: TestFileOptions, spoil?: (bytes: Buffer) => void) {
    const made = await makeUploadFile(folder, { udid, ...options });
    const path = join(folder, `${made.recordingId}.made`);
    const bytes = Buffer.from(made.bytes);
    spoil?.(bytes);
    await writeFile(path, bytes);
    await hub.takeRecording(path, serial);
    await hub.sendAll();
  }

  // Unplugged after its first contact.
  const offline = await enrol('Offline');
  const unassigned = await enrol('Unassigned', { holdsSensor: false });
  const mixedUp = await enrol('Mixed');
  const damaged = await enrol('Damaged');
  const flat = await enrol('Flat');
  const unworn = await enrol('Unworn');
  clock.aheadMs = aheadMs;

  const hourAgoUs = (nowMs - HOUR_MS) * 1000;
  await send(mixedUp, { startUs: hourAgoUs, udid: '02:00:00:00:00:01' });
  await send(damaged, { startUs: hourAgoUs }, (bytes) => {
    const middle = bytes.length >> 1;
    bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  });
  for (const agoMs of [26 * HOUR_MS, 10 * MINUTE_MS]) {
    await flat.hub.noteFault({
      faultTs: nowMs - agoMs,
      faultClass: 'FLAT_BATTERY',
      faultType: 'BATTERY',
      faultFlag: 'DEPLETED',
      udid: flat.udid,
    });
  }
  await flat.hub.contact({ batteryPercent: 91, sensors: [{ udid: flat.udid, batteryPercent: 2 }] });
  // The sensor lay on a table all day and recorded no beats.
  const seconds = 13 * 3600;
  await send(unworn, { startUs: (nowMs - MINUTE_MS) * 1000 - seconds * 1e6, seconds, countOf: () => 0 });
  await lan.site.engine.jobs.whenIdle();

  return {
    studyId,
    cases: [
      {
        subjectName: offline.displayName,
        isOnToday: true,
        cause: /^No contactLast contact with Hub of Offline-/,
        action: 'Check device',
        place: { role: 'heading', name: `Hub of ${offline.displayName}` },
      },
      {
        subjectName: unassigned.displayName,
        isOnToday: true,
        cause: /^EquipmentNo sensor was assigned to the subject\./,
        action: 'Hand out sensor',
        place: { role: 'heading', name: 'Current equipment' },
      },
      {
        subjectName: mixedUp.displayName,
        isOnToday: true,
        cause: /^UploadA recording from Chest Mixed is awaiting a decision: file is from another sensor\./,
        action: 'Review recording',
        place: { role: 'heading', name: 'Needs a decision' },
      },
      {
        subjectName: damaged.displayName,
        isOnToday: true,
        cause: /^UploadA recording from Chest Damaged was refused: file is damaged\./,
        action: 'Check device',
        place: { role: 'heading', name: `Hub of ${damaged.displayName}` },
      },
      {
        subjectName: flat.displayName,
        isOnToday: true,
        cause: /^Signal gapThe battery of Chest Flat ran flat/,
        action: 'Ask to charge it',
        place: { role: 'textbox', name: `Message ${flat.displayName}` },
      },
      {
        subjectName: unworn.displayName,
        isOnToday: false,
        cause: /^Signal gapSensors recorded but were not worn for/,
        action: 'Message subject',
        place: { role: 'textbox', name: `Message ${unworn.displayName}` },
      },
    ],
    close: async () => {
      for (const hub of hubs) hub.close();
      await removeFolder(folder);
    },
  };
}
