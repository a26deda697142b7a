/** Smaller ones may share a pool with others. */
const MIN_OWN_BYTES = 16 << 10;

/**
 * Frees the memory of a buffer at once; it is empty from then on. The collector sees only the small object before it, so
 * bulk data that was dropped would pile up by the hundred megabytes, or a full collection would run every few.
 */
export function detachBuffer({ buffer, byteOffset, byteLength }: Uint8Array): void {
  const isItsOwn = byteOffset === 0 && byteLength === buffer.byteLength && byteLength >= MIN_OWN_BYTES;
  if (isItsOwn && buffer instanceof ArrayBuffer) buffer.transfer(0);
}
