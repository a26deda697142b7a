/** The bytes of a delimited text as UTF-8 without a byte order mark, also of a gzip or UTF-16 file. */
import { gunzipSync, constants as zlib } from 'node:zlib';
import { fileChunks } from '../csv/mc10-source.ts';
import { utf16Of } from '../text/utf16.ts';

const withoutMark = (bytes: Uint8Array): Uint8Array =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;

export async function* textChunks(path: string, onBytes?: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  for await (const chunk of fileChunks(path, onBytes)) {
    yield isFirst ? withoutMark(chunk) : chunk;
    isFirst = false;
  }
}

/** The same of the first bytes of a file; null when they are no text. */
export function textOfHead(head: Uint8Array): Uint8Array | null {
  let bytes = head;
  if (head[0] === 0x1f && head[1] === 0x8b) {
    try {
      bytes = gunzipSync(head, { finishFlush: zlib.Z_SYNC_FLUSH, maxOutputLength: 8 << 20 });
    } catch {
      return null;
    }
  }
  const wide = utf16Of(bytes);
  if (wide) {
    const whole = bytes.subarray(0, bytes.byteLength - (bytes.byteLength % 2));
    bytes = new TextEncoder().encode(new TextDecoder(wide).decode(whole));
  }
  bytes = withoutMark(bytes);
  return isText(bytes) ? bytes : null;
}

/** Control characters other than tabs and line ends do not occur in texts. */
function isText(bytes: Uint8Array): boolean {
  if (bytes.byteLength === 0) return false;
  for (const byte of bytes) {
    if (byte < 32 && byte !== 9 && byte !== 10 && byte !== 13 && byte !== 12) return false;
  }
  return true;
}
