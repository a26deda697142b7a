/** Prepares a site for hubs: sensors assigned to subjects, and a pairing confirmed at the desk. */
import type { Client } from '../api/contract/client.ts';
import type { Store } from '../services/index.ts';
import type { SimulatedHub } from '../simulator/hub/hub.ts';
import type { WornSensor } from '../simulator/hub/recordings-source.ts';
import { openSite } from '../site/folder.ts';
import type { TestSite } from './test-site.ts';

/** Chest with ECG and acceleration, thigh with acceleration: the set of one subject. */
const PLACES = ['ECG_LEAD_II', 'ANTERIOR_THIGH'];

/** Assigns a set of sensors to every subject, for all time; returns the sets in the order of the subjects. */
export async function handOutSensors({ equipment }: Store, site: TestSite): Promise<WornSensor[][]> {
  const { accountId, studyId } = site;
  const change = { actor: { type: 'USER', id: site.userId } } as const;
  const sets: WornSensor[][] = [];
  for (const [index, subjectId] of site.subjectIds.entries()) {
    const set = PLACES.map((location, place) => {
      const number = index * PLACES.length + place + 1;
      return { serial: `SN-${number}`, udid: `AA:BB:CC:00:01:${number.toString(16).padStart(2, '0')}`, location };
    });
    for (const { serial, udid } of set) {
      await equipment.register({ accountId, id: serial, type: 'SENSOR', udid }, change);
      await equipment.assign(serial, { studyId, subjectId, atTs: 1 }, change);
    }
    sets.push(set);
  }
  return sets;
}

/** The same at a site that is closed. */
export async function handOutSensorsOf(site: TestSite): Promise<WornSensor[][]> {
  const folder = await openSite(site.dir);
  try {
    return await handOutSensors(folder.store, site);
  } finally {
    await folder.close();
  }
}

/** Pairs a hub, from the start at the desk to its credential. */
export async function pairHub(client: Client, hub: SimulatedHub): Promise<void> {
  const { id, link } = await client.call('startPairing', { body: {} });
  await hub.pair(
    { link },
    {
      onCheckCode: async (checkCode) => {
        await client.call('confirmPairing', { params: { pairingId: id }, body: { checkCode } });
      },
      collectEveryMs: 10,
    },
  );
}
