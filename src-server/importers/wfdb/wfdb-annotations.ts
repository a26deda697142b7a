/** MIT annotation files (`.atr` and the like); G. Moody, WFDB Applications Guide, annot(5) and ecgcodes.h. */
import { damaged } from '../refusals.ts';

export interface WfdbAnnotation {
  sample: number;
  symbol: string;
  /** Meaning of the code. */
  description: string;
  /** Auxiliary text, such as the rhythm `(AFIB`. */
  auxiliary: string;
  isKnown: boolean;
}

const SKIP = 59;
const NUM = 60;
const SUB = 61;
const CHN = 62;
const AUX = 63;

/** Code, symbol, meaning. */
const CODES: readonly (readonly [number, string, string])[] = [
  [1, 'N', 'Normal beat'],
  [2, 'L', 'Left bundle branch block beat'],
  [3, 'R', 'Right bundle branch block beat'],
  [4, 'a', 'Aberrated atrial premature beat'],
  [5, 'V', 'Premature ventricular contraction'],
  [6, 'F', 'Fusion of ventricular and normal beat'],
  [7, 'J', 'Nodal premature beat'],
  [8, 'A', 'Atrial premature contraction'],
  [9, 'S', 'Supraventricular premature beat'],
  [10, 'E', 'Ventricular escape beat'],
  [11, 'j', 'Nodal escape beat'],
  [12, '/', 'Paced beat'],
  [13, 'Q', 'Unclassifiable beat'],
  [14, '~', 'Signal quality change'],
  [16, '|', 'Isolated QRS-like artifact'],
  [18, 's', 'ST change'],
  [19, 'T', 'T-wave change'],
  [20, '*', 'Systole'],
  [21, 'D', 'Diastole'],
  [22, '"', 'Comment'],
  [23, '=', 'Measurement'],
  [24, 'p', 'P-wave peak'],
  [25, 'B', 'Bundle branch block beat'],
  [26, '^', 'Non-conducted pacemaker spike'],
  [27, 't', 'T-wave peak'],
  [28, '+', 'Rhythm change'],
  [29, 'u', 'U-wave peak'],
  [30, '?', 'Learning'],
  [31, '!', 'Ventricular flutter wave'],
  [32, '[', 'Start of ventricular flutter or fibrillation'],
  [33, ']', 'End of ventricular flutter or fibrillation'],
  [34, 'e', 'Atrial escape beat'],
  [35, 'n', 'Supraventricular escape beat'],
  [36, '@', 'Link to external data'],
  [37, 'x', 'Non-conducted P-wave'],
  [38, 'f', 'Fusion of paced and normal beat'],
  [39, '(', 'Waveform onset'],
  [40, ')', 'Waveform end'],
  [41, 'r', 'R-on-T premature ventricular contraction'],
];

const MEANING = new Map(CODES.map(([code, symbol, description]) => [code, { symbol, description }]));
const BEAT_SYMBOLS = new Set('NLRaVFJASEj/QBenfr?'.split(''));

/** True for marks that are heartbeats. */
export function isBeat(annotation: WfdbAnnotation): boolean {
  return BEAT_SYMBOLS.has(annotation.symbol) && annotation.symbol !== '?';
}

/** A day of beats is about 100,000 annotations; a file with more than this is not an annotation file. */
const MAX_ANNOTATIONS = 1_000_000;

/**
 * Recognises an annotation file by content and returns its annotations; null when it is something else. Half of all files begin
 * like one, so every code must be known and nothing may follow the end mark.
 */
export function recogniseWfdbAnnotations(bytes: Buffer, path: string): WfdbAnnotation[] | null {
  try {
    const { annotations, end } = parse(bytes, path);
    const isWhole = bytes.subarray(end).every((byte) => byte === 0);
    return isWhole && annotations.length > 0 && annotations.every(({ isKnown }) => isKnown) ? annotations : null;
  } catch {
    return null;
  }
}

/** Returns all annotations of a file. @throws FILE_DAMAGED when the file is truncated */
export function parseWfdbAnnotations(bytes: Buffer, path: string): WfdbAnnotation[] {
  return parse(bytes, path).annotations;
}

function parse(bytes: Buffer, path: string): { annotations: WfdbAnnotation[]; end: number } {
  const annotations: WfdbAnnotation[] = [];
  let sample = 0;
  let at = 0;
  while (at + 2 <= bytes.length) {
    const word = bytes.readUInt16LE(at);
    at += 2;
    const code = word >> 10;
    const value = word & 0x3ff;
    if (code === 0 && value === 0) return { annotations, end: at };
    if (code === SKIP) {
      if (at + 4 > bytes.length) break;
      sample += (bytes.readUInt16LE(at) << 16) | bytes.readUInt16LE(at + 2);
      at += 4;
    } else if (code === AUX) {
      if (at + value > bytes.length) break;
      const last = annotations.at(-1);
      if (last) last.auxiliary = bytes.toString('utf8', at, at + value).replace(/\0.*$/s, '');
      at += value + (value & 1);
    } else if (code !== NUM && code !== SUB && code !== CHN) {
      sample += value;
      if (sample < 0) throw damaged(path, `annotation ${annotations.length + 1} lies before the start of the record.`);
      if (annotations.length === MAX_ANNOTATIONS)
        throw damaged(path, `it has more than ${MAX_ANNOTATIONS} annotations.`);
      const known = MEANING.get(code);
      const meaning = known ?? { symbol: `[${code}]`, description: `Annotation code ${code}` };
      annotations.push({ sample, ...meaning, auxiliary: '', isKnown: known !== undefined });
    }
  }
  throw damaged(path, 'its annotations end without the end mark; the file was cut off.');
}
