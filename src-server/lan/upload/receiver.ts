/**
 * Uploads from announcement to their end: what is taken and what is refused, where bytes go, when a file is complete. Files
 * are made durable before rows, and rows before answers; the check of a complete file is a job, so that it ends whatever
 * is killed when.
 */
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Change, newId, SYSTEM, type UploadRecord } from '../../db/index.ts';
import { OutpostError } from '../../errors.ts';
import { type DiskBudget, diskFull } from '../../files/disk-budget.ts';
import { quarantinePath, UPLOADS, uploadPaths } from '../../files/inbox.ts';
import { isFileWhole, isSameFile } from '../../integrity/stored-file.ts';
import type { Store } from '../../services/index.ts';
import { inSiteTime } from '../../signals/clock/site-time.ts';
import { correctClock, hostTimeUs } from '../../signals/index.ts';
import type { JobPayloads, JobRow } from '../../study/jobs.ts';
import type { DeviceIdentity } from '../device-identity.ts';
import type { RefusedAttempts } from '../refused-attempts.ts';
import { admissionProblem, recordingContent } from './admission.ts';
import { checkAnnouncement, checkHead, type UploadMetadata } from './metadata.ts';
import { type AppendOptions, PartialFile } from './partial-file.ts';

export interface ReceiverDeps {
  store: Store;
  inboxDir: string;
  /** False while ages are in doubt. */
  isClockTrusted?: () => boolean;
  signalsDir: string;
  disk: DiskBudget;
  /** Epoch ms. */
  clock: () => number;
  jobs: {
    enqueue(kind: 'receive', payload: JobPayloads['receive'], change: Change): Promise<JobRow>;
    whenEnded(id: string): Promise<JobRow>;
  };
  refused: Pick<RefusedAttempts, 'note'>;
  /** Hears of what goes wrong beside any request. */
  onProblem: (problem: unknown) => void;
}

/** An upload that nothing was heard of for so long is given up. */
export const EXPIRY_MS = 7 * 24 * 3_600_000;
/** So long a file that staff decided against can still be taken after all. */
const REJECTED_KEPT_MS = 30 * 24 * 3_600_000;
const SWEEP_EVERY_MS = 3_600_000;
/** A device sends its recordings one by one, perhaps a few at once. */
const MAX_OPEN_PER_DEVICE = 32;
/** An answer waits this long for the check; a device then asks. */
const CHECK_WAIT_MS = 20_000;
/** Notes of the progress of one upload are this far apart. */
const PROGRESS_EVERY_MS = 5000;
const IDLE_CLOSE_MS = 30_000;
/** Of the room there is, one device may have promises for so much: the others must not be starved by it. */
const DEVICE_SHARE = 0.5;

export class UploadReceiver {
  readonly #deps: ReceiverDeps;
  readonly #files = new Map<string, { file: Promise<PartialFile>; users: number; timer?: NodeJS.Timeout }>();
  readonly #checks = new Map<string, Promise<void>>();
  readonly #noted = new Map<string, number>();
  #sweeping: NodeJS.Timeout | undefined;
  #beginning: Promise<unknown> = Promise.resolve();
  readonly #endPromises: () => void;

  constructor(deps: ReceiverDeps) {
    this.#deps = deps;
    this.#endPromises = deps.disk.addPromises(async () => {
      return await this.#outstandingBytes(await deps.store.uploads.list({ states: ['RECEIVING'] }));
    });
  }

  /** Goes on with what a former run of the site left: complete files are checked, old unfinished ones given up. */
  async start(): Promise<void> {
    const { store, inboxDir } = this.#deps;
    await mkdir(join(inboxDir, UPLOADS), { recursive: true });
    for (const upload of await store.uploads.list({ states: ['RECEIVED'] })) this.#checkLater(upload);
    await this.expire();
    this.#sweeping = setInterval(() => this.expire().catch(this.#deps.onProblem), SWEEP_EVERY_MS);
    this.#sweeping.unref();
  }

  /**
   * Announces a file. The same file of the same device again is the same upload; content that is stored already is an
   * upload that has ended well, unless its file was lost: then it is taken once more.
   * @throws the refusals of upload.md, section 6
   */
  async begin(device: DeviceIdentity, metadata: UploadMetadata, sizeBytes: number): Promise<UploadRecord> {
    // One at a time: two announcements of one file must find each other.
    const turn = this.#beginning.then(() => this.#begin(device, metadata, sizeBytes));
    this.#beginning = turn.catch(() => undefined);
    return await turn;
  }

  /**
   * Keeps that an announcement was turned down of which no row can be made, as nobody can read it, or is, as the device is
   * to come again: staff have to see it all the same.
   */
  async noteTurnedDown(device: DeviceIdentity, address: string, refusal: OutpostError): Promise<void> {
    const { credentialId: aboutId, serial } = device;
    const { code, message } = refusal;
    if (!TURNED_DOWN.has(code)) return;
    await this.#deps.refused.note({ kind: 'UPLOAD', code, message, aboutId, serial, address });
  }

  async #begin(device: DeviceIdentity, metadata: UploadMetadata, sizeBytes: number): Promise<UploadRecord> {
    const { store, inboxDir, signalsDir, clock } = this.#deps;
    const { credentialId, accountId } = device;
    const change = changeOf(device);
    const { clockTs, ...announced } = metadata;
    const row = {
      id: newId(),
      accountId,
      credentialId,
      deviceId: deviceIdOf(device),
      sizeBytes,
      ...announced,
      syncPoints: inSiteTime(metadata.syncPoints, clockTs, clock()),
    };
    const same = (await store.uploads.list({ accountId, sha256: metadata.sha256 })).filter(
      (upload) => upload.sizeBytes === sizeBytes && upload.state !== 'EXPIRED' && upload.state !== 'ENDED',
    );
    const stored = await store.uploads.findRecording(accountId, recordingContent(metadata.sha256));
    const isLost = stored !== undefined && !(await isFileWhole(store, signalsDir, stored));
    if (isLost && !isSameFile(stored, metadata)) throw importedFileLost(stored.id);
    if (!isLost) {
      const kept = same.find(({ state }) => state === 'STORED') ?? same.find(({ state }) => state === 'QUARANTINED');
      if (kept) {
        await this.#settleDoubles(kept);
        return kept;
      }
      if (stored) return await store.uploads.add({ ...row, state: 'STORED', storedRecordingId: stored.id }, change);
      const rejected = same.find(({ state }) => state === 'REJECTED');
      if (rejected) throw endedError(rejected);
    }
    // What was taken once needs no leave again: its place is known.
    const problem = isLost ? undefined : await this.#refusalOf(device, metadata, sizeBytes, same);
    if (problem) {
      const told = same.some(({ state, code }) => state === 'REFUSED' && code === problem.code);
      const { code, message } = problem;
      // Noted with the refusals, which count: a row for each file would let a device fill tables and audit.
      if (!told && problem.code !== 'SENSOR_NOT_SERVED')
        await store.uploads.add({ ...row, state: 'REFUSED', code, message }, change);
      throw problem;
    }
    const going = same.find(
      (upload) =>
        upload.deviceId === row.deviceId &&
        upload.recordingId === metadata.recordingId &&
        (upload.state === 'RECEIVING' || upload.state === 'RECEIVED'),
    );
    if (going) {
      // Heard of again: it must not be given up while the device goes on with it.
      const isOld = clock() - going.modifiedTs > SWEEP_EVERY_MS;
      if (isOld && going.state === 'RECEIVING') await store.uploads.setProgress(going.id, going.receivedBytes);
      return await this.#takeOver(device, going);
    }
    const paths = uploadPaths(inboxDir, row.id);
    return await this.#deps.disk.decide(async (roomBytes) => {
      await this.#requireRoom(device, sizeBytes, roomBytes);
      await PartialFile.create(paths);
      try {
        return await store.uploads.add(row, change);
      } catch (thrown) {
        await PartialFile.remove(paths);
        throw thrown;
      }
    });
  }

  async #refusalOf(
    device: DeviceIdentity,
    metadata: UploadMetadata,
    sizeBytes: number,
    same: readonly UploadRecord[],
  ): Promise<OutpostError | undefined> {
    try {
      checkAnnouncement(metadata, sizeBytes);
    } catch (thrown) {
      if (thrown instanceof OutpostError) return thrown;
      throw thrown;
    }
    const clock = correctClock(metadata.syncPoints);
    const startUs = clock ? hostTimeUs(clock, metadata.startUs) : metadata.startUs;
    return await admissionProblem(this.#deps.store, device, metadata, startUs / 1000, same);
  }

  /** Bytes that are announced and not on the disk yet. */
  async #outstandingBytes(uploads: readonly UploadRecord[]): Promise<number> {
    let bytes = 0;
    for (const { id, sizeBytes } of uploads) {
      const written = await stat(uploadPaths(this.#deps.inboxDir, id).data).then(
        ({ size }) => size,
        () => 0,
      );
      bytes += Math.max(0, sizeBytes - written);
    }
    return bytes;
  }

  /**
   * @param roomBytes what may still be promised to anyone
   * @throws UPLOAD_BUSY while the device has to finish others first, DISK_FULL
   */
  async #requireRoom(device: DeviceIdentity, sizeBytes: number, roomBytes: number): Promise<void> {
    const { accountId } = device;
    const open = await this.#deps.store.uploads.list({
      accountId,
      deviceId: deviceIdOf(device),
      states: ['RECEIVING'],
    });
    if (open.length >= MAX_OPEN_PER_DEVICE) {
      throw new OutpostError(
        'UPLOAD_BUSY',
        `This device has ${open.length} unfinished uploads. Finish or end one of them first.`,
        { details: { retryAfterSeconds: 60 } },
      );
    }
    const ownBytes = await this.#outstandingBytes(open);
    const shareBytes = Math.max(0, (roomBytes + ownBytes) * DEVICE_SHARE);
    if (ownBytes + sizeBytes <= shareBytes) return;
    // Without anything of its own to finish, the device can only wait for staff.
    if (ownBytes === 0 || roomBytes < sizeBytes) throw uploadDiskFull();
    throw new OutpostError(
      'UPLOAD_BUSY',
      "This device has announced as much as half of the free space of the site's disk. Finish or end an upload first.",
      { details: { retryAfterSeconds: 60 } },
    );
  }

  /** An upload of this device, under whichever credential it began. @throws UPLOAD_GONE for any other */
  async find(device: DeviceIdentity, id: string): Promise<UploadRecord> {
    const upload = await this.#deps.store.uploads.get(id);
    const isOfAccount = upload?.accountId === device.accountId;
    // Content that another device of the account has brought is told to everyone who has it too.
    if (!upload || !isOfAccount || (upload.deviceId !== deviceIdOf(device) && isOpen(upload))) {
      throw new OutpostError('UPLOAD_GONE', 'There is no such upload of this device. Announce the file again.');
    }
    return await this.#takeOver(device, upload);
  }

  /** A device that was paired again continues under its new credential, which the audit then names. */
  async #takeOver(device: DeviceIdentity, upload: UploadRecord): Promise<UploadRecord> {
    const { credentialId } = device;
    if (upload.credentialId === credentialId || !isOpen(upload) || upload.deviceId !== deviceIdOf(device))
      return upload;
    const moved = await this.#deps.store.uploads.move(upload.id, [upload.state], { credentialId }, changeOf(device));
    return moved ?? (await this.#deps.store.uploads.require(upload.id));
  }

  /**
   * Ends unfinished uploads of a file that came whole from another device or by import: nobody would finish them, and each
   * would hold its bytes and be listed as under way for a week.
   */
  async #settleDoubles({ id, accountId, sha256, sizeBytes, ...kept }: UploadRecord): Promise<void> {
    const { store } = this.#deps;
    const { storedRecordingId, studyId, subjectId } = kept;
    for (const double of await store.uploads.list({ accountId, sha256, states: ['RECEIVING'] })) {
      if (double.id === id || double.sizeBytes !== sizeBytes) continue;
      const end =
        storedRecordingId === undefined
          ? { state: 'ENDED' as const }
          : { state: 'STORED' as const, storedRecordingId, studyId, subjectId, code: null, message: null };
      if (await store.uploads.move(double.id, ['RECEIVING'], end, SYSTEM)) await this.#drop(double.id);
    }
  }

  /** Bytes that are safe. @throws the reason why the upload has ended, if it did not end well */
  async offsetOf(upload: UploadRecord): Promise<number> {
    if (upload.state === 'RECEIVING') {
      const offset = await this.#withFile(upload.id, async (file) => file.offset);
      // All bytes were safe when the site ended, and nobody had said so yet.
      if (offset === upload.sizeBytes) this.#checkLater(upload);
      return offset;
    }
    if (upload.state === 'REJECTED' || upload.state === 'REFUSED') throw endedError(upload);
    if (upload.state === 'EXPIRED' || upload.state === 'ENDED') throw endedError(upload);
    if (upload.state === 'RECEIVED') this.#checkLater(upload);
    return upload.sizeBytes;
  }

  /** Appends at the safe length. The caller holds the lock of the upload. @throws as {@link PartialFile.append} */
  async append(
    id: string,
    source: AsyncIterable<Buffer>,
    options: Omit<AppendOptions, 'checkHead' | 'checkRoom'>,
  ): Promise<number> {
    const checkRoom = () => this.#deps.disk.requireReserve();
    try {
      const offset = await this.#withFile(id, (file) => file.append(source, { ...options, checkHead, checkRoom }));
      await this.#noteProgress(id, offset);
      return offset;
    } catch (thrown) {
      if (thrown instanceof OutpostError && thrown.code === 'DISK_FULL') throw uploadDiskFull(thrown);
      if (thrown instanceof OutpostError && REFUSED_BY_HEAD.has(thrown.code)) await this.#refuse(id, thrown);
      throw thrown;
    }
  }

  async #noteProgress(id: string, offset: number): Promise<void> {
    const now = performance.now();
    if (now - (this.#noted.get(id) ?? Number.NEGATIVE_INFINITY) < PROGRESS_EVERY_MS) return;
    this.#noted.set(id, now);
    await this.#deps.store.uploads.setProgress(id, offset);
  }

  async #refuse(id: string, { code, message }: OutpostError): Promise<void> {
    await this.#deps.store.uploads.move(id, ['RECEIVING'], { state: 'REFUSED', code, message }, SYSTEM);
    await this.#drop(id);
  }

  /** All bytes are safe: has the file checked and stored, and answers how that went, or how far it is after a while. */
  async complete(id: string): Promise<UploadRecord> {
    const { store } = this.#deps;
    const check = this.#check(id);
    await Promise.race([check, after(CHECK_WAIT_MS)]);
    return await store.uploads.require(id);
  }

  #checkLater({ id }: UploadRecord): void {
    this.#check(id).catch((thrown: unknown) => {
      // The site closes; its next start goes on.
      if (!(thrown instanceof OutpostError && thrown.code === 'CANCELLED')) this.#deps.onProblem(thrown);
    });
  }

  #check(id: string): Promise<void> {
    const going = this.#checks.get(id);
    if (going) return going;
    const check = this.#runCheck(id).finally(() => this.#checks.delete(id));
    this.#checks.set(id, check);
    return check;
  }

  async #runCheck(id: string): Promise<void> {
    const { store, jobs } = this.#deps;
    const upload = await store.uploads.require(id);
    if (upload.state === 'RECEIVING') {
      await this.#close(id);
      this.#noted.delete(id);
      await store.uploads.move(id, ['RECEIVING'], { state: 'RECEIVED', code: null, message: null }, SYSTEM);
    } else if (upload.state !== 'RECEIVED') return;
    const job = await jobs.enqueue('receive', { uploadId: id }, SYSTEM);
    await jobs.whenEnded(job.id);
    const checked = await store.uploads.require(id);
    if (checked.state === 'STORED' || checked.state === 'QUARANTINED') await this.#settleDoubles(checked);
  }

  /** The device gives an upload up. What is stored already stays. */
  async end(device: DeviceIdentity, upload: UploadRecord): Promise<void> {
    const ended = await this.#deps.store.uploads.move(upload.id, ['RECEIVING'], { state: 'ENDED' }, changeOf(device));
    if (ended) await this.#drop(upload.id);
  }

  /** Gives up what nothing was heard of for a week; answers how many. */
  async expire(): Promise<number> {
    const { store, inboxDir, clock, isClockTrusted } = this.#deps;
    // By a clock that has just jumped everything would be old.
    if (isClockTrusted?.() === false) return 0;
    const old = await store.uploads.list({ states: ['RECEIVING'], modifiedBefore: clock() - EXPIRY_MS });
    for (const { id } of old) {
      if ((this.#files.get(id)?.users ?? 0) > 0) continue;
      const expired = await store.uploads.move(id, ['RECEIVING'], { state: 'EXPIRED' }, SYSTEM);
      if (expired) await this.#drop(id);
    }
    const rejected = await store.uploads.list({ states: ['REJECTED'], modifiedBefore: clock() - REJECTED_KEPT_MS });
    for (const { id } of rejected) await rm(quarantinePath(inboxDir, id), { force: true });
    return old.length;
  }

  async #drop(id: string): Promise<void> {
    await this.#close(id);
    this.#noted.delete(id);
    await PartialFile.remove(uploadPaths(this.#deps.inboxDir, id));
  }

  async #withFile<T>(id: string, work: (file: PartialFile) => Promise<T>): Promise<T> {
    const entry = this.#files.get(id) ?? { file: PartialFile.open(uploadPaths(this.#deps.inboxDir, id)), users: 0 };
    this.#files.set(id, entry);
    clearTimeout(entry.timer);
    entry.users += 1;
    try {
      return await work(await entry.file);
    } catch (thrown) {
      // A file that could not be opened must not be remembered as open.
      await entry.file.catch(() => this.#files.delete(id));
      throw thrown;
    } finally {
      entry.users -= 1;
      if (entry.users === 0) {
        entry.timer = setTimeout(() => void this.#close(id), IDLE_CLOSE_MS);
        entry.timer.unref();
      }
    }
  }

  async #close(id: string): Promise<void> {
    const entry = this.#files.get(id);
    if (!entry || entry.users > 0) return;
    this.#files.delete(id);
    clearTimeout(entry.timer);
    await entry.file.then((file) => file.close()).catch(this.#deps.onProblem);
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeping);
    this.#endPromises();
    await Promise.all([...this.#files.keys()].map((id) => this.#close(id)));
  }
}

/** Refusals of an announcement that leave no upload behind. */
const TURNED_DOWN: ReadonlySet<string> = new Set(['UPLOAD_METADATA', 'UPLOAD_BUSY', 'DISK_FULL', 'SENSOR_NOT_SERVED']);
/** Wrong from the first byte on. */
const REFUSED_BY_HEAD: ReadonlySet<string> = new Set(['UNSUPPORTED_FORMAT', 'FORMAT_TOO_NEW']);

function changeOf(device: DeviceIdentity): Change {
  return { actor: { type: 'DEVICE', id: device.credentialId } };
}

/**
 * What uploads belong to: the equipment, or the phone of a subject by the id it made. A credential ends when the device is
 * paired again; what it has begun does not.
 */
function deviceIdOf({ equipmentId, serial }: DeviceIdentity): string {
  return equipmentId ?? serial;
}

function isOpen({ state }: UploadRecord): boolean {
  return state === 'RECEIVING' || state === 'RECEIVED';
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}

function importedFileLost(recordingId: string): OutpostError {
  return new OutpostError(
    'SIGNAL_FILE_DAMAGED',
    `The file of recording ${recordingId}, which was imported, is lost. Import it again; the device keeps its copy.`,
    { details: { retryAfterSeconds: 600 } },
  );
}

function uploadDiskFull(cause?: unknown): OutpostError {
  return diskFull("The disk of the site's computer is full. Free some space; the device tries again later.", cause);
}

/** Why an upload ended without a recording, as it was told first. */
export function endedError(upload: UploadRecord): OutpostError {
  if (upload.state === 'REJECTED') {
    return new OutpostError(
      'UPLOAD_REJECTED',
      `The site's staff decided against this recording${upload.decisionReason ? `: ${upload.decisionReason.replace(/[.。]$/u, '')}` : ''}.`,
    );
  }
  if (upload.state === 'REFUSED') return refusalError(upload);
  return new OutpostError('UPLOAD_GONE', 'This upload was given up. Announce the file again.');
}

function refusalError({ code, message }: UploadRecord): OutpostError {
  return new OutpostError((code ?? 'FILE_DAMAGED') as 'FILE_DAMAGED', message ?? 'The file was refused.', {
    details: { permanent: true },
  });
}
