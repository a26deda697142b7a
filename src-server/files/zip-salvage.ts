/**
 * Reads ZIP files that may be damaged: a file that was cut off has lost the list at its end, so its members are found by their own
 * headers, and a member is unpacked as far as it goes. The limits of `zip-archive.ts` hold here too.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { constants, crc32, createInflateRaw } from 'node:zlib';
import { OutpostError } from '../errors.ts';
import { openZipArchive, type ZipLimits, type ZipMemberPlace } from './zip-archive.ts';

const LOCAL_SIGNATURE = 0x04034b50;
const LOCAL_HEADER_BYTES = 30;
const ENCRYPTED = 1;
const SIZES_BEHIND = 8;
/** Names that lead out of a folder: the list of a whole ZIP is refused for them too. */
const UNSAFE_NAME = /^[/\\]|^[a-z]:|\\|(?:^|\/)\.\.(?:\/|$)/i;
const PIECE_BYTES = 64 << 10;
const RATIO_FREE_BYTES = 16 << 20;

/** `CUT`: it ends too early. `BROKEN`: some of its bytes are not those that were packed. */
export type MemberFault = 'CUT' | 'BROKEN';

export interface SalvagedMember {
  name: string;
  /** Unpacked size as stated; undefined when nothing states it. */
  sizeBytes?: number;
  /** Unpacks as far as it goes; can be called again. @param onEnd receives what is wrong with the member */
  open(onEnd?: (fault: MemberFault | null) => void): AsyncGenerator<Uint8Array>;
}

export interface SalvagedZip {
  members: SalvagedMember[];
  /** The list at the end is missing or damaged, so members may be missing too. */
  isCut: boolean;
  close(): void;
}

/**
 * Opens a ZIP, by its list if it has one.
 *
 * @throws FILE_DAMAGED when it holds no member at all, ZIP_UNSAFE and UNSUPPORTED_FORMAT as `openZipArchive` does
 */
export async function openZipForSalvage(path: string, limits: ZipLimits): Promise<SalvagedZip> {
  try {
    const zip = await openZipArchive(path, limits);
    const members = zip.members.map(({ name, sizeBytes, place }) => ({
      name,
      sizeBytes,
      open: (onEnd?: (fault: MemberFault | null) => void) => unpackPlace(path, place, limits, onEnd),
    }));
    return { members, isCut: false, close: () => zip.close() };
  } catch (thrown) {
    if (!(thrown instanceof OutpostError) || thrown.code !== 'FILE_DAMAGED') throw thrown;
    const places = await placesByLocalHeaders(path, limits);
    if (places.length === 0) throw thrown;
    const members = places.map((place) => ({
      name: place.name,
      ...(place.sizeBytes === undefined ? {} : { sizeBytes: place.sizeBytes }),
      open: (onEnd?: (fault: MemberFault | null) => void) => unpackPlace(path, async () => place, limits, onEnd),
    }));
    return { members, isCut: true, close: () => undefined };
  }
}

/** The name in the first member's own header, from the first bytes of a ZIP; null when it is none. */
export function firstMemberName(head: Uint8Array): string | null {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  if (bytes.length < LOCAL_HEADER_BYTES || bytes.readUInt32LE(0) !== LOCAL_SIGNATURE) return null;
  return bytes.toString('utf8', LOCAL_HEADER_BYTES, LOCAL_HEADER_BYTES + bytes.readUInt16LE(26));
}

async function placesByLocalHeaders(path: string, limits: ZipLimits): Promise<ZipMemberPlace[]> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const places: ZipMemberPlace[] = [];
    let position = 0;
    while (places.length < limits.maxMembers) {
      const place = await placeAt(file, position, size);
      if (place === null || places.some(({ name }) => name === place.name)) break;
      places.push(place);
      // Without a size in front, the next header cannot be found without unpacking.
      if (place.sizeBytes === undefined) break;
      position = place.start + place.packedBytes;
    }
    return places;
  } finally {
    await file.close();
  }
}

async function placeAt(file: FileHandle, position: number, fileBytes: number): Promise<ZipMemberPlace | null> {
  const head = Buffer.alloc(LOCAL_HEADER_BYTES);
  const { bytesRead } = await file.read(head, 0, LOCAL_HEADER_BYTES, position);
  if (bytesRead < LOCAL_HEADER_BYTES || head.readUInt32LE(0) !== LOCAL_SIGNATURE) return null;
  const flags = head.readUInt16LE(6);
  const method = head.readUInt16LE(8);
  if ((flags & ENCRYPTED) !== 0 || (method !== 0 && method !== 8)) return null;
  const name = Buffer.alloc(head.readUInt16LE(26));
  const start = position + LOCAL_HEADER_BYTES + name.length + head.readUInt16LE(28);
  if ((await file.read(name, 0, name.length, position + LOCAL_HEADER_BYTES)).bytesRead < name.length) return null;
  if (start > fileBytes) return null;
  const packedBytes = head.readUInt32LE(18);
  if (UNSAFE_NAME.test(name.toString('utf8'))) return null;
  const place = { name: name.toString('utf8'), start, method };
  const isUnstated = (flags & SIZES_BEHIND) !== 0 || packedBytes === 0xffff_ffff;
  if (isUnstated) return { ...place, packedBytes: fileBytes - start };
  return { ...place, packedBytes, sizeBytes: head.readUInt32LE(22), crc32: head.readUInt32LE(14) };
}

async function* unpackPlace(
  path: string,
  find: () => Promise<ZipMemberPlace>,
  limits: ZipLimits,
  onEnd?: (fault: MemberFault | null) => void,
): AsyncGenerator<Uint8Array> {
  const place = await placeOrNone(find);
  if (place === null) {
    onEnd?.('BROKEN');
    return;
  }
  const file = await open(path, 'r');
  const packed = packedPieces(file, place);
  try {
    let sum = 0;
    let given = 0;
    const unpacked = place.method === 0 ? packed.pieces : inflated(packed.pieces);
    let fault: MemberFault | null = null;
    for (;;) {
      const next = await unpacked.next();
      if (next.done) {
        fault = next.value ?? null;
        break;
      }
      given += next.value.byteLength;
      if (given > limits.maxBytes || (given > RATIO_FREE_BYTES && given > limits.maxRatio * packed.taken())) {
        throw new OutpostError(
          'ZIP_UNSAFE',
          `${basename(path)} was not unpacked: ${place.name} unpacks to far more than its bytes can hold.`,
        );
      }
      sum = crc32(next.value, sum);
      yield next.value;
    }
    const isShort = place.sizeBytes !== undefined && given < place.sizeBytes;
    const isOther = place.crc32 !== undefined && sum !== place.crc32;
    // A stream that ends early although all its bytes are there was damaged; one of unknown length may always have been cut.
    onEnd?.(fault ?? (isShort || isOther ? 'BROKEN' : place.sizeBytes === undefined ? 'CUT' : null));
  } finally {
    await file.close();
  }
}

/** Null when the member's own header is damaged: its bytes have no known beginning, and other members may be whole. */
async function placeOrNone(find: () => Promise<ZipMemberPlace>): Promise<ZipMemberPlace | null> {
  try {
    return await find();
  } catch (thrown) {
    if (thrown instanceof OutpostError && thrown.code === 'FILE_DAMAGED') return null;
    throw thrown;
  }
}

function packedPieces(file: FileHandle, { start, packedBytes }: ZipMemberPlace) {
  let taken = 0;
  async function* pieces(): AsyncGenerator<Uint8Array, MemberFault | null> {
    while (taken < packedBytes) {
      const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, packedBytes - taken));
      const { bytesRead } = await file.read(piece, 0, piece.length, start + taken);
      if (bytesRead === 0) return 'CUT';
      taken += bytesRead;
      yield piece.subarray(0, bytesRead);
    }
    return null;
  }
  return { pieces: pieces(), taken: () => taken };
}

/** Piece by piece, so that everything before a broken place is handed on, and the same bytes each time. */
async function* inflated(
  pieces: AsyncGenerator<Uint8Array, MemberFault | null>,
): AsyncGenerator<Uint8Array, MemberFault | null> {
  const inflate = createInflateRaw({ chunkSize: 4 * PIECE_BYTES, finishFlush: constants.Z_SYNC_FLUSH });
  let ready: Uint8Array[] = [];
  let isBroken = false;
  let wake = () => {};
  const woken = (start: () => void): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
      start();
    });
  inflate.on('data', (chunk: Uint8Array) => ready.push(chunk));
  inflate.on('end', () => wake());
  // A write that fails is not called back.
  inflate.on('close', () => wake());
  inflate.on('error', () => {
    isBroken = true;
    wake();
  });
  const taken = (): Uint8Array[] => {
    const chunks = ready;
    ready = [];
    return chunks;
  };
  try {
    let fault: MemberFault | null = null;
    for (;;) {
      const next = await pieces.next();
      if (next.done) {
        fault = next.value;
        break;
      }
      await woken(() => inflate.write(next.value, () => wake()));
      yield* taken();
      if (isBroken) return 'BROKEN';
    }
    await woken(() => inflate.end());
    yield* taken();
    return isBroken ? 'BROKEN' : fault;
  } finally {
    inflate.destroy();
  }
}
