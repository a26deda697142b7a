/** Smaller buffers may share Node's pool. */
const MIN_OWN_BYTES = 16 << 10;

/**
 * Detaches a buffer: frees its memory at once and leaves it empty. The garbage collector accounts only for the small wrapper
 * object, so without this, dropped bulk data piles up by hundreds of megabytes or triggers frequent full collections.
 */
export function detachBuffer({ buffer, byteOffset, byteLength }: Uint8Array): void {
  const isItsOwn = byteOffset === 0 && byteLength === buffer.byteLength && byteLength >= MIN_OWN_BYTES;
  if (isItsOwn && buffer instanceof ArrayBuffer) buffer.transfer(0);
}
