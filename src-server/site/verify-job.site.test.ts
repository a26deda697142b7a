/** The job that checks the site, on a site whose rows are damaged as well as its files. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { addTestRecording } from '../testing/test-recording.ts';
import { makeTestSite, type TestSite } from '../testing/test-site.ts';
import { openSite } from './folder.ts';
import { startSite } from './server.ts';

let test: TestSite;
const ids: string[] = [];
beforeEach(async () => {
  test = await makeTestSite({ timeZones: ['US/Eastern'] });
  const folder = await openSite(test.dir);
  const place = { studyId: test.studyId, subjectId: test.subjectIds[0]! };
  for (const hour of [0, 2]) {
    const startUs = Date.UTC(2026, 0, 15, hour) * 1000;
    ids.push((await addTestRecording(folder.store, folder.signalsDir, place, { startUs, durationSeconds: 60 })).id);
  }
  await folder.close();
});
afterEach(async () => await test.remove());

it('ends with all findings although no list finds the row of a damaged file', async () => {
  const [unlisted, listed] = ids as [string, string];
  const database = new Database(join(test.dir, 'site.db'));
  database.prepare('UPDATE recording SET setupId = NULL WHERE id = ?').run(unlisted);
  database.close();
  for (const id of ids) {
    const path = join(test.dir, 'signals', `${id}.sig`);
    const bytes = readFileSync(path);
    bytes[bytes.length >> 1]! ^= 4;
    writeFileSync(path, bytes);
  }
  const site = await startSite({ dir: test.dir, port: 0, log: pino({ level: 'silent' }) });
  try {
    const { jobs } = site.engine;
    const { state, error, result } = await jobs.whenEnded((await jobs.enqueue('verify', {})).id);
    expect([state, error]).toEqual(['done', undefined]);
    const problems = (result as { problems: { step: string; id?: string }[] }).problems;
    const damaged = problems.filter(({ step }) => step === 'recordings').map(({ id }) => id);
    expect(new Set(damaged)).toEqual(new Set(ids));
    const { recordings } = site.folder.store;
    expect(await recordings.get(unlisted)).toBeUndefined();
    expect(await recordings.get(listed)).toMatchObject({ fileState: 'DAMAGED' });
  } finally {
    await site.close();
  }
});
