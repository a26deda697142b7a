/** The demo's hubs: paired with the site as real ones are, and speaking nothing but the documented protocol over TLS. */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Change } from '../../db/index.ts';
import { OutpostError } from '../../errors.ts';
import { SimulatedHub } from '../../simulator/hub/hub.ts';
import type { RunningSite } from '../../site/server.ts';
import type { SimulatedFile } from './simulate.ts';
import type { CastMember } from './story.ts';

const ASK_EVERY_MS = 20;
const BACKOFF = { firstMs: 50, longestMs: 1000 };
/** A sensor is read in about this time. */
const SENSOR_ROUND_TRIP_US = 40_000;

export interface DemoDevices {
  /** Pairs a subject's hub; both check codes are compared, as two people would. */
  pairHub(member: CastMember): Promise<void>;
  /** The hub takes a recording off its sensor, brings it to the site and tells how everyone is. */
  deliver(
    member: CastMember,
    file: SimulatedFile,
    report: { batteryPercent: number; fault: Fault | undefined },
  ): Promise<void>;
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
  const change: Change = { actor: { type: 'USER', id: userId } };
  const hubOf = (member: CastMember): SimulatedHub => {
    const hub = hubs.get(member.serial('h'));
    if (!hub) throw new OutpostError('INTERNAL', `${member.person.displayName} has no hub yet.`);
    return hub;
  };
  return {
    pairHub: async (member) => {
      const serial = member.serial('h');
      const hub = await SimulatedHub.open({ folder: join(folder, serial), serial, clock, backoff: BACKOFF });
      hubs.set(serial, hub);
      const { pairing, link } = await site.lan.desk.start({ accountId, userId }, change);
      await hub.pair(
        { link },
        {
          onCheckCode: async (checkCode) => {
            await site.lan.desk.confirm(pairing.id, accountId, checkCode, change);
          },
          collectEveryMs: ASK_EVERY_MS,
        },
      );
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
    },
    close: async () => {
      for (const hub of hubs.values()) hub.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
