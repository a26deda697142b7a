/**
 * Feature arrays of recordings: the ones used last stay in memory, the others go to a temporary file, so that memory does not grow
 * with the days that a recording has. The file never has a name (Linux) or is deleted as soon as it is open, so nothing remains after
 * a crash. Where no file can be written (a full disk, or one with nothing left but the reserve of a site), the arrays stay in memory.
 */
import {
  closeSync,
  constants,
  existsSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  statfsSync,
  writeSync,
} from 'node:fs';
import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import type { ArrayStore, StoredArray, StoredHandle } from '../../analytics/array-store.ts';
import { reserveOf } from '../../files/disk-budget.ts';

/** A day of a chest sensor with ECG and a thigh sensor. */
const MOST_KEPT_BYTES = Math.min(24 << 20, totalmem() / 32);
/** O_TMPFILE of Linux, which Node does not export: a file without a name. */
const UNNAMED = process.platform === 'linux' ? 0o20000000 | constants.O_DIRECTORY | constants.O_RDWR : null;

/** Large temporary files belong in /var/tmp where there is one: /tmp is often memory. */
const temporaryFolder = (): string => process.env.TMPDIR || (existsSync('/var/tmp') ? '/var/tmp' : tmpdir());

/** Each array begins at a multiple of this in the file, so that it can be read without a copy. */
const ALIGNMENT = 8;

const KINDS = [Uint8Array, Float32Array, Float64Array] as const;

class Handle {
  readonly owner: ArraySpill;
  readonly bytes: number;
  readonly shapes: { kind: number; length: number }[];
  /** Where it is in the file; negative while it is in memory alone. */
  offset = -1;

  constructor(owner: ArraySpill, arrays: readonly StoredArray[]) {
    this.owner = owner;
    this.shapes = arrays.map((array) => ({
      kind: KINDS.findIndex((kind) => array instanceof kind),
      length: array.length,
    }));
    this.bytes = arrays.reduce((sum, array) => sum + aligned(array.byteLength), 0);
  }

  /** Where the array at `index` begins, in bytes from the first one. */
  startOf(index: number): number {
    let at = 0;
    for (let i = 0; i < index; i++) {
      const { kind, length } = this.shapes[i]!;
      at += aligned(length * KINDS[kind]!.BYTES_PER_ELEMENT);
    }
    return at;
  }
}

const aligned = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;

/** Memory for the arrays of several recordings, in order of last use. */
export class ArrayMemory {
  readonly #mostBytes: number;
  readonly #kept = new Map<Handle, readonly StoredArray[]>();
  #bytes = 0;

  constructor(mostBytes = MOST_KEPT_BYTES) {
    this.#mostBytes = mostBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  take(handle: Handle): readonly StoredArray[] | undefined {
    const arrays = this.#kept.get(handle);
    if (arrays === undefined) return undefined;
    this.#kept.delete(handle);
    this.#kept.set(handle, arrays);
    return arrays;
  }

  keep(handle: Handle, arrays: readonly StoredArray[]): void {
    this.#kept.set(handle, arrays);
    this.#bytes += handle.bytes;
    for (const [oldest, its] of this.#kept) {
      if (this.#bytes <= this.#mostBytes || oldest === handle) break;
      if (oldest.owner.write(oldest, its)) this.drop(oldest);
    }
  }

  peek(handle: Handle): readonly StoredArray[] | undefined {
    return this.#kept.get(handle);
  }

  drop(handle: Handle): void {
    if (this.#kept.delete(handle)) this.#bytes -= handle.bytes;
  }
}

/** The arrays of one recording. */
export class ArraySpill implements ArrayStore {
  readonly #memory: ArrayMemory;
  readonly #folder: string;
  readonly #handles = new Set<Handle>();
  #descriptor: number | null = null;
  /** Set where the open file cannot be deleted yet (Windows). */
  #remaining: string | null = null;
  #end = 0;
  #isWritable = true;

  /** @param folder where the temporary file goes */
  constructor(memory: ArrayMemory, folder = temporaryFolder()) {
    this.#memory = memory;
    this.#folder = folder;
  }

  put(arrays: readonly StoredArray[]): StoredHandle {
    const handle = new Handle(this, arrays);
    this.#handles.add(handle);
    this.#memory.keep(handle, arrays);
    return handle;
  }

  get(stored: StoredHandle): readonly StoredArray[] {
    const handle = stored as Handle;
    const kept = this.#memory.take(handle);
    if (kept) return kept;
    const arrays = this.#read(handle);
    this.#memory.keep(handle, arrays);
    return arrays;
  }

  read(stored: StoredHandle, index: number, from: number, target: StoredArray): void {
    const handle = stored as Handle;
    const kept = this.#memory.peek(handle)?.[index];
    if (kept) target.set(kept.subarray(from, from + target.length));
    else {
      const offset = handle.offset + handle.startOf(index) + from * target.BYTES_PER_ELEMENT;
      const bytes = new Uint8Array(target.buffer, target.byteOffset, target.byteLength);
      readFully(this.#descriptor!, bytes, offset);
    }
  }

  /** Writes arrays to the file unless they are there; false if that is impossible. */
  write(handle: Handle, arrays: readonly StoredArray[]): boolean {
    if (handle.offset >= 0) return true;
    if (!this.#isWritable) return false;
    try {
      // Its disk may be that of the site.
      if (!hasRoom(this.#folder, handle.bytes)) return false;
      this.#descriptor ??= this.#open();
      let at = this.#end;
      for (const array of arrays) {
        writeFully(this.#descriptor, new Uint8Array(array.buffer, array.byteOffset, array.byteLength), at);
        at += aligned(array.byteLength);
      }
      handle.offset = this.#end;
      this.#end = at;
      return true;
    } catch {
      this.#isWritable = false;
      return false;
    }
  }

  close(): void {
    for (const handle of this.#handles) this.#memory.drop(handle);
    this.#handles.clear();
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#descriptor = null;
    if (this.#remaining !== null) rmSync(this.#remaining, { recursive: true, force: true });
  }

  #open(): number {
    const unnamed = openUnnamed(this.#folder);
    if (unnamed !== null) return unnamed;
    const own = mkdtempSync(join(this.#folder, 'outpost-features-'));
    try {
      return openSync(join(own, 'features'), 'wx+', 0o600);
    } finally {
      try {
        rmSync(own, { recursive: true });
      } catch {
        this.#remaining = own;
      }
    }
  }

  #read({ offset, bytes, shapes }: Handle): StoredArray[] {
    const block = new Uint8Array(bytes);
    readFully(this.#descriptor!, block, offset);
    let at = 0;
    return shapes.map(({ kind, length }) => {
      const array = new KINDS[kind]!(block.buffer, at, length);
      at += aligned(array.byteLength);
      return array;
    });
  }
}

/** False where the file would take what is kept free for the database of a site. */
function hasRoom(folder: string, bytes: number): boolean {
  const { bavail, bsize, blocks } = statfsSync(folder);
  return bavail * bsize - bytes > reserveOf(blocks * bsize);
}

/** Null where the system or the file system of the folder has no files without a name. */
function openUnnamed(folder: string): number | null {
  if (UNNAMED === null) return null;
  try {
    return openSync(folder, UNNAMED, 0o600);
  } catch {
    return null;
  }
}

/** Reads until `bytes` are full or the file ends: its last array may end before its alignment. */
function readFully(descriptor: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) {
    const read = readSync(descriptor, bytes, done, bytes.length - done, position + done);
    if (read === 0) return;
    done += read;
  }
}

function writeFully(descriptor: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; )
    done += writeSync(descriptor, bytes, done, bytes.length - done, position + done);
}
