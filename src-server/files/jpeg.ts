/** Recognises a JPEG by its content, as far as storing it needs: its structure and dimensions. It changes no byte. */
import { OutpostError } from '../errors.ts';

export interface JpegFacts {
  width: number;
  height: number;
}

/** A picture of a phone's camera is smaller; a larger one could exhaust the memory of a browser that shows it. */
const MOST_PIXELS = 50_000_000;
const MOST_SIDE = 16_384;

const SOI = 0xd8;
const EOI = 0xd9;
const SOS = 0xda;
/** Start of frame: 0xc0 to 0xcf without the tables DHT, JPG and DAC. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
/** Markers without a length. */
const isAlone = (marker: number) => marker === 0x01 || (marker >= 0xd0 && marker <= SOI);

const notJpeg = (why: string) => new OutpostError('INVALID_INPUT', `The picture is not a JPEG: ${why}.`);

/** Returns the dimensions of a JPEG. @throws INVALID_INPUT for anything else, a cut file, or one with too many pixels */
export function readJpeg(bytes: Uint8Array): JpegFacts {
  if (bytes[0] !== 0xff || bytes[1] !== SOI) throw notJpeg('it does not begin as one');
  let facts: JpegFacts | undefined;
  for (let at = 2; ; ) {
    if (bytes[at] !== 0xff) throw notJpeg('its segments are damaged');
    // A marker may be preceded by any number of fill bytes.
    while (bytes[at] === 0xff) at++;
    const marker = bytes[at++];
    if (marker === undefined || marker === 0 || marker === EOI) throw notJpeg('it holds no picture');
    if (isAlone(marker)) continue;
    const length = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
    if (length < 2 || at + length > bytes.length) throw notJpeg('it is cut');
    if (isFrame(marker)) {
      if (length < 8) throw notJpeg('its segments are damaged');
      facts = {
        height: ((bytes[at + 3] ?? 0) << 8) | (bytes[at + 4] ?? 0),
        width: ((bytes[at + 5] ?? 0) << 8) | (bytes[at + 6] ?? 0),
      };
    }
    at += length;
    if (marker === SOS) break;
  }
  if (!facts || facts.width === 0 || facts.height === 0) throw notJpeg('it has no dimensions');
  if (!endsWithMarker(bytes)) throw notJpeg('it is cut');
  if (facts.width > MOST_SIDE || facts.height > MOST_SIDE || facts.width * facts.height > MOST_PIXELS) {
    throw new OutpostError(
      'INVALID_INPUT',
      `The picture has ${facts.width} × ${facts.height} pixels. Make it smaller and send it again.`,
    );
  }
  return facts;
}

/** Some cameras append data to the picture, so its end may be anywhere near the end of the file. */
function endsWithMarker(bytes: Uint8Array): boolean {
  for (let at = bytes.length - 2; at >= Math.max(2, bytes.length - 65_536); at--) {
    if (bytes[at] === 0xff && bytes[at + 1] === EOI) return true;
  }
  return false;
}
