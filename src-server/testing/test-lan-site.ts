/** A running site that listens on loopback as if it were the local network, and its administrator. */
import type { Client } from '../api/contract/client.ts';
import type { Pairing, StartedPairing } from '../api/contract/index.ts';
import type { SiteLanOptions } from '../site/lan.ts';
import { type RunningSite, type SiteOptions, startSite } from '../site/server.ts';
import { TestDevice, type TestDeviceOptions } from './test-device.ts';
import { makeTestSite, signIn, type TestSite } from './test-site.ts';

export interface TestLanSite {
  place: TestSite;
  site: RunningSite;
  client: Client;
  /** Moves by hand, together with real time: the wall clock, and the monotonic one that throttles use. */
  clock: { aheadMs: number; passedMs: number };
  /** Where devices call. */
  lanUrl: string;
  startPairing(subjectId?: string): Promise<StartedPairing>;
  getPairing(id: string): Promise<Pairing>;
  /** A device that went through the whole of it. */
  pairDevice(options?: TestDeviceOptions, subjectId?: string): Promise<TestDevice>;
  /** The program ends: nothing listens until {@link start}, which may listen on another port. */
  stop(): Promise<void>;
  start(): Promise<void>;
  restart(): Promise<void>;
  close(): Promise<void>;
}

/**
 * @param timeZones of the subjects; one for each. @param folder where the site lies; default a temporary one
 * @param more.aheadMs of the clock when its administrator signs in: a token from another time is not valid
 */
export async function startTestLanSite(
  lan: SiteLanOptions = {},
  timeZones?: string[],
  folder?: string,
  { aheadMs = 0, ...more }: Pick<SiteOptions, 'log'> & { aheadMs?: number } = {},
): Promise<TestLanSite> {
  const place = await makeTestSite({ ...(timeZones && { timeZones }), ...(folder !== undefined && { folder }) });
  const clock = { aheadMs, passedMs: 0 };
  const start = () =>
    startSite({
      ...more,
      dir: place.dir,
      port: 0,
      clock: () => Date.now() + clock.aheadMs,
      throttleTime: () => performance.now() + clock.passedMs,
      lan: { port: 0, host: '127.0.0.1', addresses: () => ['127.0.0.1'], discovery: false, ...lan },
    });
  const site = await start();
  let isRunning = true;
  const test: TestLanSite = {
    place,
    site,
    clock,
    client: await signIn(site.url),
    lanUrl: site.lan.urls[0] ?? '',
    startPairing: async (subjectId) =>
      await test.client.call('startPairing', { body: subjectId ? { studyId: place.studyId, subjectId } : {} }),
    getPairing: async (pairingId) => await test.client.call('getPairing', { params: { pairingId } }),
    pairDevice: async (options, subjectId) => {
      const { id, link } = await test.startPairing(subjectId);
      const device = new TestDevice({ clock: () => Date.now() + clock.aheadMs, ...options });
      await device.scan(link);
      const { checkCode } = device;
      await test.client.call('confirmPairing', { params: { pairingId: id }, body: { checkCode } });
      if (!(await device.collect())) throw new Error('The device got no credential.');
      await device.call('/device/status');
      return device;
    },
    stop: async () => {
      await test.site.close();
      isRunning = false;
    },
    start: async () => {
      test.site = await start();
      isRunning = true;
      test.client = await signIn(test.site.url);
      test.lanUrl = test.site.lan.urls[0] ?? '';
    },
    restart: async () => {
      await test.stop();
      await test.start();
    },
    close: async () => {
      if (isRunning) await test.site.close();
      await place.remove();
    },
  };
  return test;
}
