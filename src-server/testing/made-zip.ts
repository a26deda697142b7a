/** ZIP files of given members. */
import { crc32, deflateRawSync } from 'node:zlib';
import { localHeader, withDirectory } from './zip-bomb.ts';

export function madeZip(contents: Readonly<Record<string, string | Uint8Array>>): Buffer {
  const parts: Buffer[] = [];
  let offset = 0;
  const entries = Object.entries(contents).map(([name, content]) => {
    const plain = Buffer.from(content as string);
    const packed = deflateRawSync(plain);
    const entry = { name, offset, packedBytes: packed.length, sizeBytes: plain.length, crc: crc32(plain) };
    const part = Buffer.concat([localHeader(entry), packed]);
    parts.push(part);
    offset += part.length;
    return entry;
  });
  return withDirectory(Buffer.concat(parts), entries);
}
