/** Axivity CWA (AX3, AX6): what identifies a file, and its fixed sizes. */

export const HEADER_BYTES = 1024;
export const BLOCK_BYTES = 512;
/** `AX` and the length of what follows, 508. */
export const BLOCK_MAGIC = 0x01fc_5841;
/** `MD` and the length of what follows, 1020. */
const HEADER_MAGIC = 0x03fc_444d;

export const hasCwaHeader = (bytes: Buffer): boolean => bytes.length >= 4 && bytes.readUInt32LE(0) === HEADER_MAGIC;

/** A header, or, where it is damaged, a block at the place of the first or second one. */
export const isCwa = ({ bytes }: { bytes: Buffer }): boolean =>
  hasCwaHeader(bytes) ||
  [HEADER_BYTES, HEADER_BYTES + BLOCK_BYTES].some(
    (at) => bytes.length >= at + 4 && bytes.readUInt32LE(at) === BLOCK_MAGIC,
  );
