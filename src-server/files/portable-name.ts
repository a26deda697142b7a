/** Names of files that came from elsewhere, as every system can keep them: a site folder moves between Windows, macOS and Linux. */
import { isShownAsWritten } from '../vocabulary/shown-text.ts';

/** Of UTF-8: Linux keeps 255, of which a suffix of an unfinished file needs some. */
const LONGEST_BYTES = 220;
const NOT_ON_WINDOWS = /[<>:"/\\|?*]/g;
/** Devices on Windows, with any extension and with spaces in front of it. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3]) *(?:\.|$)/i;

/** Returns a name that every system keeps as it is, near the given one; empty when nothing of it can be kept. */
export function portableName(name: string): string {
  const kept = [...name]
    .map((letter) => (isShownAsWritten(letter) ? letter : '-'))
    .join('')
    .replaceAll(NOT_ON_WINDOWS, '-')
    .replace(/^\.+/, '');
  const whole = shortened(DEVICE.test(kept) ? `_${kept}` : kept);
  return whole.replace(/[. ]+$/, '');
}

/** Key by which two names are the same file on Windows or macOS. */
export function fileNameKey(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/** Keeps the extension, by which readers and people know a file. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= LONGEST_BYTES) return name;
  const extension = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? '';
  let stem = '';
  for (const letter of name.slice(0, name.length - extension.length)) {
    if (Buffer.byteLength(stem + letter + extension) > LONGEST_BYTES) break;
    stem += letter;
  }
  return stem + extension;
}
