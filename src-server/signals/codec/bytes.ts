/** What the codec needs of bytes, without Node's `Buffer`. */

export const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** True if `source` holds `expected` at `at`. */
export function bytesEqual(source: Uint8Array, at: number, expected: Uint8Array): boolean {
  if (at + expected.length > source.length) return false;
  for (let i = 0; i < expected.length; i++) if (source[at + i] !== expected[i]) return false;
  return true;
}

export function concatBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
