/** The codec of the site: checksums in native code and zstd of Node. */
import { crc32c } from '@node-rs/crc32';
import { createSignalCodec } from './container/signal-codec.ts';
import { compressFrame, decompressFrame, detachFrame } from './node-frame.ts';

export const {
  encodeBlock,
  writeBlockHead,
  readBlockHead,
  isIntactPayload,
  encodeColumns,
  decodeColumns,
  encodePage,
  decodePage,
  encodeMarks,
  decodeMarks,
  encodeFooter,
  decodeTrailer,
  decodeIndex,
  encodeContainerHeader,
  decodeContainerHeader,
} = createSignalCodec({ crc32c, compressFrame, decompressFrame, detachFrame });
