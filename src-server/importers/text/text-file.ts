/** A text file, also packed with gzip: its first lines, and the bytes behind them. */
import { basename } from 'node:path';
import { fileChunks } from '../csv/mc10-source.ts';
import { fileSize } from '../source-bytes.ts';

const LINE_FEED = 10;
/** No header of a known format is longer. */
const MAX_HEAD_BYTES = 1 << 18;

export interface TextFile {
  path: string;
  name: string;
  sizeBytes: number;
  /** The lines above the rows, without line ends and byte-order mark; fewer of a shorter file. */
  lines: string[];
  /** The bytes behind these lines; can be called again. `onBytes` is called with bytes of `sizeBytes`. */
  rows(onBytes?: (bytes: number) => void): AsyncGenerator<Uint8Array>;
}

export async function openTextFile(path: string, lineCount: number): Promise<TextFile> {
  const sizeBytes = await fileSize(path);
  const head = await headBytes(path, lineCount);
  const lines = head
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .split('\n')
    .slice(0, lineCount)
    .map((line) => line.replace(/\r$/, ''));
  let headLength = 0;
  for (let i = 0; i < lineCount; i++) {
    const lineEnd = head.indexOf(LINE_FEED, headLength);
    headLength = lineEnd < 0 ? head.length : lineEnd + 1;
  }
  return {
    path,
    name: basename(path),
    sizeBytes,
    lines,
    async *rows(onBytes) {
      let above = headLength;
      for await (const chunk of fileChunks(path, onBytes)) {
        if (above < chunk.byteLength) yield above > 0 ? chunk.subarray(above) : chunk;
        above = Math.max(0, above - chunk.byteLength);
      }
    },
  };
}

/** At least the first lines. */
async function headBytes(path: string, lineCount: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  let lines = 0;
  for await (const chunk of fileChunks(path)) {
    const part = chunk.subarray(0, MAX_HEAD_BYTES - bytes);
    parts.push(part);
    bytes += part.byteLength;
    for (let at = part.indexOf(LINE_FEED); at >= 0 && lines < lineCount; at = part.indexOf(LINE_FEED, at + 1)) lines++;
    if (lines >= lineCount || bytes >= MAX_HEAD_BYTES) break;
  }
  return Buffer.concat(parts);
}
