import 'fake-indexeddb/auto';
import { deleteDB, openDB } from 'idb';
import { afterEach, expect, it } from 'vitest';
import { FRAMES, idbRecordingStore, PAGES, RECORDING_STORES, RECORDINGS } from './idb-recording-store.ts';
import type { RecordingRow } from './recording-store.ts';

const NAME = 'recordings-test';
afterEach(async () => await deleteDB(NAME));

it('adds nothing to a recording that a wipe removed while it grew', async () => {
  const database = await openDB(NAME, 1, {
    upgrade: (db) => {
      for (const { name, keyPath } of RECORDING_STORES)
        db.createObjectStore(name, { keyPath: typeof keyPath === 'string' ? keyPath : [...keyPath] });
    },
  });
  const store = idbRecordingStore(database);
  const frame = (sequence: number) => ({ recordingId: 'r', sequence, connection: 1, arrivalMs: 0, source: 'ECG' });
  const block = (sequence: number) => ({ recordingId: 'r', sequence, bytes: new Uint8Array(1) });
  await store.create({ recordingId: 'r', state: 'RECORDING' } as RecordingRow);
  await store.addFrames([frame(0), frame(1)] as never);
  await store.addBlocks([block(0)]);
  expect([await database.count(FRAMES), await database.count(PAGES)]).toEqual([2, 1]);

  for (const name of [RECORDINGS, FRAMES, PAGES]) await database.clear(name);
  await store.addFrames([frame(2)] as never);
  await store.addBlocks([block(1)]);
  await store.update('r', { state: 'FINISHED' });
  for (const name of [RECORDINGS, FRAMES, PAGES]) expect(await database.count(name)).toBe(0);
  database.close();
});
