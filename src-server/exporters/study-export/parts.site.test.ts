import { appendFile, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OutpostError } from '../../errors.ts';
import { temporaryFolder } from '../../testing/signal-fixtures.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { addTestRecording } from '../../testing/test-recording.ts';
import { testDeidentifier, unpackStudyExport } from '../../testing/test-study-export.ts';
import { writeBidsStudy } from '../bids/study.ts';
import { writeParquetStudy } from '../parquet/study.ts';
import { makePart } from './make-part.ts';
import type { PartMaker } from './part-task.ts';

const RECORDINGS = 6;
const START_US = Date.UTC(2026, 0, 10, 9) * 1000;

let api: TestApi;
let folder: ReturnType<typeof temporaryFolder>;
beforeAll(async () => {
  folder = temporaryFolder();
  api = await startTestApi({ timeZones: ['Asia/Tokyo', 'US/Eastern'] });
  for (let i = 0; i < RECORDINGS; i++) {
    const place = { studyId: api.studyId, subjectId: api.subjectIds[i % 2]! };
    await addTestRecording(api.store, api.deps.signalsDir, place, {
      startUs: START_US + i * 7200e6,
      durationSeconds: 60 * (RECORDINGS - i),
      missingMinutes: i === 1 ? [2] : [],
    });
  }
});
afterAll(async () => {
  await api.close();
  folder.remove();
});

/** A maker that counts its calls, ends them out of order and fails on request. */
function countingMaker(failAt = Number.POSITIVE_INFINITY): { make: PartMaker; calls: () => number } {
  let calls = 0;
  return {
    calls: () => calls,
    make: async (task, options) => {
      calls += 1;
      if (calls >= failAt) throw new OutpostError('CANCELLED', 'The export was cancelled.');
      await makePart(task, options);
      await sleep((calls % 3) * 5);
    },
  };
}

const partsIn = async (dir: string) => (await readdir(join(dir, '.parts'))).sort();

describe.each([
  ['Parquet', writeParquetStudy, false],
  ['BIDS', writeBidsStudy, false],
  ['de-identified Parquet', writeParquetStudy, true],
  ['de-identified BIDS', writeBidsStudy, true],
])('the parts of a study as %s', (name, writer, isDeidentified) => {
  const options = () => ({ studyId: api.studyId, ...(isDeidentified && { deidentify: testDeidentifier }) });
  const run = async (dir: string, atOnce: number, make: PartMaker) => {
    const source = { store: api.store, signalsDir: api.deps.signalsDir, atOnce, make };
    await unpackStudyExport(writer, source, dir, options());
    return await readFile(join(dir, 'export.zip'));
  };

  it('give the same bytes one by one, several at once, and after an interruption', async () => {
    const serial = await run(join(folder.path, `${name} serial`), 1, makePart);
    const several = countingMaker();
    const parallel = await run(join(folder.path, `${name} parallel`), 4, several.make);
    expect(parallel.equals(serial)).toBe(true);
    expect(several.calls()).toBe(RECORDINGS);

    const dir = join(folder.path, `${name} resumed`);
    const killed = countingMaker(4);
    await expect(run(dir, 1, killed.make)).rejects.toMatchObject({ code: 'CANCELLED' });
    const kept = await partsIn(dir);
    expect(kept).toHaveLength(3);
    // Torn by a power cut, though it has its final name.
    await appendFile(join(dir, '.parts', kept[1]!), 'x');
    const resumed = countingMaker();
    expect((await run(dir, 3, resumed.make)).equals(serial)).toBe(true);
    expect(resumed.calls()).toBe(RECORDINGS - 2);
    expect(await partsIn(dir)).toHaveLength(RECORDINGS);
    await rm(dir, { recursive: true });
  });

  it('are not shared between views of a recording', async () => {
    const dir = join(folder.path, `${name} views`);
    const first = countingMaker();
    await run(dir, 2, first.make);
    const source = { store: api.store, signalsDir: api.deps.signalsDir, ...countingMaker() };
    const other = isDeidentified ? {} : { deidentify: testDeidentifier };
    await unpackStudyExport(writer, source, dir, { studyId: api.studyId, ...other });
    expect(source.calls()).toBe(RECORDINGS);
  });
});
