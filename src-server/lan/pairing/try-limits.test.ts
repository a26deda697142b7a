import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PER_ADDRESS, TRIES_PER_PAIRING, TryLimits } from './try-limits.ts';

const read = (name: string) =>
  readFileSync(new URL(`../../../resources/${name}`, import.meta.url), 'utf8').replaceAll(/\s+/g, ' ');

it('are those that the documents tell', () => {
  expect(read('protocol/pairing.md')).toContain(`the typed code was closed after ${TRIES_PER_PAIRING} wrong codes`);
  expect(read('threat-model.md')).toContain(
    `${PER_ADDRESS} wrong codes a minute per address (per /64 in IPv6), ${TRIES_PER_PAIRING} in the life of a pairing`,
  );
});

it('count the addresses of one IPv6 network as one, and let right codes go', () => {
  const limits = new TryLimits(() => 0);
  for (let host = 1; host <= PER_ADDRESS; host++) limits.begin(`2001:db8:0:1::${host}`);
  expect(() => limits.begin('2001:db8:0:1:ffff::1')).toThrow(/too many wrong pairing codes. Try again in 60 seconds/);
  for (let turn = 0; turn < 20; turn++) limits.begin('2001:db8:0:2::1')();
});
