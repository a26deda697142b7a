/** Single bytes of everything that is stored, changed as a failing disk changes them: found in one cycle, and repaired byte for byte. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type FlipSite,
  flipAndScrub,
  makeFlipSite,
  sameAsBefore,
  scrubCycle,
  seededRandom,
} from '../../testing/bit-flips.ts';
import { verifySite } from '../verify.ts';

const SEED = Number(process.env.SEED ?? Date.now() % 1e9);
const FLIPS = Number(process.env.FLIPS ?? 60);
const ROUNDS = Number(process.env.ROUNDS ?? 1);

let site: FlipSite;
let isSame: Awaited<ReturnType<typeof sameAsBefore>>;
beforeAll(async () => {
  site = await makeFlipSite();
  isSame = await sameAsBefore(site);
}, 120_000);
afterAll(() => site.remove());

it('finds nothing in a site that is whole, and changes nothing', async () => {
  const { findings, files } = await scrubCycle(site);
  expect(findings).toEqual([]);
  expect(files).toBeGreaterThan(100);
});

it(`finds every changed byte in one cycle, and repairs it (seed ${SEED})`, async () => {
  const random = seededRandom(SEED);
  const total = new Map<string, { flipped: number; found: number; healed: number; same: number }>();
  for (let round = 0; round < ROUNDS; round++) {
    const { byKind, missed, unhealed } = await flipAndScrub(site, FLIPS, random, isSame);
    expect({ missed, unhealed }).toEqual({ missed: [], unhealed: [] });
    for (const [kind, counted] of byKind) {
      const sum = total.get(kind) ?? { flipped: 0, found: 0, healed: 0, same: 0 };
      for (const name of ['flipped', 'found', 'healed', 'same'] as const) sum[name] += counted[name];
      total.set(kind, sum);
    }
  }
  console.log(`seed ${SEED}`, Object.fromEntries(total));
  expect((await scrubCycle(site)).findings).toEqual([]);
  expect((await verifySite(site.dir)).problems).toEqual([]);
});
