/** A person's confirmation that a recording is verified, before the device may be cleared. */
import { join } from 'node:path';
import type { Change, TransferRecord } from '../db/index.ts';
import { OutpostError } from '../errors.ts';
import { hashFile } from '../files/content-hash.ts';
import type { Store } from '../services/index.ts';

/**
 * Reads what is stored once more and, when it is whole, stores the confirmation. Nothing happens to the device.
 * @throws NOT_FOUND, CONFLICT
 */
export async function confirmTransfer(
  { store, signalsDir, clock }: { store: Store; signalsDir: string; clock: () => number },
  id: string,
  change: Change,
): Promise<TransferRecord> {
  const row = await store.transfers.require(id);
  if (row.state === 'CONFIRMED') return row;
  if (row.state !== 'STORED') {
    throw new OutpostError(
      'CONFLICT',
      'This recording is not stored yet, so the device must not be cleared. Wait until it has been imported.',
    );
  }
  for (const recordingId of row.recordingIds ?? []) {
    const recording = await store.recordings.get(recordingId);
    const content = recording && (await hashFile(join(signalsDir, `${recordingId}.sig`)).catch(() => undefined));
    if (!recording || content?.sha256 !== recording.sha256) {
      throw new OutpostError(
        'CONFLICT',
        'The stored recording is damaged or missing, so the device must not be cleared. Take the recording again.',
        { details: { recordingId } },
      );
    }
  }
  const confirmed = await store.transfers.move(
    id,
    ['STORED'],
    { state: 'CONFIRMED', confirmedBy: change.actor.id ?? null, confirmedTs: clock() },
    change,
  );
  if (!confirmed) throw new OutpostError('CONFLICT', 'The state of this recording has just changed. Look again.');
  return confirmed;
}
