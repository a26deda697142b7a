import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSignalFileSync, verifySignalFile } from '../../signals/index.ts';
import { simulateSubject } from './subject.ts';
import { writeGroundTruth, writeSimulatedRecording } from './write.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'outpost-simulator-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

test('a simulated recording is a sound signal file with the same samples', async () => {
  const startMs = Date.UTC(2024, 0, 10, 12);
  const { truth, recordings } = simulateSubject({
    seed: 5,
    timeZone: 'Asia/Tokyo',
    startMs,
    stopMs: startMs + 600_000,
  });
  for (const recording of recordings) {
    const { path } = await writeSimulatedRecording(dir, recording);
    expect((await verifySignalFile(path)).problems).toEqual([]);
    const file = openSignalFileSync(path);
    try {
      expect(file.header).toEqual(recording.header);
      for (const [channel] of file.header.channels.entries()) {
        const written = [...recording.pages()].filter((page) => page.channel === channel);
        const read = [...file.pages(channel)];
        expect(read.map((page) => [page.startUs, page.periodUs, page.count])).toEqual(
          written.map((page) => [page.startUs, page.periodUs, page.count]),
        );
        expect(read.map((page) => page.columns)).toEqual(written.map((page) => page.columns));
      }
    } finally {
      file.close();
    }
  }
  await writeGroundTruth(join(dir, 'truth.json'), truth);
  const json = JSON.parse(await readFile(join(dir, 'truth.json'), 'utf8'));
  expect(json.beatTimesUs).toHaveLength(truth.beatTimesUs.length);
  expect(json.beatKinds).toHaveLength(truth.beatTimesUs.length);
  expect(json.activity[0][0]).toBe(0);
});
