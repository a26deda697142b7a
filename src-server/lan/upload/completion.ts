/**
 * The end of a completely received upload: a durable job checks and stores its file, so it finishes even if the site is
 * killed. However many requests wait for it, they share one job.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Change, SYSTEM, type UploadRecord } from '../../db/index.ts';
import { OutpostError } from '../../errors.ts';
import type { Store } from '../../services/index.ts';
import type { FilePool } from './file-pool.ts';

/** The part of the job queue that runs the check. */
export interface ReceiveJobs {
  enqueue(kind: 'receive', payload: { uploadId: string; deviceId: string }, change: Change): Promise<{ id: string }>;
  whenEnded(id: string): Promise<unknown>;
}

export interface CompletionDeps {
  store: Store;
  jobs: ReceiveJobs;
  files: FilePool;
  /** Receives failures that belong to no request. */
  onProblem: (problem: unknown) => void;
}

/** An answer waits this long for the check; after that the device polls. */
const CHECK_WAIT_MS = 20_000;

export class Completion {
  readonly #deps: CompletionDeps;
  readonly #checks = new Map<string, Promise<void>>();

  constructor(deps: CompletionDeps) {
    this.#deps = deps;
  }

  /** Checks and stores an upload whose bytes are all safe. Returns its state then, or after {@link CHECK_WAIT_MS}. */
  async complete(id: string): Promise<UploadRecord> {
    await Promise.race([this.#check(id), sleep(CHECK_WAIT_MS, undefined, { ref: false })]);
    return await this.#deps.store.uploads.require(id);
  }

  /** Starts the check without waiting for it. */
  start({ id }: UploadRecord): void {
    this.#check(id).catch((thrown: unknown) => {
      // The site is closing; its next start resumes the check.
      if (!(thrown instanceof OutpostError && thrown.code === 'CANCELLED')) this.#deps.onProblem(thrown);
    });
  }

  /**
   * Ends unfinished uploads of a file that arrived whole from another device or by import. Nobody would finish them, and each
   * would reserve its bytes and be listed as under way for a week.
   */
  async endDuplicates({ id, accountId, sha256, sizeBytes, ...whole }: UploadRecord): Promise<void> {
    const { store, files } = this.#deps;
    const { storedRecordingId, studyId, subjectId } = whole;
    for (const duplicate of await store.uploads.list({ accountId, sha256, states: ['RECEIVING'] })) {
      if (duplicate.id === id || duplicate.sizeBytes !== sizeBytes) continue;
      const end =
        storedRecordingId === undefined
          ? { state: 'ENDED' as const }
          : { state: 'STORED' as const, storedRecordingId, studyId, subjectId, code: null, message: null };
      if (await store.uploads.move(duplicate.id, ['RECEIVING'], end, SYSTEM)) await files.remove(duplicate.id);
    }
  }

  #check(id: string): Promise<void> {
    const running = this.#checks.get(id);
    if (running) return running;
    const check = this.#runCheck(id).finally(() => this.#checks.delete(id));
    this.#checks.set(id, check);
    return check;
  }

  async #runCheck(id: string): Promise<void> {
    const { store, jobs, files } = this.#deps;
    const upload = await store.uploads.require(id);
    if (upload.state === 'RECEIVING') {
      await files.close(id);
      await store.uploads.move(id, ['RECEIVING'], { state: 'RECEIVED', code: null, message: null }, SYSTEM);
    } else if (upload.state !== 'RECEIVED') return;
    const job = await jobs.enqueue('receive', { uploadId: id, deviceId: upload.deviceId }, SYSTEM);
    await jobs.whenEnded(job.id);
    const checked = await store.uploads.require(id);
    if (checked.state === 'STORED' || checked.state === 'QUARANTINED') await this.endDuplicates(checked);
  }
}
