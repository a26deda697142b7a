/** Browsers keep what they store by the address of the site, so the desk says which phones lose theirs when an address goes. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DAY_MS } from '../../durations.ts';
import { startTestPhoneSite, type TestPhone, type TestPhoneSite } from '../../testing/test-phone-site.ts';

let addresses = ['127.0.0.1', '192.168.7.20'];
let test: TestPhoneSite;
let phones: TestPhone[];
beforeAll(async () => {
  test = await startTestPhoneSite(['Europe/London', 'Europe/London', 'Europe/London'], { addresses: () => addresses });
  phones = [await test.signIn(0), await test.signIn(1), await test.signIn(2)];
});
afterAll(() => test.close());

const port = () => new URL(test.lan.lanUrl).port;
const browser = (phone: TestPhone, host: string) =>
  phone.call('/phone/today', { headers: { host: `${host}:${port()}`, 'sec-fetch-site': 'same-origin' } });
const listed = async () => (await test.client.call('listPhoneAddresses')).items;
const items = async () => {
  const { accountId } = test.place;
  const found = await test.client.call('listAttention', { params: { accountId }, query: { snoozed: true } });
  return found.items.filter(({ reason }) => reason === 'PHONE_ADDRESS_GONE');
};
/** The router gives the computer these addresses. */
async function moveTo(...next: string[]): Promise<void> {
  addresses = next;
  // Looks at the addresses at once; the site's timer does every 15 s.
  await test.client.call('replaceAuthority', { body: { reason: 'Moved' } });
}

it('remembers where browsers opened the site, and not where programs did', async () => {
  const [first, second, program] = phones as [TestPhone, TestPhone, TestPhone];
  expect((await browser(first, '192.168.7.20')).status).toBe(200);
  expect((await browser(second, 'test-clinic.local')).status).toBe(200);
  await program.call('/phone/today', { headers: { host: `192.168.7.20:${port()}` } });
  expect((await browser(program, '192.168.7.99')).status).toBe(403);
  const hosts = Object.fromEntries((await listed()).map(({ host, isGone, phones: own }) => [host, [isGone, own]]));
  expect(hosts).toEqual({
    [`192.168.7.20:${port()}`]: [false, [expect.objectContaining({ subjectName: 'Subject 1' })]],
    [`test-clinic.local:${port()}`]: [false, [expect.objectContaining({ subjectName: 'Subject 2' })]],
  });
  expect(await items()).toEqual([]);
});

it('says on Today which phones used an address that is gone, until it is back or they signed in again', async () => {
  await moveTo('127.0.0.1', '192.168.7.21');
  const host = `192.168.7.20:${port()}`;
  expect((await listed()).map((address) => [address.host, address.isGone])[0]).toEqual([host, true]);
  const [item, ...others] = await items();
  expect(others).toEqual([]);
  expect(item).toMatchObject({
    evidence: { count: 1, detail: `${host} (Subject 1)` },
    action: { kind: 'CHECK_NETWORK' },
    sentence: expect.stringContaining('sign these phones in again'),
  });
  await moveTo('192.168.7.20');
  expect(await items()).toEqual([]);
  await moveTo('192.168.7.22');
  expect(await items()).toHaveLength(1);
  const again = await test.signIn(0);
  await browser(again, '192.168.7.22');
  expect(await items()).toEqual([]);
});

it('claims nothing while the computer is in no network, for revoked phones, or after two months', async () => {
  await moveTo('192.168.7.23');
  expect(await items()).toHaveLength(1);
  addresses = [];
  expect(await items()).toEqual([]);
  addresses = ['192.168.7.23'];
  test.lan.clock.aheadMs = 61 * DAY_MS;
  expect(await test.store.devices.webPhones(test.place.accountId, test.now() - 60 * DAY_MS)).toEqual([]);
  test.lan.clock.aheadMs = 0;
  const { items: devices } = await test.client.call('listDevices', { params: { accountId: test.place.accountId } });
  for (const { id } of devices) {
    await test.store.devices.revoke(id, { actor: { type: 'SYSTEM' }, reason: 'Lost' });
  }
  expect(await items()).toEqual([]);
});

it('takes a forwarded port for an address of the site as long as calls arrive there', async () => {
  await moveTo('192.168.7.30');
  const phone = await test.signIn(1);
  const host = '192.168.7.30:443';
  await phone.call('/phone/today', { headers: { host, 'sec-fetch-site': 'same-origin' } });
  const isGone = async () => {
    const { items: known } = await test.lan.client.call('listPhoneAddresses');
    return known.find((address) => address.host === host)?.isGone;
  };
  expect(await isGone()).toBe(false);
  expect(await items()).toEqual([]);
  // No call has arrived there since the listener began.
  test.lan.clock.aheadMs = DAY_MS;
  await test.lan.restart();
  expect(await isGone()).toBe(true);
});
