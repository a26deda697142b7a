/**
 * Admits announced files: finds a file's existing upload, refuses files that the site does not accept, and reserves disk space
 * for the others. Refusals leave a row, so that staff see them; those that could flood the table are only counted.
 */

import { newId, type UploadRecord } from '../../db/index.ts';
import { HOUR_MS } from '../../durations.ts';
import { OutpostError } from '../../errors.ts';
import { recordingContent } from '../../files/content-hash.ts';
import { type DiskBudget, diskFull, OWNER_SHARE, type OwnerRoom } from '../../files/disk-budget.ts';
import { isFileWhole, isSameFile } from '../../integrity/stored-file.ts';
import type { Store, UploadSender } from '../../services/index.ts';
import { inSiteTime } from '../../signals/clock/site-time.ts';
import { correctClock, hostTimeUs } from '../../signals/index.ts';
import type { RefusedAttempts } from '../refused-attempts.ts';
import { admissionProblem } from './admission-rules.ts';
import { endedError } from './answers.ts';
import type { Completion } from './completion.ts';
import type { FilePool } from './file-pool.ts';
import { checkAnnouncement, type UploadMetadata } from './metadata.ts';
import { adopt, changeOf, deviceIdOf, isOfSubject, isOpen, originOf, requireAllowed } from './upload-owner.ts';

export interface AdmissionDeps {
  store: Store;
  signalsDir: string;
  disk: DiskBudget;
  /** Epoch ms. */
  clock: () => number;
  refused: Pick<RefusedAttempts, 'note'>;
  files: FilePool;
  completion: Completion;
}

/** A device sends its recordings one by one, or a few at once. */
const MAX_OPEN_PER_DEVICE = 32;
/** Files of these states are on the disk, or promised to be, and no recording yet. */
const HELD_STATES = ['RECEIVING', 'RECEIVED', 'QUARANTINED', 'REJECTED'] as const;
/** An announcement renews the activity time of an upload that has been idle for this long. */
const TOUCH_AFTER_MS = HOUR_MS;
/** Refusals of an announcement that leave no upload behind. */
const WITHOUT_UPLOAD: ReadonlySet<string> = new Set([
  'UPLOAD_METADATA',
  'UPLOAD_BUSY',
  'DISK_FULL',
  'SENSOR_NOT_SERVED',
  // A row would hold what the erasure removed.
  'SUBJECT_ERASED',
]);

/** An announced file of a sender, with the uploads of the same bytes in its account. */
interface Announcement {
  sender: UploadSender;
  metadata: UploadMetadata;
  sizeBytes: number;
  same: readonly UploadRecord[];
}

export class Admission {
  readonly #deps: AdmissionDeps;
  /** The last announcement of each content that is being decided. */
  readonly #last = new Map<string, Promise<unknown>>();

  constructor(deps: AdmissionDeps) {
    this.#deps = deps;
  }

  /**
   * Admits a file and returns its upload. The same file of the same device is the same upload; content that is stored
   * already is a completed upload, unless its file was lost: then it is accepted once more.
   * @throws the refusals of upload.md, section 6
   */
  async begin(sender: UploadSender, metadata: UploadMetadata, sizeBytes: number): Promise<UploadRecord> {
    // Those of one file one at a time, so that they find each other. Others do not wait: a hub that announces without end would delay all.
    const { sha256 } = metadata;
    const before = this.#last.get(sha256) ?? Promise.resolve();
    const turn = before.then(() => this.#begin(sender, metadata, sizeBytes));
    const ended = turn
      .catch(() => undefined)
      .finally(() => {
        if (this.#last.get(sha256) === ended) this.#last.delete(sha256);
      });
    this.#last.set(sha256, ended);
    return await turn;
  }

  /** Counts a refusal that leaves no upload behind, so that staff still see it. */
  async noteRefusal(sender: UploadSender, address: string, refusal: OutpostError): Promise<void> {
    const { code, message } = refusal;
    // A user reads the answer on the screen.
    if (!WITHOUT_UPLOAD.has(code) || sender.kind === 'USER') return;
    const { credentialId: aboutId, serial } = sender;
    await this.#deps.refused.note({ kind: 'UPLOAD', code, message, aboutId, serial, address });
  }

  async #begin(sender: UploadSender, metadata: UploadMetadata, sizeBytes: number): Promise<UploadRecord> {
    const { store, signalsDir, clock } = this.#deps;
    await requireAllowed(sender);
    // Even a refusal would leave a row.
    await this.#deps.disk.requireNoEmergency().catch((thrown: unknown) => {
      throw uploadDiskFull(thrown);
    });
    const { accountId } = sender;
    const change = changeOf(sender);
    const { clockTs, ...announced } = metadata;
    const row = {
      id: newId(),
      accountId,
      ...originOf(sender),
      deviceId: deviceIdOf(sender),
      sizeBytes,
      ...announced,
      syncPoints: inSiteTime(metadata.syncPoints, clockTs, clock()),
    };
    const [ofContent, stored] = await Promise.all([
      store.uploads.list({ accountId, sha256: metadata.sha256 }),
      store.uploads.findRecording(accountId, recordingContent(metadata.sha256)),
    ]);
    const same = ofContent.filter(
      (upload) =>
        upload.sizeBytes === sizeBytes &&
        upload.state !== 'EXPIRED' &&
        upload.state !== 'ENDED' &&
        isOfSubject(sender, upload),
    );
    if (stored && !isOfSubject(sender, await store.recordings.require(stored.id))) throw storedForAnother();
    const isLost = stored !== undefined && !(await isFileWhole(store, signalsDir, stored));
    if (isLost && !isSameFile(stored, metadata)) throw importedFileLost(stored.id);
    if (!isLost) {
      const whole = same.find(({ state }) => state === 'STORED') ?? same.find(({ state }) => state === 'QUARANTINED');
      if (whole) {
        await this.#deps.completion.endDuplicates(whole);
        return whole;
      }
      if (stored) return await store.uploads.add({ ...row, state: 'STORED', storedRecordingId: stored.id }, change);
      const rejected = same.find(({ state }) => state === 'REJECTED');
      if (rejected) throw endedError(rejected);
      // A lost recording skips the rules: it was admitted before, and its subject is known.
      const refusal = await this.#refusalOf({ sender, metadata, sizeBytes, same });
      if (refusal) {
        const { code, message } = refusal;
        const isKnown = same.some((upload) => upload.state === 'REFUSED' && upload.code === code);
        if (!isKnown && !WITHOUT_UPLOAD.has(code)) {
          await store.uploads.add({ ...row, state: 'REFUSED', code, message }, change);
        }
        throw refusal;
      }
    }
    const unfinished = same.find(
      (upload) => isOpen(upload) && upload.deviceId === row.deviceId && upload.recordingId === metadata.recordingId,
    );
    if (unfinished) return await this.#resume(sender, unfinished);
    return await this.#create(sender, sizeBytes, row.id, () => store.uploads.add(row, change));
  }

  async #refusalOf({ sender, metadata, sizeBytes, same }: Announcement): Promise<OutpostError | undefined> {
    try {
      checkAnnouncement(metadata, sizeBytes);
    } catch (thrown) {
      if (thrown instanceof OutpostError) return thrown;
      throw thrown;
    }
    const clock = correctClock(metadata.syncPoints);
    const startUs = clock ? hostTimeUs(clock, metadata.startUs) : metadata.startUs;
    return await admissionProblem(this.#deps.store, sender, metadata, startUs / 1000, same);
  }

  async #resume(sender: UploadSender, upload: UploadRecord): Promise<UploadRecord> {
    const { store, clock } = this.#deps;
    // Must not expire while its device is about to continue it.
    if (upload.state === 'RECEIVING' && clock() - upload.modifiedTs > TOUCH_AFTER_MS) {
      await store.uploads.setProgress(upload.id, upload.receivedBytes);
    }
    return await adopt(store, sender, upload);
  }

  /** Makes the files durable before the row that refers to them. The space is claimed until the row reserves it. */
  async #create(
    sender: UploadSender,
    sizeBytes: number,
    id: string,
    addRow: () => Promise<UploadRecord>,
  ): Promise<UploadRecord> {
    const { disk, files } = this.#deps;
    const owner = `${sender.accountId} ${deviceIdOf(sender)}`;
    const decide = (room: OwnerRoom) => this.#requireRoom(sender, sizeBytes, room);
    return await disk.claimed({ owner, sizeBytes, decide }, async () => {
      await files.create(id);
      try {
        return await addRow();
      } catch (thrown) {
        await files.remove(id);
        throw thrown;
      }
    });
  }

  /**
   * @param room disk space that is not reserved yet, and what other announcements of the sender claim at this moment
   * @throws UPLOAD_BUSY while the device has to finish other uploads first, DISK_FULL
   */
  async #requireRoom(
    sender: UploadSender,
    sizeBytes: number,
    { roomBytes, claimedBytes, claims }: OwnerRoom,
  ): Promise<void> {
    const { store } = this.#deps;
    const { accountId } = sender;
    const held = await store.uploads.list({ accountId, deviceId: deviceIdOf(sender), states: HELD_STATES });
    const open = held.filter(({ state }) => state === 'RECEIVING');
    const countOpen = open.length + claims;
    if (countOpen >= MAX_OPEN_PER_DEVICE) {
      throw deviceBusy(`This device has ${countOpen} unfinished uploads. Finish or end one of them first.`);
    }
    // What has arrived counts too: otherwise a device that sends all but the end of each file would fill the disk by halves.
    const ownBytes = held.reduce((sum, upload) => sum + upload.sizeBytes, claimedBytes);
    const shareBytes = Math.max(0, (roomBytes + ownBytes) * OWNER_SHARE);
    if (roomBytes >= sizeBytes && ownBytes + sizeBytes <= shareBytes) return;
    // A device without unfinished uploads can only wait until staff free some space.
    if (countOpen === 0 || roomBytes < sizeBytes) throw uploadDiskFull();
    throw deviceBusy(
      "The unfinished uploads of this device need half of the free space of the site's disk. Finish or end one of them first.",
    );
  }
}

function deviceBusy(message: string): OutpostError {
  return new OutpostError('UPLOAD_BUSY', message, { details: { retryAfterSeconds: 60 } });
}

function storedForAnother(): OutpostError {
  const message = 'The site has this recording already, for another subject.';
  return new OutpostError('CONFLICT', message, { details: { permanent: true } });
}

function importedFileLost(recordingId: string): OutpostError {
  return new OutpostError(
    'SIGNAL_FILE_DAMAGED',
    `The file of recording ${recordingId}, which was imported, is lost. Import it again; the device keeps its copy.`,
    { details: { retryAfterSeconds: 600 } },
  );
}

export function uploadDiskFull(cause?: unknown): OutpostError {
  return diskFull("The disk of the site's computer is full. Free some space; the device will try again.", cause);
}
