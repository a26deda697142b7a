/** A closed site on disk with a sensor in use and a hub that may deliver its recordings, for programs that a test starts. */
import { HOUR_MS } from '../../src-server/durations.ts';
import { deviceToken } from '../../src-server/lan/device-identity.ts';
import { startSite } from '../../src-server/site/server.ts';
import { makeTestSite } from '../../src-server/testing/test-site.ts';
import { TestDevice, type UploadFile } from '../../src-server/testing/upload-client.ts';
import { makeUploadFile, SENSOR, SENSOR_UDID } from '../../src-server/testing/upload-site.ts';

export interface ClosedUploadSite {
  dir: string;
  /** A recording that the hub may deliver. */
  file: UploadFile;
  /** The hub, calling at the address of the running site. */
  hub(url: string): TestDevice;
}

export const makeUploadSite = async (folder: string): Promise<ClosedUploadSite> => {
  const { dir, accountId, studyId, subjectIds, userId } = await makeTestSite({ folder });
  const change = { actor: { type: 'USER', id: userId } } as const;
  const site = await startSite({ dir, port: 0 });
  try {
    const { store } = site.folder;
    await store.equipment.register({ accountId, id: SENSOR, type: 'SENSOR', udid: SENSOR_UDID }, change);
    const atTs = Date.now() - 20 * HOUR_MS;
    await store.equipment.assign(SENSOR, { studyId, subjectId: subjectIds[0] ?? '', atTs }, change);
    await store.equipment.register({ accountId, id: 'hub-1', type: 'LINK_HUB' }, change);
    const { device, secret } = await store.devices.add(
      { accountId, kind: 'HUB', serial: 'hub-1', equipmentId: 'hub-1' },
      change,
    );
    const authorization = `Bearer ${deviceToken(site.folder.site.id, device.id, secret)}`;
    const file = await makeUploadFile(folder, { startUs: (Date.now() - 10 * HOUR_MS) * 1000, seconds: 60 });
    return { dir, file, hub: (url) => new TestDevice({ url, authorization }) };
  } finally {
    await site.close();
  }
};
