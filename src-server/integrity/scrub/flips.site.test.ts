/** Single bytes of everything that is stored, changed as a failing disk changes them: found in one cycle, and repaired byte for byte. */
import { createReadStream, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { contentOf } from '../../files/content-hash.ts';
import { decryptStream } from '../../secrets/age-files.ts';
import {
  FLIP_PASSPHRASE,
  type FlipSite,
  flipAndScrub,
  makeFlipSite,
  scrubCycle,
  seededRandom,
} from '../../testing/bit-flips.ts';
import { type OpeningKeys, unlockFolder } from '../backup/sealed/keys.ts';
import { verifySite } from '../verify.ts';

const SEED = Number(process.env.SEED ?? Date.now() % 1e9);
const FLIPS = Number(process.env.FLIPS ?? 60);
const ROUNDS = Number(process.env.ROUNDS ?? 1);

let site: FlipSite;
let keys: OpeningKeys;
beforeAll(async () => {
  site = await makeFlipSite();
  keys = await unlockFolder(site.sealed, FLIP_PASSPHRASE);
}, 120_000);
afterAll(() => site.remove());

const plainOf = async (path: string): Promise<string> =>
  (await contentOf(await decryptStream(keys.identity, createReadStream(path)))).sha256;

it('finds nothing in a site that is whole, and changes nothing', async () => {
  const { findings, files } = await scrubCycle(site);
  expect(findings).toEqual([]);
  expect(files).toBeGreaterThan(100);
});

it(`finds every changed byte in one cycle, and repairs it (seed ${SEED})`, async () => {
  const random = seededRandom(SEED);
  const total = new Map<string, { flipped: number; found: number; healed: number; same: number }>();
  for (let round = 0; round < ROUNDS; round++) {
    const { byKind, missed, unhealed } = await flipAndScrub(site, FLIPS, random, async (path, before) => {
      const now = readFileSync(path);
      if (now.equals(before)) return true;
      // Encryption is never the same twice, so a piece that had to be encrypted again has the content of before.
      if (!path.startsWith(site.sealed)) return false;
      if (/(?:stored|manifest)\.sha256$/.test(path)) return true;
      return (await plainOf(path)) === (await contentOf(await decryptStream(keys.identity, only(before)))).sha256;
    });
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

async function* only(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}
