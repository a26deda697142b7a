import type { RecordingOwner } from '../../shared/sensors/idb-recording-store.ts';
import type { Session } from '../store/records.ts';

/** Recordings belong to one sign-in: after a wipe, or with another subject, nothing is written for them. */
export const ownerOf = ({ credentialId }: Session): RecordingOwner => ({
  store: 'state',
  isStill: async (transaction) => {
    const session = (await transaction.objectStore('state').get('session')) as Session | undefined;
    return session?.credentialId === credentialId;
  },
});
