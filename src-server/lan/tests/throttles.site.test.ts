/** Throttles bind to who fails: guesses by others stop neither devices, phones nor people, and a wrong clock locks nobody out. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../db/index.ts';
import { DAY_MS } from '../../durations.ts';
import { TestDevice } from '../../testing/test-device.ts';
import { startTestLanSite, type TestLanSite } from '../../testing/test-lan-site.ts';

let test: TestLanSite;
beforeAll(async () => {
  test = await startTestLanSite();
});
afterAll(() => test.close());
beforeEach(() => {
  test.clock.passedMs += 120_000;
});

const now = () => Date.now() + test.clock.aheadMs;
const bytes = () => randomBytes(32).toString('base64url');
const device = (serial: string) => new TestDevice({ serial, clock: now });
const codeOf = (thrown: unknown) => (thrown as { code?: string }).code;

/** Six computers, and one that uses many addresses of its IPv6 network. */
const SIX = ['127.0.0.1', '192.0.2.1', '192.0.2.2', '192.0.2.3', '2001:db8:0:1::1', '2001:db8:0:2::1'];
const ONE_NETWORK = Array.from({ length: 40 }, (_, i) => `2001:db8:0:7::${(i + 1).toString(16)}`);
const ATTACKERS: [string, readonly string[]][] = [
  ['six addresses', SIX],
  ['the addresses of one IPv6 network', ONE_NETWORK],
];

async function guessCode(address: string, more: { pairingId?: string } = {}): Promise<unknown> {
  const guess = {
    protocolVersion: 1,
    commitment: bytes(),
    proof: bytes(),
    clockTs: now(),
    device: { kind: 'HUB', serial: 'HUB-EVIL', displayName: 'Evil' },
    ...more,
  } as const;
  return await test.site.lan.calls.call(guess, address).then(() => 'in', codeOf);
}
const guessSignIn = (address: string) =>
  test.site.lan.phones.signIn({ token: 'A'.repeat(20), serial: newId() }, address).then(() => 'in', codeOf);

async function guessFrom(addresses: readonly string[], rounds = 12): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const address of addresses) answers.push(await guessCode(address), await guessSignIn(address));
  }
  return answers;
}

describe.each(ATTACKERS)('wrong codes from %s', (_name, addresses) => {
  it('are throttled, and stop neither pairing by QR code nor phones with a code from the same network', async () => {
    const { id, link } = await test.startPairing();
    const answers = await guessFrom(addresses);
    expect(answers).toContain('THROTTLED');
    expect(answers).not.toContain('in');
    const hub = device(`HUB-${addresses.length}`);
    await hub.scan(link);
    await test.client.call('confirmPairing', { params: { pairingId: id }, body: { checkCode: hub.checkCode } });
    expect(await hub.collect()).toBe(true);
    const params = { studyId: test.place.studyId, subjectId: test.place.subjectIds[0]! };
    for (const address of [addresses[0]!, addresses.at(-1)!]) {
      const { token } = await test.client.call('createSubjectToken', { params });
      expect(await test.site.lan.phones.signIn({ token, serial: newId() }, address)).toHaveProperty('credentialId');
    }
    // Known devices are not asked for a code at all.
    expect(await hub.call('/device/status')).toHaveProperty('device');
  });

  it('do not stop another address that types the right code', async () => {
    const { code, id } = await test.startPairing();
    // Below the number that closes a typed code.
    await guessFrom(addresses, 2);
    const { pairings } = test.site.folder.store;
    expect((await pairings.require(id)).state).toBe('OFFERED');
    if (addresses.includes('127.0.0.1')) test.clock.passedMs += 60_000;
    const hub = device(`HUB-TYPED-${addresses.length}`);
    await hub.type(test.lanUrl, code);
    expect((await pairings.require(id)).state).toBe('COMPARING');
    await test.client.call('cancelPairing', { params: { pairingId: id } });
  });
});

it('sixty wrong typed codes close the typed code of a pairing, and its QR code still pairs', async () => {
  const { id, link, code } = await test.startPairing();
  const networks = Array.from({ length: 12 }, (_, i) => `192.0.2.${i + 10}`);
  for (const address of networks)
    for (let i = 0; i < 5; i++) expect(await guessCode(address)).toBe('PAIRING_CODE_WRONG');
  expect(await test.getPairing(id)).toMatchObject({ state: 'LOCKED', wrongTries: 60 });
  await expect(device('HUB-LATE').type(test.lanUrl, code)).rejects.toMatchObject({ code: 'PAIRING_TOO_MANY_TRIES' });
  const hub = device('HUB-SCAN');
  await hub.scan(link);
  await test.client.call('confirmPairing', { params: { pairingId: id }, body: { checkCode: hub.checkCode } });
  expect(await hub.collect()).toBe(true);
  await hub.call('/device/status');
  expect((await test.getPairing(id)).state).toBe('COMPLETE');
});

it('wrong secrets of a QR code are throttled by network and use up no tries', async () => {
  const { id } = await test.startPairing();
  const answers: unknown[] = [];
  for (const address of ONE_NETWORK.slice(0, 8)) answers.push(await guessCode(address, { pairingId: id }));
  expect(answers).toEqual([...Array(5).fill('PAIRING_CODE_WRONG'), ...Array(3).fill('THROTTLED')]);
  expect(await test.getPairing(id)).toMatchObject({ state: 'OFFERED', wrongTries: 0 });
  await test.client.call('cancelPairing', { params: { pairingId: id } });
});

describe('a clock that is set', () => {
  it.each([
    ['ahead by a year', 365 * DAY_MS],
    ['back by a year', -365 * DAY_MS],
    ['back by 30 seconds', -30_000],
  ])('%s neither prolongs a throttle nor ends it early', async (_name, stepMs) => {
    const address = '192.0.2.77';
    const before = test.clock.aheadMs;
    try {
      for (let i = 0; i < 5; i++) expect(await guessSignIn(address)).toBe('LOGIN_FAILED');
      test.clock.aheadMs += stepMs;
      expect(await guessSignIn(address)).toBe('THROTTLED');
      test.clock.passedMs += 60_001;
      expect(await guessSignIn(address)).toBe('LOGIN_FAILED');
    } finally {
      test.clock.aheadMs = before;
      test.clock.passedMs += 120_000;
    }
  });
});

it('a phone cannot find out serial numbers without a code', async () => {
  const { accountId } = test.place;
  await test.client.call('registerEquipment', { params: { accountId }, body: { id: 'HUB-KNOWN', type: 'LINK_HUB' } });
  const refused = test.site.lan.phones.signIn({ token: 'A'.repeat(20), serial: 'HUB-KNOWN' }, '192.0.2.88');
  await expect(refused).rejects.toMatchObject({ code: 'LOGIN_FAILED' });
});
