/** Damage to the texts of devices: wherever they are cut or changed, rows that are read keep their order, and a refusal is a sentence with a code. */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deviceTruth } from '../testing/device-truth.ts';
import { type ReadRecording, readImports } from '../testing/import-fixtures.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-damaged-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const SEED = 20_260_226;
/** Numbers from 0 to 1, the same in every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const FILES = ['movesense', 'shimmer', 'resting-ecg']
  .flatMap((name) => deviceTruth(name)?.files ?? [])
  .filter(({ file }) => !/gatt|Annotations/.test(file));

async function read(name: string, bytes: Uint8Array): Promise<ReadRecording[] | { code?: string; message: string }> {
  const path = join(folder, name);
  await writeFile(path, bytes);
  return readImports([path], { timeZone: 'UTC' }).catch((thrown: { code?: string; message: string }) => thrown);
}

function expectSound(found: Awaited<ReturnType<typeof read>>): void {
  if (!Array.isArray(found)) {
    expect(found.code, found.message).toMatch(
      /^(?:FILE_\w+|UNSUPPORTED_FORMAT|UNIT_UNKNOWN|TIME_IMPLAUSIBLE|INVALID_INPUT)$/,
    );
    expect(found.message).toMatch(/\.$/);
    return;
  }
  for (const { channels } of found) {
    for (const { channel, timesUs, values } of channels) {
      const isOrdered = timesUs.every((us, i) => Number.isSafeInteger(us) && (i === 0 || us >= timesUs[i - 1]!));
      expect(isOrdered, channel.type).toBe(true);
      expect(
        values.every((column) => column.every(Number.isFinite)),
        channel.type,
      ).toBe(true);
    }
  }
}

describe.runIf(FILES.length > 0)(`damaged texts (seed ${SEED})`, () => {
  it.each(FILES)('$file is read as far as it is whole wherever it is cut', async ({ file, path }) => {
    const bytes = readFileSync(path);
    for (const share of [0.001, 0.01, 0.1, 0.33, 0.5, 0.77, 0.999]) {
      expectSound(await read(basename(file), bytes.subarray(0, Math.floor(bytes.length * share))));
    }
  });

  it.each(FILES)('$file is read around changed bytes', async ({ file, path }) => {
    const next = random(SEED);
    for (let turn = 0; turn < 6; turn++) {
      const bytes = Buffer.from(readFileSync(path));
      for (let i = 0; i < 20; i++) bytes[Math.floor(next() * bytes.length)] = Math.floor(next() * 256);
      expectSound(await read(basename(file), bytes));
    }
  });

  it.each(FILES.filter(({ file }) => /\.csv$/.test(file)))(
    '$file loses few of its rows to damaged ones',
    async ({ file, path }) => {
      const lines = readFileSync(path, 'latin1').split('\n');
      const whole = await read(basename(file), Buffer.from(lines.join('\n'), 'latin1'));
      for (const at of [20, 40, 60]) lines[at] = 'x'.repeat(at);
      const damaged = await read(basename(file), Buffer.from(lines.join('\n'), 'latin1'));
      const rowsOf = (found: typeof whole): number => (found as ReadRecording[])[0]!.channels[0]!.timesUs.length;
      expect(rowsOf(damaged)).toBe(rowsOf(whole) - 3);
      expect((damaged as ReadRecording[])[0]!.notes.join(' ')).toMatch(/3 lines are damaged/);
    },
  );
});
