/**
 * What the codec takes from its surroundings, so that the site and a browser run the same one. `../node-codec.ts` binds it to Node;
 * a browser brings a table for the checksum and stores blocks uncompressed.
 */
export interface CodecPlatform {
  /** CRC-32C of `bytes`; `before` continues the checksum of earlier bytes. */
  crc32c(bytes: Uint8Array, before?: number): number;
  /** One zstd frame; empty for no bytes. The result MUST NOT share memory with `raw`, which the caller uses again. */
  compressFrame(raw: Uint8Array): Uint8Array;
  /** Exactly `rawLength` bytes, or null when the frame is damaged or holds more or fewer. */
  decompressFrame(frame: Uint8Array, rawLength: number): Uint8Array | null;
  /** Frees the result of `decompressFrame`. */
  detachFrame(raw: Uint8Array): void;
}
