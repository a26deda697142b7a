/** MIT annotation files, which hold beats; G. Moody, WFDB Applications Guide, annot(5) and ecgcodes.h. */
import { BEAT_CODES } from '../../vocabulary/corrections.ts';
import type { BeatUse, ExportedBeat } from '../beats/recording-beats.ts';
import type { RecordFacts } from './header.ts';

/** Codes of the annotations that this project writes where no person gave a beat its type: a normal beat, an unclassifiable one, an isolated QRS-like artefact. */
const CODES: Readonly<Record<BeatUse, number>> = { USED: 1, EARLY_OR_ODD: 13, DOUBTFUL: 16 };

/** Rate of a record that has annotations and no signal: times are exact to a millisecond. */
const ANNOTATION_HZ = 1000;

/**
 * The clock of a record that has annotations and no signal.
 * @param firstUs time of the first annotation: an interval may begin before the recording does. Epoch microseconds
 */
export function annotationRecord(name: string, file: { startUs: number; stopUs: number }, firstUs = file.startUs) {
  const startUs = Math.min(file.startUs, firstUs);
  const sampleOf = (timeUs: number): number => Math.max(0, Math.round(((timeUs - startUs) * ANNOTATION_HZ) / 1e6));
  const facts: RecordFacts = { name, rateHz: ANNOTATION_HZ, sampleCount: sampleOf(file.stopUs) + 1, startUs };
  return { facts, sampleOf };
}

const SKIP = 59;
const CODE_SHIFT = 10;
/** Intervals that fit the ten bits beside a code. */
const MOST_INTERVAL = 1023;

/** Two bytes of an annotation: code and samples since the one before. */
const word = (code: number, interval: number): [number, number] => {
  const value = (code << CODE_SHIFT) | interval;
  return [value & 0xff, value >> 8];
};

/**
 * Yields an annotation file, a beat at the sample that is nearest to it.
 * @param sampleOf sample number of a time in epoch microseconds
 */
export function* annotationFile(
  beats: Iterable<ExportedBeat>,
  sampleOf: (timeUs: number) => number,
): Generator<Uint8Array> {
  let last = 0;
  let bytes: number[] = [];
  for (const { timeUs, use, code: typeGiven } of beats) {
    const code = typeGiven === undefined ? CODES[use] : BEAT_CODES[typeGiven].number;
    const sample = Math.max(last, sampleOf(timeUs));
    const interval = sample - last;
    if (interval > MOST_INTERVAL) {
      // High half first, as on a PDP-11, each half with its low byte first.
      bytes.push(...word(SKIP, 0), ...halves(interval), ...word(code, 0));
    } else bytes.push(...word(code, interval));
    last = sample;
    if (bytes.length < 1 << 15) continue;
    yield Uint8Array.from(bytes);
    bytes = [];
  }
  yield Uint8Array.from([...bytes, 0, 0]);
}

const halves = (value: number): number[] => [
  (value >>> 16) & 0xff,
  (value >>> 24) & 0xff,
  value & 0xff,
  (value >>> 8) & 0xff,
];
