/**
 * The way of taken recordings: copied into the inbox, verified, imported by the one import job. Each step begins from what the last one
 * has committed, so a kill, a power cut or a pulled drive repeats at most what was not flushed.
 */
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SYSTEM, type TransferRecord } from '../db/index.ts';
import { OutpostError, toOutpostError } from '../errors.ts';
import { hashFile } from '../files/content-hash.ts';
import { syncDirectory } from '../files/durable-files.ts';
import { DOCKS, storedInboxPath } from '../files/inbox.ts';
import type { ImportPayload, JobRow } from '../study/jobs.ts';
import { type Copied, copyRecording, isTemporaryFailure, SourceChanged, SourceLost } from './copy-recording.ts';
import { copySet, hashOfSet } from './copy-set.ts';
import type { Found } from './found.ts';
import type { DocksOptions } from './options.ts';
import { Pace } from './pace.ts';
import { membersOf } from './set-members.ts';

/** The present state of a copy. */
export interface TransferProgress {
  receivedBytes: number;
  bytesPerSecond?: number;
  remainingMs?: number;
  /** Why it is interrupted. */
  problem?: OutpostError;
}

interface Copy {
  abort: AbortController;
  done: Promise<void>;
  pace: Pace;
}

/** After a failure of the site's disk. */
const RETRY_MS = 30_000;

export class Taking {
  readonly #options: DocksOptions;
  readonly #foundOf: (id: string) => Found | undefined;
  readonly #copies = new Map<string, Copy>();
  readonly #problems = new Map<string, { problem: OutpostError; untilMs: number }>();
  #isClosed = false;

  constructor(options: DocksOptions, foundOf: (id: string) => Found | undefined) {
    this.#options = options;
    this.#foundOf = foundOf;
  }

  /** Removes copies that nobody waits for, and finishes those that a crash left between two steps. */
  async start(): Promise<void> {
    const { store, jobs } = this.#options;
    await mkdir(this.#folder, { recursive: true });
    jobs.on('changed', this.#onJob);
    for (const row of await store.transfers.inStates(['COPYING', 'IMPORTING'])) {
      if (row.state === 'COPYING' && existsSync(this.#importFolder(row.id))) await this.#finishMove(row);
      const job = row.jobId === undefined ? undefined : await jobs.get(row.jobId);
      if (row.state === 'IMPORTING' && (!job || hasEnded(job))) await this.#settle(row.id, job);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#options.jobs.off('changed', this.#onJob);
    for (const { abort } of this.#copies.values()) abort.abort();
    await Promise.all([...this.#copies.values()].map(({ done }) => done));
  }

  progress(id: string): TransferProgress | undefined {
    const copy = this.#copies.get(id);
    if (copy) return copy.pace.progress;
    const failed = this.#problems.get(id);
    return failed && { receivedBytes: 0, problem: failed.problem };
  }

  /** Begins or continues every copy whose source is there. */
  async continueAll(): Promise<void> {
    for (const { id } of await this.#options.store.transfers.inStates(['COPYING'])) await this.begin(id);
  }

  async begin(id: string): Promise<void> {
    if (this.#isClosed || this.#copies.has(id)) return;
    const found = this.#foundOf(id);
    const failed = this.#problems.get(id);
    if (!found || (failed && failed.untilMs > performance.now())) return;
    const row = await this.#options.store.transfers.get(id);
    if (row?.state !== 'COPYING' || this.#copies.has(id)) return;
    this.#problems.delete(id);
    const abort = new AbortController();
    const pace = new Pace(row.sizeBytes, row.receivedBytes);
    const done = this.#run(row, found, abort.signal, pace).finally(() => this.#copies.delete(id));
    this.#copies.set(id, { abort, pace, done });
  }

  /** Stops a copy and removes its unfinished file. */
  async forget(id: string): Promise<void> {
    const copy = this.#copies.get(id);
    copy?.abort.abort();
    await copy?.done;
    this.#problems.delete(id);
    await rm(this.#part(id), { recursive: true, force: true });
  }

  get #folder(): string {
    return join(this.#options.inboxDir, DOCKS);
  }

  #part(id: string): string {
    return join(this.#folder, `${id}.part`);
  }

  #importFolder(id: string): string {
    return join(this.#options.inboxDir, id);
  }

  /** Never throws. */
  async #run(row: TransferRecord, found: Found, signal: AbortSignal, pace: Pace): Promise<void> {
    const { store, disk, onProblem } = this.#options;
    try {
      let writtenBytes = row.receivedBytes;
      const copied = await disk.with(Math.max(0, row.sizeBytes - row.receivedBytes), async (claim) => {
        if (row.files) return await this.#copySet(row, row.files, found, signal, pace);
        return await copyRecording({
          id: row.id,
          sourcePath: found.path,
          partPath: this.#part(row.id),
          sizeBytes: row.sizeBytes,
          isCwa: found.recognised.isCwa,
          durableBytes: row.receivedBytes,
          signal,
          onBytes: (bytes) => {
            pace.add(bytes);
            claim.wrote(bytes - writtenBytes);
            writtenBytes = bytes;
          },
          onFlushed: (bytes) => store.transfers.setProgress(row.id, bytes),
        });
      });
      await this.#moveToImport(row, copied);
    } catch (thrown) {
      if (this.#isClosed || signal.aborted) return;
      await this.#fail(row, thrown).catch(onProblem);
    }
  }

  async #copySet(
    row: TransferRecord,
    files: NonNullable<TransferRecord['files']>,
    found: Found,
    signal: AbortSignal,
    pace: Pace,
  ): Promise<Copied> {
    const members = membersOf(files, found.members ?? []);
    const paths = members.map((member) => member && join(found.folder?.path ?? '', member.path));
    return await copySet({
      files: files.map((file, i) => ({ ...file, sourcePath: paths[i] })),
      ...{ partsPath: this.#part(row.id), durableBytes: row.receivedBytes, signal },
      onBytes: (bytes) => pace.add(bytes),
      onFlushed: (bytes) => this.#options.store.transfers.setProgress(row.id, bytes),
    });
  }

  async #moveToImport(row: TransferRecord, copied: Copied): Promise<void> {
    const folder = this.#importFolder(row.id);
    if (row.files) {
      await syncDirectory(this.#part(row.id));
      // Left by a failure behind this step. While the row is being copied, nothing else uses it.
      await rm(folder, { recursive: true, force: true });
      await rename(this.#part(row.id), folder);
    } else {
      await mkdir(folder, { recursive: true });
      await rename(this.#part(row.id), join(folder, row.fileName));
    }
    await syncDirectory(folder);
    await syncDirectory(this.#folder);
    await syncDirectory(this.#options.inboxDir);
    await this.#queueImport(row, copied);
  }

  /** The copy was whole, and a crash came before its import was queued. */
  async #finishMove(row: TransferRecord): Promise<void> {
    const files = row.files ?? [{ name: row.fileName, sizeBytes: row.sizeBytes }];
    const hashes: { name: string; sha256: string }[] = [];
    for (const { name, sizeBytes } of files) {
      const found = await hashFile(join(this.#importFolder(row.id), name)).catch(() => undefined);
      if (found?.sizeBytes === sizeBytes) hashes.push({ name, sha256: found.sha256 });
    }
    if (hashes.length === files.length) await this.#queueImport(row, { sha256: hashOfSet(hashes) });
    // The folder was made, and the file did not get there: it is copied again.
    else await rm(this.#importFolder(row.id), { recursive: true, force: true });
  }

  async #queueImport(row: TransferRecord, { sha256, blocks, badBlocks }: Copied): Promise<void> {
    const { id, studyId, subjectId, fileName, files = [{ name: fileName }], options, equipmentId } = row;
    if (studyId === undefined || subjectId === undefined) throw new TypeError('A taken recording has a subject.');
    const change = row.decidedBy === undefined ? SYSTEM : ({ actor: { type: 'USER', id: row.decidedBy } } as const);
    const payload: ImportPayload = {
      studyId,
      subjectId,
      paths: files.map(({ name }) => storedInboxPath(id, name)),
      options,
      ...(equipmentId !== undefined && { sensorSerial: equipmentId }),
      // The overlap was the question that this person answered.
      ...(equipmentId !== undefined && row.decidedBy !== undefined && { acceptsOverlap: true as const }),
      requestedBy: change.actor,
      ownsFiles: true,
    };
    const counts = { ...(blocks !== undefined && { blocks }), ...(badBlocks !== undefined && { badBlocks }) };
    const job = await this.#options.store.transaction(async ({ transfers, jobs }) => {
      const found = await transfers.get(id);
      if (found?.state !== 'COPYING') return undefined;
      const added = await jobs.add({ kind: 'import', payload }, change);
      const patch = { state: 'IMPORTING', sha256, jobId: added.id, receivedBytes: row.sizeBytes, ...counts } as const;
      await transfers.move(id, ['COPYING'], patch, change);
      return added;
    });
    if (job) this.#options.jobs.announce(job);
    else await rm(this.#importFolder(id), { recursive: true, force: true });
  }

  /** A lost source waits for its return, and a full disk for room; everything else ends the transfer with its reason. */
  async #fail(row: TransferRecord, thrown: unknown): Promise<void> {
    if (thrown instanceof SourceLost) {
      this.#problems.set(row.id, { problem: thrown.problem, untilMs: performance.now() });
      this.#options.store.transfers.announceFound();
      return;
    }
    if (isTemporaryFailure(thrown)) {
      this.#problems.set(row.id, {
        problem: toOutpostError(thrown),
        untilMs: performance.now() + (this.#options.retryMs ?? RETRY_MS),
      });
      this.#options.store.transfers.announceFound();
      return;
    }
    const problem =
      thrown instanceof SourceChanged
        ? new OutpostError('CONFLICT', 'The recording changed while it was copied. Take it again as it is now.')
        : toOutpostError(thrown);
    await rm(this.#part(row.id), { recursive: true, force: true });
    const patch = { state: 'FAILED', code: problem.code, message: problem.message } as const;
    await this.#options.store.transfers.move(row.id, ['COPYING'], patch, SYSTEM);
  }

  readonly #onJob = (job: JobRow): void => {
    if (job.kind !== 'import' || !hasEnded(job)) return;
    const [path = ''] = (job.payload as ImportPayload).paths;
    const id = path.split('/').at(-2);
    if (id !== undefined) this.#settle(id, job).catch(this.#options.onProblem);
  };

  /** Takes over how the import ended. */
  async #settle(id: string, job: JobRow | undefined): Promise<void> {
    const { store } = this.#options;
    const row = await store.transfers.get(id);
    if (row?.state !== 'IMPORTING' || (job && job.id !== row.jobId)) return;
    const recordings = (job?.result?.recordings as { id: string }[] | undefined) ?? [];
    // A file of markers alone has labels and no recording.
    const isAny = recordings.length > 0 || Number(job?.result?.labels ?? 0) > 0;
    if (job?.state === 'done' && isAny) {
      await store.transfers.move(
        id,
        ['IMPORTING'],
        { state: 'STORED', recordingIds: recordings.map((one) => one.id) },
        SYSTEM,
      );
      return;
    }
    const { code, message } = job?.error ?? {
      code: 'CANCELLED',
      message: 'The import was cancelled, or its result is unknown. Take the recording again.',
    };
    await store.transfers.move(id, ['IMPORTING'], { state: 'FAILED', code, message }, SYSTEM);
  }
}

const hasEnded = ({ state }: JobRow): boolean => state !== 'queued' && state !== 'running';
