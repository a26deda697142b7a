import type { LookupAddress } from 'node:dns';
import { BlockList } from 'node:net';
import { expect, it } from 'vitest';
import { checkedLookup, refusalOf } from './targets.ts';

const none = new BlockList();
const isRefused = (address: string, allowLocal = false, own = none) =>
  refusalOf(address, allowLocal, own) !== undefined;

it("refuses loopback and link-local addresses in every spelling, and allows the clinic's network and the internet", () => {
  const local = ['127.0.0.1', '127.8.9.1', '169.254.169.254', '::1', 'fe80::1', 'fe80::1%eth0', 'febf::1'];
  const carried = ['::ffff:127.0.0.1', '::ffff:7f00:1', '::127.0.0.1', '64:ff9b::7f00:1', '64:ff9b::169.254.1.1'];
  for (const address of [...local, ...carried]) {
    expect([address, isRefused(address), isRefused(address, true)]).toEqual([address, true, false]);
  }
  const fine = ['10.0.0.5', '172.16.3.4', '192.168.1.20', '100.64.0.1', '203.0.113.9', 'fd00::5', '2001:db8::1'];
  for (const address of [...fine, '::ffff:192.168.1.20', '64:ff9b::c000:201', '128.0.0.1', '169.253.0.1', 'fec0::1']) {
    expect([address, isRefused(address)]).toEqual([address, false]);
  }
});

it('refuses addresses that are not a single host, even if local targets are allowed', () => {
  for (const address of ['0.0.0.0', '0.1.2.3', '224.0.0.1', '255.255.255.255', '::', 'ff02::1', '::ffff:0.0.0.0']) {
    expect([address, isRefused(address, true)]).toEqual([address, true]);
  }
});

it('refuses the network addresses of this computer', () => {
  const own = new BlockList();
  own.addAddress('192.168.1.20');
  expect(isRefused('192.168.1.20', false, own)).toBe(true);
  expect(isRefused('::ffff:192.168.1.20', false, own)).toBe(true);
  expect(isRefused('192.168.1.21', false, own)).toBe(false);
  expect(isRefused('192.168.1.20', true, own)).toBe(false);
});

/** What a socket gets for a name that resolves to the addresses. */
function lookUp(addresses: LookupAddress[], options: { all?: boolean; family?: number } = { all: true }) {
  const lookup = checkedLookup(false, (_host, done) => done(null, addresses));
  return new Promise((resolve) => lookup('name.test', options, (error, found) => resolve(error ?? found)));
}
const v4 = (address: string): LookupAddress => ({ address, family: 4 });
const v6 = (address: string): LookupAddress => ({ address, family: 6 });

it('resolves a name to its allowed addresses only', async () => {
  const mixed = [v6('fe80::5'), v4('127.0.0.1'), v4('192.0.2.7'), v6('2001:db8::7')];
  expect(await lookUp(mixed)).toEqual([v4('192.0.2.7'), v6('2001:db8::7')]);
  expect(await lookUp(mixed, {})).toBe('192.0.2.7');
  expect(await lookUp(mixed, { all: true, family: 6 })).toEqual([v6('2001:db8::7')]);
  const refused = (await lookUp([v4('127.0.0.1'), v6('::1')])) as Error;
  expect(refused).toBeInstanceOf(Error);
  expect(refused.message).toMatch(/^Nothing was sent to name\.test: .* is a local or link-local address/);
});
