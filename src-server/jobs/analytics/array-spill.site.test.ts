import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ArrayMemory, ArraySpill } from './array-spill.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-spill-test-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const arraysOf = (seed: number) => [
  Float64Array.from({ length: 5 }, (_, i) => seed + i / 3),
  Uint8Array.from({ length: 1003 }, (_, i) => seed * i),
  Float32Array.from({ length: 7 }, (_, i) => seed - i),
];

it('returns what was stored, with no more than its share in memory and nothing left in the folder', async () => {
  const memory = new ArrayMemory(4000);
  const spill = new ArraySpill(memory, folder);
  const handles = Array.from({ length: 20 }, (_, seed) => spill.put(arraysOf(seed)));
  for (const seed of [0, 19, 7, 7, 0]) expect(spill.get(handles[seed]!)).toEqual(arraysOf(seed));
  for (const seed of [2, 19]) {
    const part = new Uint8Array(50);
    spill.read(handles[seed]!, 1, 100, part);
    expect(part).toEqual(arraysOf(seed)[1]!.slice(100, 150));
    const last = new Float32Array(3);
    spill.read(handles[seed]!, 2, 4, last);
    expect(last).toEqual(arraysOf(seed)[2]!.slice(4));
  }
  expect(memory.bytes).toBeLessThanOrEqual(4000);
  expect(await readdir(folder)).toEqual([]);
  spill.close();
  expect(memory.bytes).toBe(0);
});

it('keeps everything in memory where no file can be written', () => {
  const memory = new ArrayMemory(4000);
  const spill = new ArraySpill(memory, join(folder, 'missing'));
  const handles = Array.from({ length: 20 }, (_, seed) => spill.put(arraysOf(seed)));
  for (const seed of [0, 19]) expect(spill.get(handles[seed]!)).toEqual(arraysOf(seed));
  spill.close();
});

it('leaves nothing behind when its process is killed', async () => {
  for (let round = 0; round < 4; round++) {
    const child = fork(new URL('../../testing/spill-until-killed.ts', import.meta.url), [folder]);
    const [{ heldBytes }] = (await once(child, 'message')) as [{ heldBytes: number }];
    expect(heldBytes).toBeLessThanOrEqual(1 << 16);
    await pause(7 * round);
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    expect(await exit).toEqual([null, 'SIGKILL']);
    expect(await readdir(folder)).toEqual([]);
  }
});
