/** The desk's own database in the browser: recordings of sensors until the site has them. */
import { type IDBPDatabase, openDB } from 'idb';
import { RECORDING_STORES } from '../../shared/sensors/idb-recording-store.ts';

const DATABASE_NAME = 'outpost-desk';
const VERSION = 1;

/** @param onGone called when another page needs this one to let go of the database, or the browser closed it */
export async function openRecordings(onGone: () => void): Promise<IDBPDatabase> {
  return await openDB(DATABASE_NAME, VERSION, {
    upgrade(database) {
      for (const { name, keyPath } of RECORDING_STORES) {
        database.createObjectStore(name, { keyPath: typeof keyPath === 'string' ? keyPath : [...keyPath] });
      }
    },
    blocking: (_from, _to, event) => {
      (event.target as IDBDatabase).close();
      onGone();
    },
    terminated: onGone,
  });
}
