/** The store of recordings in IndexedDB. The database belongs to its owner; this uses three object stores of it. */
import type { IDBPDatabase, IDBPTransaction } from 'idb';
import { OWNER_GONE, SensorProblem } from './problem.ts';
import type { RecordingRow, RecordingStore, StoredBlock, StoredFrame } from './recording-store.ts';

export const RECORDINGS = 'recordings';
export const FRAMES = 'frames';
export const PAGES = 'pages';

/** Object stores and their keys, for the owner's `upgrade`. */
export const RECORDING_STORES = [
  { name: RECORDINGS, keyPath: 'recordingId' },
  { name: FRAMES, keyPath: ['recordingId', 'sequence'] },
  { name: PAGES, keyPath: ['recordingId', 'sequence'] },
] as const;

/** Whose recordings these are. Every write of a recorder asks in its own transaction whether that still holds. */
export interface RecordingOwner {
  /** The object store that the answer is read from. */
  store: string;
  // biome-ignore lint/suspicious/noExplicitAny: the owner's schema has more stores than these.
  isStill(transaction: IDBPTransaction<any, string[], 'readwrite'>): Promise<boolean>;
}

/** The default lets the system write later; a battery that dies must not take the last minutes. */
const DURABLE = { durability: 'strict' } as const;

const rangeOf = (recordingId: string) => IDBKeyRange.bound([recordingId, 0], [recordingId, Infinity]);

// biome-ignore lint/suspicious/noExplicitAny: the owner's schema has more stores than these.
export function idbRecordingStore(database: IDBPDatabase<any>, owner?: RecordingOwner): RecordingStore {
  /** @throws SensorProblem with {@link OWNER_GONE} */
  async function begin(...names: string[]) {
    const stores = owner ? [...names, owner.store] : names;
    const transaction = database.transaction(stores, 'readwrite', DURABLE);
    if (!owner || (await owner.isStill(transaction))) return transaction;
    transaction.done.catch(() => undefined);
    transaction.abort();
    throw new SensorProblem(OWNER_GONE, 'The person whose recording this is was signed out.', true);
  }
  /** A recording that was removed, such as by a wipe while it grew, does not come back in parts. */
  async function write(name: string, rows: readonly { recordingId: string }[]): Promise<void> {
    const [first] = rows;
    if (!first) return;
    const transaction = await begin(RECORDINGS, name);
    const isKept = (await transaction.objectStore(RECORDINGS).getKey(first.recordingId)) !== undefined;
    if (isKept)
      for (const row of rows)
        void transaction
          .objectStore(name)
          .put(row)
          .catch(() => undefined);
    await transaction.done;
  }
  return {
    create: async (row) => {
      const transaction = await begin(RECORDINGS);
      await Promise.all([transaction.objectStore(RECORDINGS).add(row), transaction.done]);
    },
    update: async (recordingId, change) => {
      const transaction = await begin(RECORDINGS);
      const recordings = transaction.objectStore(RECORDINGS);
      const row = (await recordings.get(recordingId)) as RecordingRow | undefined;
      if (row) await recordings.put({ ...row, ...change });
      await transaction.done;
    },
    list: async () => {
      const rows = (await database.getAll(RECORDINGS)) as RecordingRow[];
      return rows.sort((a, b) => a.createdTs - b.createdTs);
    },
    addFrames: async (frames) => await write(FRAMES, frames),
    frames: async (recordingId) => (await database.getAll(FRAMES, rangeOf(recordingId))) as StoredFrame[],
    addBlocks: async (blocks) => await write(PAGES, blocks),
    blocks: async (recordingId) => (await database.getAll(PAGES, rangeOf(recordingId))) as StoredBlock[],
    removeBlocks: async (recordingId) => {
      const transaction = database.transaction(PAGES, 'readwrite', DURABLE);
      await Promise.all([transaction.store.delete(rangeOf(recordingId)), transaction.done]);
    },
    remove: async (recordingId) => {
      const transaction = database.transaction([RECORDINGS, FRAMES, PAGES], 'readwrite', DURABLE);
      await Promise.all([
        transaction.objectStore(RECORDINGS).delete(recordingId),
        transaction.objectStore(FRAMES).delete(rangeOf(recordingId)),
        transaction.objectStore(PAGES).delete(rangeOf(recordingId)),
        transaction.done,
      ]);
    },
  };
}
