/** 1,000 changed bytes over everything that is stored but the database: all found in one cycle each, and all repaired. */
import {
  flipAndScrub,
  makeFlipSite,
  sameAsBefore,
  scrubCycle,
  seededRandom,
} from '../../src-server/testing/bit-flips.ts';
import type { BenchRow } from './types.ts';

const FLIPS = 1000;
/** Of the files of the site; more at once would leave some without a whole copy. */
const PER_CYCLE = 100;

export async function run(): Promise<BenchRow[]> {
  const seed = Number(process.env.SEED ?? Date.now() % 1e9);
  process.stderr.write(`seed ${seed}\n`);
  const random = seededRandom(seed);
  const site = await makeFlipSite({ recordings: 12, dates: 10 });
  const sums = { flipped: 0, found: 0, healed: 0, same: 0 };
  try {
    const isSame = await sameAsBefore(site);
    // Files whose hash nothing names are known from their first reading on.
    await scrubCycle(site);
    while (sums.flipped < FLIPS) {
      const { byKind, missed, unhealed } = await flipAndScrub(
        site,
        Math.min(PER_CYCLE, FLIPS - sums.flipped),
        random,
        isSame,
      );
      for (const path of [...missed, ...unhealed]) process.stderr.write(`not found or not repaired: ${path}\n`);
      for (const counted of byKind.values())
        for (const name of ['flipped', 'found', 'healed', 'same'] as const) sums[name] += counted[name];
    }
  } finally {
    await site.remove();
  }
  const row = (name: string, value: number): BenchRow => ({
    name,
    value,
    unit: 'files',
    bar: `${sums.flipped}`,
    pass: value === sums.flipped,
  });
  return [
    row('changed bytes that one cycle found', sums.found),
    row('changed files that were repaired', sums.healed),
    row('repaired files with the bytes, or the encrypted content, of before', sums.same),
  ];
}
