/** The addresses of the computer change while the site runs: an interface comes, gets another address, and goes. For real, where root may. */
import { execFile } from 'node:child_process';
import { networkInterfaces } from 'node:os';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTls } from '../../testing/test-device.ts';
import { startTestLanSite, type TestLanSite } from '../../testing/test-lan-site.ts';
import { networkAddresses } from '../addresses.ts';
import { readCertificate } from '../identity/certificate.ts';

const LINK = `op${process.pid % 100_000}`;
/** Of documentation: nobody on the network of the machine has them. */
const FIRST = '10.198.51.7';
const SECOND = '10.198.51.8';

const run = promisify(execFile);
const ip = (...args: string[]) => run('ip', args);

async function mayAddLinks(): Promise<boolean> {
  try {
    await ip('link', 'add', LINK, 'type', 'veth', 'peer', 'name', `${LINK}p`);
    await ip('link', 'set', LINK, 'up');
    await ip('link', 'set', `${LINK}p`, 'up');
    return true;
  } catch {
    process.stderr.write(
      'Only root on Linux can add a network interface: changes of addresses are not tested for real.\n',
    );
    return false;
  }
}

const isRoot = await mayAddLinks();
let test: TestLanSite;
beforeAll(async () => {
  test = await startTestLanSite({ host: '0.0.0.0', addresses: networkAddresses });
});
afterAll(async () => {
  await test.close();
  if (isRoot) await ip('link', 'del', LINK);
});

const SOON = { timeout: 20_000 };
const addresses = () =>
  (networkInterfaces()[LINK] ?? []).filter(({ family }) => family === 'IPv4').map(({ address }) => address);

const hostsOf = async (url: string) => {
  const socket = await openTls(url);
  const certificate = readCertificate(socket.getPeerX509Certificate()!.toString());
  socket.destroy();
  return certificate;
};

it.runIf(isRoot)(
  'follows an interface that appears, changes its address and disappears, with the same key',
  async () => {
    const { lan } = test.site;
    const port = new URL(test.lanUrl).port;
    const before = lan.urls;
    const pin = lan.fingerprint;
    const urlOf = (address: string) => `https://${address}:${port}`;
    const told = async () => {
      await lan.refresh();
      return (await test.client.call('getNetwork')).urls;
    };
    expect(await told()).not.toContain(urlOf(FIRST));
    await ip('addr', 'add', `${FIRST}/24`, 'dev', LINK);
    await expect.poll(addresses, SOON).toContain(FIRST);
    expect(await told()).toContain(urlOf(FIRST));
    const first = await hostsOf(urlOf(FIRST));
    expect(first).toMatchObject({ fingerprint: pin, hosts: expect.arrayContaining([FIRST]) });

    // As a lease that ran out, and a new one.
    await ip('addr', 'del', `${FIRST}/24`, 'dev', LINK);
    await ip('addr', 'add', `${SECOND}/24`, 'dev', LINK);
    await expect.poll(addresses, SOON).toEqual([SECOND]);
    expect(await told()).toEqual(expect.arrayContaining([...before, urlOf(SECOND)]));
    expect(lan.urls).not.toContain(urlOf(FIRST));
    const second = await hostsOf(urlOf(SECOND));
    expect(second.fingerprint).toBe(pin);
    expect(second.hosts).toContain(SECOND);
    expect(second.hosts).not.toContain(FIRST);

    // As a pulled cable.
    await ip('link', 'set', LINK, 'down');
    await ip('addr', 'flush', 'dev', LINK);
    await expect.poll(addresses, SOON).toEqual([]);
    expect(await told()).toEqual(before);
  },
);
