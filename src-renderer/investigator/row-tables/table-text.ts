/** The text of a table that a person chose as a file. Pure. */

const startsWith = (bytes: Uint8Array, ...mark: number[]) => mark.every((byte, at) => bytes[at] === byte);

/**
 * Decodes a table as spreadsheets save it: UTF-8, UTF-16 with its mark ("Unicode text"), or else the code page that Excel uses
 * for CSV on a computer of this language.
 */
export function tableText(bytes: Uint8Array, language: string): string {
  if (startsWith(bytes, 0xff, 0xfe)) return new TextDecoder('utf-16le').decode(bytes);
  if (startsWith(bytes, 0xfe, 0xff)) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder(language === 'ja' ? 'shift_jis' : 'windows-1252').decode(bytes);
  }
}
