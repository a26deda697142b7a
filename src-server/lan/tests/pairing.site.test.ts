import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MINUTE_MS } from '../../durations.ts';
import { TestDevice } from '../../testing/test-device.ts';
import { startTestLanSite, type TestLanSite } from '../../testing/test-lan-site.ts';
import { makeCertificate, newPrivateKey } from '../identity/certificate.ts';

let test: TestLanSite;
beforeAll(async () => {
  test = await startTestLanSite();
});
afterAll(() => test.close());
/** Wrong codes of one test must not throttle the next. */
beforeEach(() => {
  test.clock.passedMs += 2 * MINUTE_MS;
});

const device = (serial: string) => new TestDevice({ serial, clock: now });
const now = () => Date.now() + test.clock.aheadMs;
const confirm = (pairingId: string, checkCode: string) =>
  test.client.call('confirmPairing', { params: { pairingId }, body: { checkCode } });
const auditOf = async (entityId: string) =>
  (await test.site.folder.store.audit.list({ entityId })).map(({ action }) => action);

describe('a device', () => {
  it('is paired by its QR code: same check code on both sides, own token, told to the desk and the audit', async () => {
    const started = await test.startPairing(test.place.subjectIds[0]);
    expect(started.qrSvg).toContain('<svg');
    expect(started.code).toMatch(/^[A-HJ-NP-Z2-9]{4}-[A-HJ-NP-Z2-9]{4}$/);
    expect(started.link).not.toContain(started.code);
    expect(started.expirationTs - now()).toBeLessThanOrEqual(10 * MINUTE_MS);

    const hub = device('HUB-QR');
    await hub.scan(started.link);
    expect(await hub.collect()).toBe(false);
    const shown = await test.getPairing(started.id);
    expect(shown).toMatchObject({
      state: 'COMPARING',
      checkCode: hub.checkCode,
      device: { serial: 'HUB-QR', kind: 'HUB', firmwareId: '1.4.0' },
      address: '127.0.0.1',
      subjectId: test.place.subjectIds[0],
    });
    expect(hub.checkCode).toMatch(/^[0-9A-F]{4}-[0-9A-F]{4}$/);
    await expect(confirm(started.id, '0000-0000')).rejects.toMatchObject({ status: 409 });
    await confirm(started.id, hub.checkCode);
    await confirm(started.id, hub.checkCode);
    expect(await hub.collect()).toBe(true);
    const { token } = hub;
    expect(await hub.collect()).toBe(true);
    expect(hub.token).toBe(token);

    expect((await hub.call('/device/status')).device).toMatchObject({
      serial: 'HUB-QR',
      subjectId: test.place.subjectIds[0],
    });
    expect(await test.getPairing(started.id)).toMatchObject({ state: 'COMPLETE' });
    await expect(hub.collect()).rejects.toMatchObject({ code: 'PAIRING_USED', status: 409 });
    expect(await auditOf(started.id)).toEqual(
      expect.arrayContaining([
        'pairing.start',
        'pairing.call',
        'pairing.compare',
        'pairing.confirm',
        'pairing.complete',
        'refusal.pairing',
      ]),
    );
    const row = await test.site.folder.store.pairings.require(started.id);
    expect(row.pendingToken).toBeUndefined();
  });

  it('is paired by address and typed code, in any writing of it', async () => {
    const { id, code } = await test.startPairing();
    const phone = new TestDevice({ kind: 'PHONE', serial: 'PHONE-TYPED', clock: now });
    await phone.type(test.lanUrl, ` ${code.toLowerCase().replace('-', ' ')}`);
    expect((await test.getPairing(id)).checkCode).toBe(phone.checkCode);
    await confirm(id, phone.checkCode);
    await phone.collect();
    expect((await phone.call('/device/status')).device).toMatchObject({ kind: 'PHONE', serial: 'PHONE-TYPED' });
  });

  it('may repeat every call whose answer was lost, even across a restart of the site', async () => {
    const { id, link } = await test.startPairing();
    const hub = device('HUB-AGAIN');
    await hub.scan(link);
    const first = hub.checkCode;
    await hub.scan(link);
    await hub.reveal();
    expect(hub.checkCode).toBe(first);
    await test.restart();
    hub.url = test.lanUrl;
    await confirm(id, hub.checkCode);
    await test.restart();
    hub.url = test.lanUrl;
    await hub.reveal();
    await hub.collect();
    await hub.call('/device/status');
    expect((await test.getPairing(id)).state).toBe('COMPLETE');
  });

  it('of a serial number that is known updates its entry, keeps its name, and its old token ends', async () => {
    const first = await test.pairDevice({ serial: 'HUB-TWICE' });
    const params = { accountId: test.place.accountId };
    const find = async () =>
      (await test.client.call('listDevices', { params })).items.filter(({ serial }) => serial === 'HUB-TWICE');
    const [before] = await find();
    await test.client.call('renameDevice', {
      params: { ...params, deviceId: before!.id },
      body: { displayName: 'Ward 3' },
    });
    const second = await test.pairDevice({ serial: 'HUB-TWICE' });
    const after = await find();
    expect(after).toHaveLength(1);
    expect(after[0]).toMatchObject({ displayName: 'Ward 3', isConnected: true });
    expect(after[0]!.id).not.toBe(before!.id);
    await expect(first.call('/device/status')).rejects.toMatchObject({ code: 'DEVICE_REVOKED', status: 401 });
    await second.call('/device/status');
    const equipment = (await test.client.call('listAccountEquipment', { params })).items;
    expect(equipment.filter((item) => item.id === 'HUB-TWICE')).toHaveLength(1);
  });

  it('that was revoked receives the reason at its next call', async () => {
    const hub = await test.pairDevice({ serial: 'HUB-LOST' });
    const params = { accountId: test.place.accountId };
    const found = (await test.client.call('listDevices', { params })).items.find(
      ({ serial }) => serial === 'HUB-LOST',
    )!;
    await test.client.call('revokeDevice', { params: { ...params, deviceId: found.id }, query: { reason: 'Lost.' } });
    await expect(hub.call('/device/contact', { clockTs: now() })).rejects.toMatchObject({ code: 'DEVICE_REVOKED' });
    const log = await test.site.folder.store.audit.list({ entityId: found.id });
    expect(log.find(({ action }) => action === 'device.revoke')).toMatchObject({ reason: 'Lost.' });
  });
});

describe('a pairing is refused with its own reason', () => {
  it('with an old QR code: used, expired, cancelled, refused', async () => {
    const used = await test.startPairing();
    await device('HUB-A').scan(used.link);
    await expect(device('HUB-B').scan(used.link)).rejects.toMatchObject({ code: 'PAIRING_USED' });

    const cancelled = await test.startPairing();
    await test.client.call('cancelPairing', { params: { pairingId: cancelled.id } });
    await expect(device('HUB-C').scan(cancelled.link)).rejects.toMatchObject({ code: 'PAIRING_CANCELLED' });
    await expect(device('HUB-C').type(test.lanUrl, cancelled.code)).rejects.toMatchObject({
      code: 'PAIRING_CANCELLED',
    });

    const refused = await test.startPairing();
    const hub = device('HUB-D');
    await hub.scan(refused.link);
    await test.client.call('refusePairing', { params: { pairingId: refused.id } });
    await expect(hub.collect()).rejects.toMatchObject({ code: 'PAIRING_REFUSED' });

    const late = await test.startPairing();
    test.clock.aheadMs += 10 * MINUTE_MS + 1;
    await expect(device('HUB-E').scan(late.link)).rejects.toMatchObject({ code: 'PAIRING_EXPIRED' });
    expect((await test.getPairing(late.id)).state).toBe('EXPIRED');
  });

  it('when nobody collects: the credential ends with the pairing', async () => {
    const { id, link } = await test.startPairing();
    const hub = device('HUB-SLOW');
    await hub.scan(link);
    await confirm(id, hub.checkCode);
    await hub.collect();
    test.clock.aheadMs += 11 * MINUTE_MS;
    await expect(hub.collect()).rejects.toMatchObject({ code: 'PAIRING_EXPIRED' });
    await expect(hub.call('/device/status')).rejects.toMatchObject({ code: 'DEVICE_REVOKED' });
  });

  it('for a wrong clock, with the minutes; after it is set, the same code works', async () => {
    const { id, link } = await test.startPairing();
    const wrong = new TestDevice({ serial: 'HUB-CLOCK', clock: () => now() - 23 * MINUTE_MS });
    await expect(wrong.scan(link)).rejects.toThrow(/PAIRING_CLOCK: The clock of the device is 23 minutes behind/);
    expect(await test.getPairing(id)).toMatchObject({ state: 'OFFERED', problem: 'PAIRING_CLOCK' });
    await device('HUB-CLOCK').scan(link);
    expect((await test.getPairing(id)).state).toBe('COMPARING');
  });

  it('for another version, another site, and a serial number of other equipment', async () => {
    const { link } = await test.startPairing();
    const newer = new TestDevice({ protocolVersion: 2, clock: now });
    await expect(newer.scan(link)).rejects.toMatchObject({ code: 'PAIRING_VERSION', status: 400 });
    const otherSite = link.replace(/s=[0-9a-f-]+/, 's=01990000-0000-7000-8000-000000000000');
    await expect(device('HUB-F').scan(otherSite)).rejects.toMatchObject({ code: 'PAIRING_WRONG_SITE' });
    await test.client.call('registerEquipment', {
      params: { accountId: test.place.accountId },
      body: { id: 'SENSOR-1', type: 'SENSOR' },
    });
    await expect(device('SENSOR-1').scan(link)).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('after too many wrong codes: five a minute from one address, sixty in all, and then not even with the right one', async () => {
    const { id, code } = await test.startPairing();
    const wrong = device('HUB-GUESS');
    const codes = Array.from({ length: 8 }, (_, i) => `AAAA-AAA${'BCDEFGHJ'[i]}`);
    const answers = await Promise.allSettled(codes.map((guess) => device('HUB-GUESS').type(test.lanUrl, guess)));
    const refusals = answers.map((answer) => (answer.status === 'rejected' ? answer.reason.code : 'in'));
    expect(refusals.filter((refusal) => refusal === 'PAIRING_CODE_WRONG')).toHaveLength(5);
    expect(refusals.filter((refusal) => refusal === 'THROTTLED')).toHaveLength(3);
    expect(await test.getPairing(id)).toMatchObject({ wrongTries: 5, maxWrongTries: 60 });
    const { pairings } = test.site.folder.store;
    for (let tries = 6; tries < 60; tries++) await pairings.countWrongTry(60);
    test.clock.passedMs += MINUTE_MS;
    await expect(wrong.type(test.lanUrl, 'AAAA-AAAA')).rejects.toMatchObject({ code: 'PAIRING_CODE_WRONG' });
    expect((await test.getPairing(id)).state).toBe('LOCKED');
    await expect(device('HUB-OWN').type(test.lanUrl, code)).rejects.toMatchObject({ code: 'PAIRING_TOO_MANY_TRIES' });
  });
});

describe('another computer between device and site', () => {
  it('with its own certificate receives not one byte from a device that scanned the code', async () => {
    const privateKeyPem = newPrivateKey();
    const cert = await makeCertificate({ privateKeyPem, commonName: 'x', hosts: ['127.0.0.1'], nowMs: Date.now() });
    let requests = 0;
    const stranger = createTlsServer({ key: privateKeyPem, cert }, (_request, response) => {
      requests += 1;
      response.end('{}');
    });
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
    const url = `https://127.0.0.1:${(stranger.address() as AddressInfo).port}`;
    const { link } = await test.startPairing();
    await expect(new TestDevice({ url, clock: now }).scan(link)).rejects.toThrow(/PIN_MISMATCH/);
    expect(requests).toBe(0);
    stranger.close();
  });

  it('cannot relay a typed code: the proof contains the key presented to the device', async () => {
    const { code, id } = await test.startPairing();
    const victim = device('HUB-MITM');
    // The victim saw the attacker's key; its calls are relayed to the site unchanged.
    const send = victim.call.bind(victim);
    victim.call = async (path, body, method) => {
      if (path === '/device/pairings') victim.pins = [test.site.lan.fingerprint!];
      const answer = await send(path, body, method);
      if (path === '/device/hello') victim.pins = ['ee'.repeat(32), ...victim.pins];
      return answer;
    };
    await expect(victim.type(test.lanUrl, code)).rejects.toMatchObject({ code: 'PAIRING_CODE_WRONG' });
    expect((await test.getPairing(id)).state).toBe('OFFERED');
  });
});
