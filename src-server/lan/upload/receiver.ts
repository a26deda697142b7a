/**
 * Uploads of devices from announcement to end. Files are made durable before rows, and rows before answers. Three parts do
 * the work: admission decides about announcements, the file pool holds the bytes, completion checks and stores whole files.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SYSTEM, type UploadRecord } from '../../db/index.ts';
import { DAY_MS, HOUR_MS } from '../../durations.ts';
import { OutpostError } from '../../errors.ts';
import type { DiskBudget } from '../../files/disk-budget.ts';
import { quarantinePath, UPLOADS } from '../../files/inbox.ts';
import type { Store, UploadSender } from '../../services/index.ts';
import type { RefusedAttempts } from '../refused-attempts.ts';
import { Admission, uploadDiskFull } from './admission.ts';
import { endedError } from './answers.ts';
import { Completion, type ReceiveJobs } from './completion.ts';
import { FilePool } from './file-pool.ts';
import { checkHead, type UploadMetadata } from './metadata.ts';
import type { AppendOptions } from './partial-file.ts';
import { adopt, changeOf, maySee, requireAllowed } from './upload-owner.ts';

export interface ReceiverDeps {
  store: Store;
  inboxDir: string;
  signalsDir: string;
  disk: DiskBudget;
  /** Epoch ms. */
  clock: () => number;
  /** False while the computer's clock is in doubt; nothing expires then. */
  isClockTrusted?: () => boolean;
  jobs: ReceiveJobs;
  refused: Pick<RefusedAttempts, 'note'>;
  /** Receives failures that belong to no request. */
  onProblem: (problem: unknown) => void;
}

/** An unfinished upload without any sign of life for this long is given up. */
export const EXPIRY_MS = 7 * DAY_MS;
/** Staff can still accept a rejected file for this long. */
const REJECTED_RETENTION_MS = 30 * DAY_MS;
/** Clock readings: sensors hold recordings for 92 days, and a hub may take as long again to deliver them. */
const READING_RETENTION_MS = 184 * DAY_MS;
const SWEEP_EVERY_MS = HOUR_MS;
/** The progress of one upload is stored at most this often. */
const PROGRESS_EVERY_MS = 5000;
/** Refusals by the first bytes of a file. */
const REFUSED_BY_HEAD: ReadonlySet<string> = new Set(['UNSUPPORTED_FORMAT', 'FORMAT_TOO_NEW']);

export class UploadReceiver {
  readonly #deps: ReceiverDeps;
  readonly #files: FilePool;
  readonly #completion: Completion;
  readonly #admission: Admission;
  /** When the progress of each upload was last stored, by `performance.now`. */
  readonly #progressStored = new Map<string, number>();
  readonly #endPromises: () => void;
  /** Read again after each change of an upload: many decisions about space are made between two. */
  #receiving: Promise<UploadRecord[]> | undefined;
  #sweeper: NodeJS.Timeout | undefined;

  constructor(deps: ReceiverDeps) {
    const { store, jobs, onProblem } = deps;
    this.#deps = deps;
    this.#files = new FilePool(deps.inboxDir, onProblem);
    this.#completion = new Completion({ store, jobs, onProblem, files: this.#files });
    this.#admission = new Admission({ ...deps, files: this.#files, completion: this.#completion });
    const endPromises = deps.disk.addPromises(async () => await this.#files.outstandingBytes(await this.#unfinished()));
    const unsubscribe = store.subscribe(({ entityType, action }) => {
      if (entityType === 'upload' && action !== 'upload.progress') this.#receiving = undefined;
    });
    this.#endPromises = () => {
      endPromises();
      unsubscribe();
    };
  }

  /** Resumes after a restart: checks files that were complete, and gives up expired uploads. */
  async start(): Promise<void> {
    const { store, inboxDir } = this.#deps;
    await mkdir(join(inboxDir, UPLOADS), { recursive: true });
    for (const upload of await store.uploads.list({ states: ['RECEIVED'] })) this.#completion.start(upload);
    await this.expire();
    // A start that fails may close this before it has begun: a timer must not keep the process.
    this.#sweeper = setInterval(() => this.expire().catch(this.#deps.onProblem), SWEEP_EVERY_MS).unref();
    this.#sweeper.unref();
  }

  /** Number of files that devices are sending; one that pauses counts for some seconds more. */
  get filesUnderWay(): number {
    return this.#files.openCount;
  }

  /** Announces a file; see {@link Admission.begin}. */
  async begin(sender: UploadSender, metadata: UploadMetadata, sizeBytes: number): Promise<UploadRecord> {
    return await this.#admission.begin(sender, metadata, sizeBytes);
  }

  /** See {@link Admission.noteRefusal}. */
  async noteRefusal(sender: UploadSender, address: string, refusal: OutpostError): Promise<void> {
    await this.#admission.noteRefusal(sender, address, refusal);
  }

  /** Returns an upload of this sender, under whichever credential it began. @throws UPLOAD_GONE for any other */
  async find(sender: UploadSender, id: string): Promise<UploadRecord> {
    await requireAllowed(sender);
    const { store } = this.#deps;
    const upload = await store.uploads.get(id);
    if (upload?.accountId !== sender.accountId || !maySee(sender, upload)) {
      throw new OutpostError('UPLOAD_GONE', 'There is no such upload of this sender. Announce the file again.');
    }
    return await adopt(store, sender, upload);
  }

  /** Returns the safe length. @throws the reason why the upload ended, if it ended without a recording */
  async offsetOf(upload: UploadRecord): Promise<number> {
    if (upload.state === 'RECEIVING') {
      const offset = await this.#files.with(upload.id, async (file) => file.offset);
      // The site ended after the last byte was safe and before its check began.
      if (offset === upload.sizeBytes) this.#completion.start(upload);
      return offset;
    }
    if (upload.state !== 'RECEIVED' && upload.state !== 'STORED' && upload.state !== 'QUARANTINED') {
      throw endedError(upload);
    }
    if (upload.state === 'RECEIVED') this.#completion.start(upload);
    return upload.sizeBytes;
  }

  /**
   * Appends at the safe length and returns the new one. The caller holds the lock of the upload.
   * @throws as {@link PartialFile.append}; SITE_CORRUPT from the moment that damage of the database was found, also in the middle of
   * a stream: its row could not tell of what arrived
   */
  async append(
    id: string,
    source: AsyncIterable<Buffer>,
    options: Omit<AppendOptions, 'checkHead' | 'checkRoom'>,
  ): Promise<number> {
    const { store, disk } = this.#deps;
    const checkRoom = async () => {
      store.requireWritable();
      await disk.requireReserve();
    };
    try {
      // Before the file is opened, which cuts what is not safe.
      store.requireWritable();
      const offset = await this.#files.with(id, (file) => file.append(source, { ...options, checkHead, checkRoom }));
      store.requireWritable();
      await this.#storeProgress(id, offset);
      return offset;
    } catch (thrown) {
      if (thrown instanceof OutpostError && thrown.code === 'DISK_FULL') throw uploadDiskFull(thrown);
      if (thrown instanceof OutpostError && REFUSED_BY_HEAD.has(thrown.code)) await this.#refuse(id, thrown);
      throw thrown;
    }
  }

  /** Has a whole file checked and stored; see {@link Completion.complete}. */
  async complete(id: string): Promise<UploadRecord> {
    this.#progressStored.delete(id);
    return await this.#completion.complete(id);
  }

  /** Gives an upload up at the request of its device. A stored recording stays. */
  async end(sender: UploadSender, { id }: UploadRecord): Promise<void> {
    const ended = await this.#deps.store.uploads.move(id, ['RECEIVING'], { state: 'ENDED' }, changeOf(sender));
    if (ended) await this.#remove(id);
  }

  /** Gives up expired uploads, and deletes the files of old rejected ones and old clock readings. Returns how many uploads had expired. */
  async expire(): Promise<number> {
    const { store, inboxDir, clock, isClockTrusted } = this.#deps;
    // After a jump of the clock everything would look expired.
    if (isClockTrusted?.() === false) return 0;
    const old = await store.uploads.list({ states: ['RECEIVING'], modifiedBefore: clock() - EXPIRY_MS });
    for (const { id } of old) {
      if (this.#files.isInUse(id)) continue;
      const expired = await store.uploads.move(id, ['RECEIVING'], { state: 'EXPIRED' }, SYSTEM);
      if (expired) await this.#remove(id);
    }
    const rejected = await store.uploads.list({
      states: ['REJECTED'],
      modifiedBefore: clock() - REJECTED_RETENTION_MS,
    });
    for (const { id } of rejected) await rm(quarantinePath(inboxDir, id), { force: true });
    await store.clockReadings.deleteBefore((clock() - READING_RETENTION_MS) * 1000);
    return old.length;
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    this.#endPromises();
    await this.#files.closeAll();
  }

  async #unfinished(): Promise<UploadRecord[]> {
    this.#receiving ??= this.#deps.store.uploads.list({ states: ['RECEIVING'] });
    const reading = this.#receiving;
    return await reading.catch((thrown: unknown) => {
      if (this.#receiving === reading) this.#receiving = undefined;
      throw thrown;
    });
  }

  async #storeProgress(id: string, offset: number): Promise<void> {
    const now = performance.now();
    if (now - (this.#progressStored.get(id) ?? Number.NEGATIVE_INFINITY) < PROGRESS_EVERY_MS) return;
    this.#progressStored.set(id, now);
    await this.#deps.store.uploads.setProgress(id, offset);
  }

  async #refuse(id: string, { code, message }: OutpostError): Promise<void> {
    await this.#deps.store.uploads.move(id, ['RECEIVING'], { state: 'REFUSED', code, message }, SYSTEM);
    await this.#remove(id);
  }

  async #remove(id: string): Promise<void> {
    this.#progressStored.delete(id);
    await this.#files.remove(id);
  }
}
