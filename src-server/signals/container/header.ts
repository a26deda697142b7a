/** Encodes and decodes the container header: magic, version, length, CRC and JSON (recording-format.md, section 2). */
import { OutpostError } from '../../errors.ts';
import { LIMITS } from '../codec/block.ts';
import { bytesEqual, viewOf } from '../codec/bytes.ts';
import type { CodecPlatform } from '../codec/platform.ts';

export const CONTAINER_VERSION = 1;
export const PREAMBLE_BYTES = 20;

/** Returns the length of preamble and JSON together. @throws SIGNAL_FILE_DAMAGED, UNSUPPORTED_FORMAT */
export function containerHeaderLength(magic: Uint8Array, preamble: Uint8Array, path: string): number {
  if (preamble.length < PREAMBLE_BYTES || !bytesEqual(preamble, 0, magic)) {
    throw new OutpostError('SIGNAL_FILE_DAMAGED', `${path} does not start with the signature of this file type.`);
  }
  const view = viewOf(preamble);
  const version = view.getUint16(8, true);
  if (version > CONTAINER_VERSION) {
    throw new OutpostError(
      'UNSUPPORTED_FORMAT',
      `${path} was written by a newer Outpost (format ${version}). Update Outpost to read it.`,
    );
  }
  const length = view.getUint32(12, true);
  if (version < 1 || length > LIMITS.headerBytes) {
    throw new OutpostError('SIGNAL_FILE_DAMAGED', `The header of ${path} is damaged.`);
  }
  return PREAMBLE_BYTES + length;
}

export function createHeaderCodec({ crc32c }: CodecPlatform) {
  /** Returns the preamble and JSON with which a file begins. @throws INVALID_INPUT over the size limit */
  function encodeContainerHeader(magic: Uint8Array, json: unknown): Uint8Array<ArrayBuffer> {
    const body = new TextEncoder().encode(JSON.stringify(json));
    if (body.length > LIMITS.headerBytes) {
      throw new OutpostError('INVALID_INPUT', `The recording's header takes ${body.length} bytes; at most 1 MiB fits.`);
    }
    const bytes = new Uint8Array(PREAMBLE_BYTES + body.length);
    const view = viewOf(bytes);
    bytes.set(magic, 0);
    view.setUint16(8, CONTAINER_VERSION, true);
    view.setUint16(10, 0, true);
    view.setUint32(12, body.length, true);
    bytes.set(body, PREAMBLE_BYTES);
    view.setUint32(16, crc32c(body, crc32c(bytes.subarray(0, 16))), true);
    return bytes;
  }

  /** Returns the JSON value of a header after checking its CRC. @throws SIGNAL_FILE_DAMAGED */
  function decodeContainerHeader(bytes: Uint8Array, path: string): unknown {
    const body = bytes.subarray(PREAMBLE_BYTES);
    if (crc32c(body, crc32c(bytes.subarray(0, 16))) !== viewOf(bytes).getUint32(16, true)) {
      throw new OutpostError('SIGNAL_FILE_DAMAGED', `The header of ${path} is damaged.`);
    }
    try {
      return JSON.parse(new TextDecoder('utf-8', { ignoreBOM: true }).decode(body));
    } catch (cause) {
      throw new OutpostError('SIGNAL_FILE_DAMAGED', `The header of ${path} is damaged.`, { cause });
    }
  }

  return { encodeContainerHeader, decodeContainerHeader };
}
