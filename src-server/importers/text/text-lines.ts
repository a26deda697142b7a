/** Lines of a text as strings, for files whose rows are few or irregular. */

/** No line of such a file is longer; what goes beyond is passed over. */
const MAX_LINE_CHARACTERS = 1 << 16;

/** Yields lines without line ends; a last line without one as well (see `isCut` of `LineState`). Any of LF, CR LF and CR ends a line. */
export async function* textLines(
  chunks: AsyncIterable<Uint8Array>,
  state: { isCut: boolean } = { isCut: false },
): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8');
  let rest = '';
  const parts = (text: string): string[] => {
    const lines = text.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop()!;
    if (rest.length > MAX_LINE_CHARACTERS) rest = rest.slice(0, MAX_LINE_CHARACTERS);
    return lines;
  };
  for await (const chunk of chunks) yield* parts(rest + decoder.decode(chunk, { stream: true }));
  const last = rest + decoder.decode();
  state.isCut = !/[\r\n]$/.test(last) && last.trim() !== '';
  yield* last.split(/\r\n|\n|\r/).filter((line) => line !== '');
}
