/**
 * The emergency reserve of a site: a file of written bytes beside the database. When the disk is full, pieces of it are given up, so
 * that what people write at the desk, sign-in, closing and opening still find room. It is made again when there is room.
 *
 * It helps against other programs that fill the disk, and against rows that arrive in large numbers; bulk writers stop before they
 * need it, see `disk-budget.ts`. Against a program that takes each byte as soon as it is free it lasts for as many writes as it has pieces.
 */
import { randomFillSync } from 'node:crypto';
import { closeSync, ftruncateSync, openSync, statfsSync, statSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export const RESERVE_FILE = 'site.reserve';
/** A twentieth of a small disk, and no more than what some thousand writes of the desk need. */
const MOST_BYTES = 64 << 20;
const SHARE_OF_DISK = 20;
/** Given up at once: a program that takes what is free gets a piece at a time. */
const PIECES = 16;
/** More than a commit of the desk writes to the log of the database. */
const COMMIT_BYTES = 512 << 10;
/** The last pieces are for opening the site, which creates files before anybody can free anything. */
const PIECES_FOR_OPENING = 2;
/** With more free space than this many reserves, none is needed soon. */
const PLENTY = 32;
/** Written at once while it is made again. */
const STEP_BYTES = 1 << 20;

interface Space {
  freeBytes: number;
  totalBytes: number;
}

export class DiskReserve {
  readonly #dir: string;
  readonly #path: string;
  #heldBytes: number;

  /** @param dir of the site; nothing is written yet */
  constructor(dir: string) {
    this.#dir = dir;
    this.#path = join(dir, RESERVE_FILE);
    this.#heldBytes = this.#sizeOfFile();
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** What is missing of the whole reserve, on a disk of this size. */
  missingBytes(totalBytes: number): number {
    return Math.max(0, sizeOf(totalBytes) - this.#heldBytes);
  }

  /**
   * Gives up pieces until the next write has room, if there are any. Called before each commit, so it only asks the file system.
   * @param options.isOpening true while the site is opened, which may use the last pieces
   */
  makeRoom({ isOpening = false } = {}): void {
    const { freeBytes, totalBytes } = this.#space();
    const pieceBytes = sizeOf(totalBytes) / PIECES;
    const roomBytes = Math.max(pieceBytes, COMMIT_BYTES);
    if (freeBytes < roomBytes) this.#giveUp(roomBytes - freeBytes, pieceBytes, isOpening);
  }

  /** After a write that found no room: gives up one more piece. Returns false when there is none. */
  giveUpPiece(): boolean {
    const pieceBytes = sizeOf(this.#space().totalBytes) / PIECES;
    return this.#giveUp(pieceBytes, pieceBytes, false);
  }

  /** True where the reserve should be made before anything else happens. */
  get isNeededSoon(): boolean {
    const { freeBytes, totalBytes } = this.#space();
    return freeBytes < PLENTY * sizeOf(totalBytes);
  }

  /**
   * Makes one step of what is missing, while more than `keptOf` the size of the disk stays free after it. Returns true when there is
   * more to do. Nothing is flushed: what a power cut takes is made again. Never throws: without a reserve everything works as long as
   * the disk has room.
   */
  makeStep(keptOf: (diskBytes: number) => number): boolean {
    const { freeBytes, totalBytes } = this.#space();
    const stepBytes = Math.min(STEP_BYTES, this.missingBytes(totalBytes));
    if (stepBytes === 0 || freeBytes - stepBytes <= keptOf(totalBytes)) return false;
    try {
      const file = openSync(this.#path, 'a', 0o600);
      try {
        // Random, because file systems that compress would store zeros in no space at all.
        writeAll(file, randomFillSync(Buffer.allocUnsafe(stepBytes)));
      } catch {
        ftruncateSync(file, this.#heldBytes);
        return false;
      } finally {
        closeSync(file);
      }
    } catch {
      return false;
    }
    this.#heldBytes = this.#sizeOfFile();
    return this.missingBytes(totalBytes) > 0;
  }

  #giveUp(neededBytes: number, pieceBytes: number, isOpening: boolean): boolean {
    const leastBytes = isOpening ? 0 : PIECES_FOR_OPENING * pieceBytes;
    const givenBytes = Math.min(Math.ceil(neededBytes / pieceBytes) * pieceBytes, this.#heldBytes - leastBytes);
    if (givenBytes <= 0) return false;
    try {
      truncateSync(this.#path, Math.floor(this.#heldBytes - givenBytes));
    } catch {
      return false;
    } finally {
      this.#heldBytes = this.#sizeOfFile();
    }
    return true;
  }

  #sizeOfFile(): number {
    try {
      return statSync(this.#path).size;
    } catch {
      return 0;
    }
  }

  /** Much space while the disk is gone: then room is not what is missing. */
  #space(): Space {
    try {
      const { bavail, bsize, blocks } = statfsSync(this.#dir);
      return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
    } catch {
      return { freeBytes: Number.MAX_SAFE_INTEGER, totalBytes: 0 };
    }
  }
}

const sizeOf = (totalBytes: number): number => Math.floor(Math.min(MOST_BYTES, totalBytes / SHARE_OF_DISK));

function writeAll(file: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
}
