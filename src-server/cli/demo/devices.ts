/** Hubs and phones of the demo. They pair with the site and talk to it over the documented protocol and TLS, like real ones. */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Change } from '../../db/index.ts';
import { OutpostError } from '../../errors.ts';
import { SimulatedHub } from '../../simulator/hub/hub.ts';
import { type PhoneReport, SimulatedPhone } from '../../simulator/phone/phone.ts';
import type { RunningSite } from '../../site/server.ts';
import type { DemoSubject } from './scenario.ts';
import type { SimulatedFile } from './simulate.ts';

const ASK_EVERY_MS = 20;
const BACKOFF = { firstMs: 50, longestMs: 1000 };
/** Typical round trip of reading a sensor clock. */
const SENSOR_ROUND_TRIP_US = 40_000;
const PHONE_BATTERY_PERCENT = 71;
/** The hub is mains-powered. */
const HUB_BATTERY_PERCENT = 100;

export interface DemoDevices {
  /** Pairs a subject's hub and phone, and confirms both check codes. */
  pairKit(member: DemoSubject): Promise<void>;
  /** Reports a completed task through the subject's phone. */
  report(member: DemoSubject, report: Omit<PhoneReport, 'id'>): Promise<void>;
  /** Sends a message from the subject. Returns its id. */
  write(member: DemoSubject, body: string): Promise<string>;
  /** Marks a message as read by the subject. */
  read(member: DemoSubject, messageId: string): Promise<void>;
  /** Takes a recording off its sensor, uploads it, and reports battery levels and faults. */
  deliver(
    member: DemoSubject,
    file: SimulatedFile,
    report: { batteryPercent: number; fault: Fault | undefined },
  ): Promise<void>;
  /** Reports the battery levels of sensors charging on the hub. */
  charge(member: DemoSubject, udids: readonly string[], batteryPercent: number): Promise<void>;
  close(): Promise<void>;
}

interface Fault {
  faultClass: 'FLAT_BATTERY' | 'LOST_CONTACT';
  faultFlag: string;
}

/** @param site listens for devices on loopback */
export async function openDemoDevices(
  site: RunningSite,
  options: { accountId: string; userId: string; clock: () => number },
): Promise<DemoDevices> {
  const { accountId, userId, clock } = options;
  const folder = await mkdtemp(join(site.folder.inboxDir, 'hubs-'));
  const hubs = new Map<string, SimulatedHub>();
  const phones = new Map<string, SimulatedPhone>();
  const change: Change = { actor: { type: 'USER', id: userId } };
  const hubOf = (member: DemoSubject): SimulatedHub => {
    const hub = hubs.get(member.serial('h'));
    if (!hub) throw new OutpostError('INTERNAL', `${member.person.displayName} has no hub yet.`);
    return hub;
  };
  const phoneOf = (member: DemoSubject): SimulatedPhone => {
    const phone = phones.get(member.serial('p'));
    if (!phone) throw new OutpostError('INTERNAL', `${member.person.displayName} has no phone yet.`);
    return phone;
  };
  const pair = async (device: SimulatedHub | SimulatedPhone) => {
    const { pairing, link } = await site.lan.desk.start({ accountId, userId }, change);
    const onCheckCode = async (checkCode: string) => {
      await site.lan.desk.confirm(pairing.id, accountId, checkCode, change);
    };
    await device.pair({ link }, { onCheckCode, collectEveryMs: ASK_EVERY_MS });
  };
  const sync = async (phone: SimulatedPhone) => {
    const refused = (await phone.sync()).find(({ state }) => state === 'REFUSED');
    if (refused) throw new OutpostError('INTERNAL', `The site refused what a phone sent: ${refused.message}`);
  };
  return {
    pairKit: async (member) => {
      const serial = member.serial('h');
      const hub = await SimulatedHub.open({ folder: join(folder, serial), serial, clock, backOff: BACKOFF });
      hubs.set(serial, hub);
      await pair(hub);
      const phoneSerial = member.serial('p');
      const phone = await SimulatedPhone.open({ folder: join(folder, phoneSerial), serial: phoneSerial, clock });
      phones.set(phoneSerial, phone);
      await pair(phone);
    },
    report: async (member, report) => {
      const phone = phoneOf(member);
      await phone.report(report);
      await sync(phone);
    },
    write: async (member, body) => {
      const phone = phoneOf(member);
      const id = await phone.write(body);
      await sync(phone);
      return id;
    },
    read: async (member, messageId) => {
      const phone = phoneOf(member);
      await phone.markRead([messageId]);
      await sync(phone);
    },
    deliver: async (member, file, { batteryPercent, fault }) => {
      const hub = hubOf(member);
      const { udid, firmwareId } = file;
      const sensor = member.serial(udid === member.chestUdid ? 'c' : 't');
      await hub.takeRecording(file.path, sensor);
      const readUs = clock() * 1000;
      await hub.noteClock({ udid, sensorUs: readUs, hostUs: readUs, roundTripUs: SENSOR_ROUND_TRIP_US });
      if (fault) {
        const faultType = 'LINK_HUB_SENSOR_FAULT';
        await hub.noteFault({ faultTs: file.stopMs, ...fault, faultType, udid, sensorFirmwareId: firmwareId });
      }
      await hub.reportManifest();
      const [delivery] = await hub.sendAll();
      if (delivery?.state !== 'DELIVERED' || delivery.siteState !== 'STORED') {
        const why = delivery?.state === 'REFUSED' ? delivery.message : (delivery?.siteState ?? 'nothing was sent');
        throw new OutpostError('INTERNAL', `A recording of ${member.person.displayName} was not stored: ${why}`);
      }
      await hub.contact({ batteryPercent, sensors: [{ udid, batteryPercent, firmwareId }] });
      await hub.reportManifest();
      await phoneOf(member).contact(PHONE_BATTERY_PERCENT);
    },
    charge: async (member, udids, batteryPercent) => {
      await hubOf(member).contact({
        batteryPercent: HUB_BATTERY_PERCENT,
        sensors: udids.map((udid) => ({ udid, batteryPercent })),
      });
    },
    close: async () => {
      for (const device of [...hubs.values(), ...phones.values()]) device.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
