/** A store of recordings in an IndexedDB of its own, as the phone makes it. */
import { openDB } from 'idb';
import { idbRecordingStore, RECORDING_STORES } from '../idb-recording-store.ts';
import type { RecordingStore } from '../recording-store.ts';

export async function openTestStore(): Promise<RecordingStore> {
  const database = await openDB(`recordings-${crypto.randomUUID()}`, 1, {
    upgrade: (opened) => {
      for (const { name, keyPath } of RECORDING_STORES) {
        opened.createObjectStore(name, { keyPath: keyPath as string | string[] });
      }
    },
  });
  return idbRecordingStore(database);
}
