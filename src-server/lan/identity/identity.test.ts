import { beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../durations.ts';
import { SiteAuthority } from './authority.ts';
import { fingerprintOfKey, readCertificate } from './certificate.ts';
import { LanIdentity } from './site-identity.ts';

let kept: string | undefined;
let authority: string | undefined;
let now: number;
beforeEach(() => {
  kept = undefined;
  authority = undefined;
  now = Date.UTC(2026, 2, 1);
});
const keeper = {
  read: async () => kept,
  write: async (text: string) => {
    kept = text;
  },
  remove: async () => {
    kept = undefined;
  },
};

const authorityKeeper = {
  read: async () => authority,
  write: async (text: string) => {
    authority = text;
  },
  remove: async () => {
    authority = undefined;
  },
};
const clock = () => now;

async function open(hosts: string[]): Promise<LanIdentity> {
  const named = { siteName: 'Clinic', siteHostName: 'clinic.local', clock };
  const signing = await SiteAuthority.open({ ...named, keeper: authorityKeeper });
  return LanIdentity.open({ keeper, authority: signing, commonName: 'Clinic', clock }, hosts);
}

describe('the key of a site', () => {
  it('is made once and outlives new addresses and renewals', async () => {
    const first = await open(['192.168.1.5', 'fd00::5', 'clinic.local']);
    const { fingerprint } = first.pins;
    expect(fingerprint).toMatch(/^[0-9a-f]{64}$/);
    expect(readCertificate(first.credentials.cert).hosts).toEqual(['192.168.1.5', 'fd00::5', 'clinic.local']);

    const moved = await open(['10.0.0.7', 'clinic.local']);
    expect(moved.pins.fingerprint).toBe(fingerprint);
    expect(readCertificate(moved.credentials.cert)).toMatchObject({ hosts: ['10.0.0.7', 'clinic.local'], fingerprint });
    expect(await moved.refresh(['clinic.local', '10.0.0.7'])).toBe(false);

    now += 21 * DAY_MS;
    expect(await moved.refresh(['10.0.0.7', 'clinic.local'])).toBe(true);
    expect(readCertificate(moved.credentials.cert).notAfterMs).toBeGreaterThan(now + 29 * DAY_MS);
    expect(moved.pins.fingerprint).toBe(fingerprint);
  });

  it('is replaced when an administrator says so: announced, then used, the old one named for a while', async () => {
    const hosts = ['clinic.local'];
    const identity = await open(hosts);
    const old = identity.pins.fingerprint;
    const fromTs = now + 14 * DAY_MS;
    const announced = (await identity.announceRotation(fromTs)).next!;
    expect(identity.pins).toEqual({ fingerprint: old, next: { fingerprint: announced.fingerprint, fromTs } });
    await expect(identity.announceRotation(fromTs)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await identity.refresh(hosts)).toBe(false);

    now = fromTs;
    const reopened = await open(hosts);
    expect(reopened.pins).toMatchObject({ fingerprint: announced.fingerprint, previous: { fingerprint: old } });
    expect(fingerprintOfKey(reopened.credentials.key)).toBe(announced.fingerprint);
    now += 91 * DAY_MS;
    await reopened.refresh(hosts);
    expect(reopened.pins).toEqual({ fingerprint: announced.fingerprint });
  });

  it('can be announced and taken back', async () => {
    const identity = await open(['clinic.local']);
    const { fingerprint } = identity.pins;
    await identity.announceRotation(now + DAY_MS);
    await identity.cancelRotation();
    now += 2 * DAY_MS;
    expect(await identity.refresh(['clinic.local'])).toBe(false);
    expect(identity.pins).toEqual({ fingerprint });
  });

  it('keeps what was announced or cancelled while its certificate was being renewed', async () => {
    const identity = await open(['10.0.0.7', 'clinic.local']);
    const moved = identity.refresh(['10.0.0.8', 'clinic.local']);
    const { next } = await identity.announceRotation(now + DAY_MS);
    await moved;
    expect(identity.pins.next).toEqual(next);
    const again = identity.refresh(['10.0.0.9', 'clinic.local']);
    await identity.cancelRotation();
    await again;
    expect(identity.pins.next).toBeUndefined();
    expect(readCertificate(identity.credentials.cert).hosts).toEqual(['10.0.0.9', 'clinic.local']);
  });

  it('is never replaced automatically when it cannot be read or belongs to another certificate', async () => {
    await open(['clinic.local']);
    const whole = kept as string;
    kept = undefined;
    const other = await open(['clinic.local']);
    const mixed = { ...(JSON.parse(whole) as object), privateKey: other.credentials.key };
    for (const text of [whole.slice(0, 200), '{}', '', JSON.stringify(mixed)]) {
      kept = text;
      await expect(open(['clinic.local'])).rejects.toMatchObject({ code: 'SITE_CORRUPT' });
      expect(kept).toBe(text);
    }
  });
});
