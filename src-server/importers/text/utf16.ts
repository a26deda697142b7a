/** Texts that Windows programs save as "Unicode": UTF-16 with a byte order mark, read as UTF-8. */

/** The encoding that a byte order mark names; null for other bytes. */
export function utf16Of(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : null;
}

/** The chunks of a file; those of a UTF-16 text become UTF-8 without a mark. */
export async function* asUtf8(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let decoder: TextDecoder | null = null;
  const encoder = new TextEncoder();
  let isFirst = true;
  for await (const chunk of chunks) {
    if (isFirst) {
      const wide = utf16Of(chunk);
      if (wide) decoder = new TextDecoder(wide);
    }
    isFirst = false;
    yield decoder ? encoder.encode(decoder.decode(chunk, { stream: true })) : chunk;
  }
}
