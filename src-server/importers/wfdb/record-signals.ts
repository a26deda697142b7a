/** The signals of a WFDB record over all its segments. */
import { type NamedSignal, nameSignal } from '../signal-names.ts';
import type { OpenRecord, OpenSegment } from './open-segments.ts';
import type { WfdbSignal } from './wfdb-header.ts';

/** A signal with one calibration. Segments that calibrate it otherwise have it as another. */
export interface RecordSignal {
  signal: WfdbSignal;
  named: NamedSignal;
  samplesPerFrame: number;
  /** Its description in each segment that has it. */
  parts: Map<OpenSegment, WfdbSignal>;
}

export function signalsOf({ segments }: OpenRecord, path: string, notes: string[]): RecordSignal[] {
  const found = new Map<string, RecordSignal>();
  for (const segment of segments) {
    const turns = new Map<string, number>();
    for (const signal of segment.files.flatMap(({ signals }) => signals)) {
      const { description, samplesPerFrame, gain, baseline, unit, isCalibrated, format } = signal;
      const plain = [description, samplesPerFrame, gain, baseline, unit, format.sampleBits].join('\0');
      // Two signals of one segment may have the same description.
      const turn = (turns.get(plain) ?? 0) + 1;
      turns.set(plain, turn);
      const key = `${plain}\0${turn}`;
      const known = found.get(key);
      if (known) {
        known.parts.set(segment, signal);
        continue;
      }
      const named = nameSignal(description, unit, true, path);
      if (named.note) notes.push(named.note);
      if (!isCalibrated) {
        notes.push(`${description} is not calibrated; the format's ${gain} counts per ${unit} were used.`);
      }
      found.set(key, { signal, named, samplesPerFrame, parts: new Map([[segment, signal]]) });
    }
  }
  return inOrderOfHeader([...found.values()]);
}

/** Files are read one by one; the signals of a segment lie in the order of its header. */
const inOrderOfHeader = (signals: RecordSignal[]): RecordSignal[] =>
  signals
    .map((signal, index) => ({ signal, index }))
    .sort((a, b) => a.signal.signal.index - b.signal.signal.index || a.index - b.index)
    .map(({ signal }) => signal);
