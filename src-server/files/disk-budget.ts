/**
 * The ledger of a site's disk: one for everything that writes bulk data, such as uploads, imports, exports, backups, analyses and
 * pictures. What is announced is reserved, and reservations are summed, so that several writers cannot be promised the same space.
 *
 * From the full end of the disk: the emergency reserve (`disk-reserve.ts`), then what stays free for the database and the desk, then what
 * only devices and analyses may use, because recordings exist nowhere else, and then the space for everybody. One owner of
 * reservations gets half of what there is at most.
 *
 * Reservations are in memory, or follow from rows ({@link DiskBudget.addPromises}), so that none outlives a crash.
 */
import { stat, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { OutpostError } from '../errors.ts';
import type { DiskLevel } from '../vocabulary/disk.ts';
import type { DiskReserve } from './disk-reserve.ts';

/** Reserve for the database; a twentieth of a small disk. */
const RESERVE_BYTES = 64 << 20;
/** As many reserves stay free for devices while others write bulk data. */
const RESERVES_FOR_DEVICES = 3;
/** The share of the space that one owner may reserve, so that none can starve the others. */
export const OWNER_SHARE = 0.5;

/** How much of a disk stays free for the database. */
export function reserveOf(diskBytes: number): number {
  return Math.min(RESERVE_BYTES, diskBytes / 20);
}

/** How often free space is checked while a writer of unknown size works: before a fast disk can take what is left. */
const WATCH_MS = { most: 250, least: 20 };
const FASTEST_BYTES_PER_MS = 500_000;
/** How long a watching writer relies on what was promised to others. */
const PROMISES_FOR_MS = 1000;

/** `device`: recordings that exist nowhere else, and what follows from them. `other`: what can be made, or sent, again. */
export type DiskUser = 'device' | 'other';

/** Returns the error of every refusal for lack of space. */
export function diskFull(message: string, cause?: unknown): OutpostError {
  return new OutpostError('DISK_FULL', message, { details: { retryAfterSeconds: 300 }, cause });
}

const RESERVE_REACHED =
  "The disk of the site's computer is full but for the reserve of the database. Free some space, then try again.";

const SHARE_REACHED =
  "This needs more than half of the free space of the disk of the site's computer. Free some space, then try again.";

export interface ClaimOptions {
  /** Default `device`. */
  user?: DiskUser;
  /** Whose reservations are summed; default: nobody's. */
  owner?: string;
}

/** Space that is reserved until the work with it ends. */
export interface Claim {
  /** So many more bytes are on the disk: from now on the file system counts them. */
  wrote(bytes: number): void;
}

/** What one owner may still reserve of. */
export interface OwnerRoom {
  /** Disk space for devices that nobody has reserved. */
  roomBytes: number;
  /** Bytes and number of the owner's claims that are no promises yet. */
  claimedBytes: number;
  claims: number;
}

class HeldClaim implements Claim {
  readonly owner: string | undefined;
  readonly #announcedBytes: number;
  #writtenBytes = 0;

  constructor(announcedBytes: number, owner: string | undefined) {
    this.#announcedBytes = announcedBytes;
    this.owner = owner;
  }

  wrote(bytes: number): void {
    this.#writtenBytes += bytes;
  }

  /** More than was announced, for work that says nothing of its size. */
  get totalBytes(): number {
    return Math.max(this.#announcedBytes, this.#writtenBytes);
  }

  get outstandingBytes(): number {
    return Math.max(0, this.#announcedBytes - this.#writtenBytes);
  }
}

/**
 * - `ok`: everybody writes.
 * - `scarce`: what is left is for devices; imports, exports, backups on this disk and messages of phones wait.
 * - `low`: only the reserve of the database is free; devices keep their recordings.
 * - `emergency`: less than that, and pieces of the emergency reserve were given up; only people at the desk write.
 */
export interface DiskState {
  level: DiskLevel;
  freeBytes: number;
  totalBytes: number;
  /** Has to be freed until devices are received again; 0 while they are. */
  neededBytes: number;
  /** The same until everybody may write. */
  neededForAllBytes: number;
  /** Announced and not written yet. */
  promisedBytes: number;
  /** Of the emergency reserve. */
  emergencyBytes: number;
}

export class DiskBudget {
  readonly #folder: string;
  readonly #reserve: DiskReserve | undefined;
  readonly #promises = new Set<() => Promise<number>>();
  readonly #claims = new Set<HeldClaim>();
  /** Decisions that wait, by owner. */
  readonly #waiting = new Map<string, (() => Promise<void>)[]>();
  #isDeciding = false;
  /** Seen last by a watching writer. */
  #left = 0;
  #promised = { bytes: 0, atMs: Number.NEGATIVE_INFINITY };

  /** @param folder any folder on the disk of the site @param reserve without it, nothing more than the reserve of the database stays free */
  constructor(folder: string, reserve?: DiskReserve) {
    this.#folder = folder;
    this.#reserve = reserve;
  }

  /** Counts bytes promised but not yet written, as `outstanding` returns them, until the returned function is called. */
  addPromises(outstanding: () => Promise<number>): () => void {
    this.#promises.add(outstanding);
    return () => this.#promises.delete(outstanding);
  }

  /** @throws errors of the file system, such as of a disk that is gone */
  async #space(): Promise<{ freeBytes: number; totalBytes: number; aboveReserve: number }> {
    const { bavail, bsize, blocks } = await statfs(this.#folder);
    const [freeBytes, totalBytes] = [bavail * bsize, blocks * bsize];
    // The emergency reserve is made again before anybody else writes.
    const missingBytes = this.#reserve?.missingBytes(totalBytes) ?? 0;
    return { freeBytes, totalBytes, aboveReserve: freeBytes - reserveOf(totalBytes) - missingBytes };
  }

  async #promisedBytes(): Promise<number> {
    let bytes = 0;
    for (const outstanding of this.#promises) bytes += await outstanding();
    this.#promised = { bytes, atMs: performance.now() };
    return bytes;
  }

  #claimedBytes(): number {
    let bytes = 0;
    for (const { outstandingBytes } of this.#claims) bytes += outstandingBytes;
    return bytes;
  }

  /** Bytes that may still be promised. @param maxAgeMs how old the sum of what was promised may be */
  async #room(user: DiskUser, maxAgeMs = 0): Promise<number> {
    // In this order nothing is missed that moves from a claim to a promise, or from there to the disk, meanwhile.
    const claimedBytes = this.#claimedBytes();
    const isOld = performance.now() - this.#promised.atMs >= maxAgeMs;
    const promisedBytes = isOld ? await this.#promisedBytes() : this.#promised.bytes;
    const { aboveReserve, totalBytes } = await this.#space();
    const forDevices = user === 'device' ? 0 : RESERVES_FOR_DEVICES * reserveOf(totalBytes);
    return aboveReserve - forDevices - claimedBytes - promisedBytes;
  }

  /** How full the disk is. Undefined while it is gone. */
  async state(): Promise<DiskState | undefined> {
    const space = await this.#space().catch(() => undefined);
    if (!space || space.totalBytes === 0) return undefined;
    const { freeBytes, totalBytes, aboveReserve } = space;
    const aboveAll = aboveReserve - RESERVES_FOR_DEVICES * reserveOf(totalBytes);
    const neededFor = (above: number) => (above > 0 ? 0 : Math.ceil(-above) + 1);
    return {
      level: aboveAll > 0 ? 'ok' : aboveReserve > 0 ? 'scarce' : this.#isEmergency(space) ? 'emergency' : 'low',
      freeBytes,
      totalBytes,
      neededBytes: neededFor(aboveReserve),
      neededForAllBytes: neededFor(aboveAll),
      promisedBytes: this.#claimedBytes() + (await this.#promisedBytes()),
      emergencyBytes: this.#reserve?.heldBytes ?? 0,
    };
  }

  /** Bytes that a job on the same disk has to leave free. */
  async keptBytes(user: DiskUser): Promise<number> {
    const { freeBytes } = await this.#space();
    return freeBytes - (await this.#room(user));
  }

  /** @throws DISK_FULL while only people at the desk may write */
  async requireNoEmergency(): Promise<void> {
    // While the disk is gone, what is written fails with a better error.
    const space = await this.#space().catch(() => undefined);
    if (space && this.#isEmergency(space)) throw diskFull(RESERVE_REACHED);
  }

  #isEmergency({ freeBytes, totalBytes }: { freeBytes: number; totalBytes: number }): boolean {
    return this.#reserve !== undefined && freeBytes < reserveOf(totalBytes) / 2;
  }

  /**
   * Claims space for devices if `decide` agrees, and runs work that makes a promise of {@link addPromises} of the claim. Decisions are
   * made one at a time, so a claim counts before the next one; owners take turns, so that one with many cannot delay the others.
   */
  async claimed<T>(
    { owner, sizeBytes, decide }: { owner: string; sizeBytes: number; decide: (room: OwnerRoom) => Promise<void> },
    work: () => Promise<T>,
  ): Promise<T> {
    const claim = new HeldClaim(sizeBytes, owner);
    await this.#inTurn(owner, async () => {
      const own = [...this.#claims].filter((one) => one.owner === owner);
      await decide({
        roomBytes: await this.#room('device'),
        claimedBytes: own.reduce((sum, { totalBytes }) => sum + totalBytes, 0),
        claims: own.length,
      });
      this.#claims.add(claim);
    });
    try {
      return await work();
    } finally {
      this.#claims.delete(claim);
    }
  }

  /** Runs works one at a time, those of one owner in order and those of different owners in turns. */
  async #inTurn<T>(owner: string, work: () => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const waiting = this.#waiting.get(owner) ?? [];
    waiting.push(async () => await work().then(resolve, reject));
    this.#waiting.set(owner, waiting);
    if (!this.#isDeciding) void this.#decideAll();
    return await promise;
  }

  async #decideAll(): Promise<void> {
    this.#isDeciding = true;
    for (let next = this.#waiting.entries().next().value; next; next = this.#waiting.entries().next().value) {
      const [owner, works] = next;
      const work = works.shift();
      // To the end of the line.
      this.#waiting.delete(owner);
      if (works.length > 0) this.#waiting.set(owner, works);
      await work?.();
    }
    this.#isDeciding = false;
  }

  /** Runs work that writes at most `sizeBytes`. @throws DISK_FULL when they do not fit */
  async with<T>(
    sizeBytes: number,
    work: (claim: Claim) => Promise<T>,
    { user = 'device', owner }: ClaimOptions = {},
  ): Promise<T> {
    const claim = new HeldClaim(sizeBytes, owner);
    await this.#inTurn(owner ?? '', async () => {
      const room = await this.#room(user);
      if (room < sizeBytes) throw diskFull(RESERVE_REACHED);
      if (!this.#isFairShare(claim, room)) throw diskFull(SHARE_REACHED);
      this.#claims.add(claim);
    });
    try {
      return await work(claim);
    } finally {
      this.#claims.delete(claim);
    }
  }

  /** @param room what is left beside all claims that are held */
  #isFairShare(claim: HeldClaim, room: number): boolean {
    if (claim.owner === undefined) return true;
    let heldBytes = 0;
    for (const one of this.#claims) if (one.owner === claim.owner) heldBytes += one.totalBytes;
    const ownBytes = this.#claims.has(claim) ? heldBytes : heldBytes + claim.totalBytes;
    return ownBytes <= Math.max(0, room + heldBytes) * OWNER_SHARE;
  }

  /** @throws DISK_FULL when only the reserve is left, even if space was promised */
  async requireReserve(): Promise<void> {
    if ((await this.#space()).aboveReserve <= 0) throw diskFull(RESERVE_REACHED);
  }

  /**
   * Runs work of unknown size that can be done again, such as an export. The work does not start without free space, and its signal fires
   * when nothing is left but the reserve, the space for devices, and what was promised to others.
   * @param own what was reserved for this work, which may also take more than its share
   * @throws DISK_FULL in both cases, regardless of what the aborted work threw
   */
  async watch<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>, own?: Claim): Promise<T> {
    const claim = own instanceof HeldClaim ? own : undefined;
    const problem = await this.#shortage(claim);
    if (problem) throw problem;
    const reached = new AbortController();
    const ended = new AbortController();
    void this.#watchUntil(ended.signal, reached, claim);
    try {
      return await work(AbortSignal.any([signal, reached.signal]));
    } catch (thrown) {
      if (reached.signal.aborted && !signal.aborted) throw reached.signal.reason;
      throw thrown;
    } finally {
      ended.abort();
    }
  }

  /** As {@link watch} where a folder is on the disk of the site; elsewhere the work only fails when that disk is full. */
  async watchFolder<T>(folder: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return (await this.holds(folder)) ? await this.watch(signal, work) : await work(signal);
  }

  /** Whether a folder, or the place where it will be made, is on the disk of the site. */
  async holds(folder: string): Promise<boolean> {
    for (let path = resolve(folder); ; path = dirname(path)) {
      const found = await stat(path).catch(() => undefined);
      if (found) return found.dev === (await stat(this.#folder)).dev;
      if (dirname(path) === path) return false;
    }
  }

  async #shortage(own: HeldClaim | undefined): Promise<OutpostError | undefined> {
    const left = await this.#room('other', PROMISES_FOR_MS);
    if (left + (own?.outstandingBytes ?? 0) <= 0) return diskFull(RESERVE_REACHED);
    if (own && !this.#isFairShare(own, left)) return diskFull(SHARE_REACHED);
    this.#left = left;
    return undefined;
  }

  /** Never rejects. */
  async #watchUntil(ended: AbortSignal, reached: AbortController, own: HeldClaim | undefined): Promise<void> {
    let waitMs = 0;
    while (!ended.aborted) {
      await sleep(waitMs, undefined, { ref: false, signal: ended }).catch(() => undefined);
      if (ended.aborted) return;
      waitMs = WATCH_MS.most;
      try {
        const problem = await this.#shortage(own);
        if (problem) {
          reached.abort(problem);
          return;
        }
        waitMs = Math.min(WATCH_MS.most, Math.max(WATCH_MS.least, this.#left / FASTEST_BYTES_PER_MS / 2));
      } catch {
        // Keep working when the free space cannot be read: a full disk fails the write itself.
      }
    }
  }
}
