/** Recordings from docks and watched folders: taking, storing and confirming them, with the audit of each step. */
import { type Change, type TransferColumns, TransferQueries, type TransferRecord } from '../db/index.ts';
import { changesBetween, changesFromNothing } from '../study/changes.ts';
import type { StoredTransferState } from '../vocabulary/docks.ts';

export type NewTransfer = Omit<TransferRecord, 'createdTs' | 'modifiedTs' | 'receivedBytes'>;

/** The step that leads to a state, as the audit trail names it. */
const STEPS: Readonly<Record<StoredTransferState, string>> = {
  COPYING: 'take',
  IMPORTING: 'import',
  STORED: 'store',
  CONFIRMED: 'confirm',
  FAILED: 'fail',
  DISMISSED: 'dismiss',
};

export class Transfers extends TransferQueries {
  /** Stores a decision about a recording: a new row, or a new beginning for one that failed or was dismissed. */
  async decide(input: NewTransfer, change: Change): Promise<TransferRecord> {
    return await this.session.write(async (session) => {
      const transfers = new Transfers(session);
      const now = session.clock();
      const old = await transfers.get(input.id);
      if (old) {
        const cleared = { code: null, message: null, sha256: null, jobId: null, recordingIds: null, receivedBytes: 0 };
        await transfers.patch(input.id, { ...cleared, ...input, modifiedTs: now });
      } else await transfers.insert({ ...input, receivedBytes: 0, createdTs: now, modifiedTs: now });
      await session.audit(change, {
        action: `transfer.${STEPS[input.state]}`,
        entityType: 'transfer',
        entityId: input.id,
        ...placeOf(input),
        changes: old ? changesBetween({ ...old }, { ...input }) : changesFromNothing({ ...input }),
      });
      return await transfers.require(input.id);
    });
  }

  /**
   * Changes a transfer if it is still in one of the states `from`; undefined, and nothing changes, when it is not, or gone because its
   * person was erased.
   */
  async move(
    id: string,
    from: readonly StoredTransferState[],
    patch: TransferColumns & { state: StoredTransferState },
    change: Change,
  ): Promise<TransferRecord | undefined> {
    return await this.session.write(async (session) => {
      const transfers = new Transfers(session);
      const old = await transfers.get(id);
      if (!old || !from.includes(old.state)) return undefined;
      await transfers.patch(id, { ...patch, modifiedTs: session.clock() });
      await session.audit(change, {
        action: `transfer.${STEPS[patch.state]}`,
        entityType: 'transfer',
        entityId: id,
        ...placeOf(old),
        changes: changesBetween({ ...old }, { ...patch }),
      });
      return await transfers.require(id);
    });
  }

  /** Stores how much is on the disk, flushed. Routine, so there is no audit row. False when it is not being copied any more. */
  async setProgress(id: string, receivedBytes: number): Promise<boolean> {
    return await this.session.write(async (session) => {
      const transfers = new Transfers(session);
      const row = await transfers.get(id);
      if (row?.state !== 'COPYING') return false;
      await transfers.patch(id, { receivedBytes, modifiedTs: session.clock() });
      transfers.session.announce({
        action: 'transfer.progress',
        entityType: 'transfer',
        entityId: id,
        ...placeOf(row),
      });
      return true;
    });
  }

  /** Tells desks that what is plugged in, or found in a folder, has changed. */
  announceFound(): void {
    this.session.announce({ action: 'transfer.found', entityType: 'transfer', entityId: '' });
  }
}

function placeOf({ studyId, subjectId }: { studyId?: string | null; subjectId?: string | null }) {
  return { ...(studyId && { studyId }), ...(subjectId && { subjectId }) };
}
