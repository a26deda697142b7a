/** Text as its DEFLATE, with what containers (gzip, ZIP) say of the text itself. */
import { Readable } from 'node:stream';
import { constants, crc32, createDeflateRaw } from 'node:zlib';

/** Three times as fast as the default for a file that is a fifth larger; compression is nearly all of the work. */
const LEVEL = constants.Z_BEST_SPEED;
const CHUNK_BYTES = 1 << 17;

const GZIP_HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255);

/** What the trailer of a container says of the text. */
export interface TextSums {
  crc32: number;
  sizeBytes: number;
}

/** What an archive says of a member that it holds compressed. */
export interface TextFacts extends TextSums {
  sha256: string;
}

/** Receives the text before it is compressed, in pieces that are valid during the call. */
export type TextListener = (piece: Uint8Array) => void;

export interface DeflatedText {
  content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
  /** Sums of the text, known after the content was read to its end. */
  sums(): TextSums;
}

/** Compresses any text with zlib. */
export function deflatedText(text: Iterable<Uint8Array>, onText?: TextListener): DeflatedText {
  const sums = { crc32: 0, sizeBytes: 0 };
  function* read(): Generator<Uint8Array> {
    for (const bytes of text) {
      onText?.(bytes);
      sums.crc32 = crc32(bytes, sums.crc32);
      sums.sizeBytes += bytes.length;
      yield bytes;
    }
  }
  async function* content(): AsyncGenerator<Uint8Array> {
    const deflate = createDeflateRaw({ level: LEVEL, chunkSize: CHUNK_BYTES });
    const source = Readable.from(read(), { objectMode: false });
    source.on('error', (error) => deflate.destroy(error));
    try {
      yield* source.pipe(deflate) as AsyncIterable<Uint8Array>;
    } finally {
      source.destroy();
    }
  }
  return { content: content(), sums: () => sums };
}

/** The same as a gzip file. */
export async function* gzipOf({ content, sums }: DeflatedText): AsyncGenerator<Uint8Array> {
  yield GZIP_HEADER;
  yield* content;
  const text = sums();
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(text.crc32, 0);
  trailer.writeUInt32LE(text.sizeBytes % 2 ** 32, 4);
  yield trailer;
}
