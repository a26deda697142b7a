/**
 * The heartbeats of one recording in every form of a study export. Beats are detected once, into a store of arrays, and each form
 * takes them from there one by one: memory does not grow with the beats of a recording that nobody corrected.
 */
import type { ArrayStore } from '../../analytics/index.ts';
import type { SignalFile } from '../../signals/index.ts';
import type { ExportOptions } from '../export-options.ts';
import type { PartContent } from '../study-export/part-file.ts';
import type { BeatsOfPart } from '../study-export/part-task.ts';
import { annotationFile, annotationRecord } from '../wfdb/annotations.ts';
import { headerText } from '../wfdb/header.ts';
import { beatRows, beatsTsv, inChunks } from './files.ts';
import { methodComments, methodJson } from './method.ts';
import type { BeatOrigin } from './origins.ts';
import { beatChannelOf, DetectedBeats } from './recording-beats.ts';

/** Members of a part; `auto` and `detected.txt` only where people corrected beats. */
export type BeatMember = 'beats.csv' | 'beats.json' | 'rr.txt' | 'hea' | 'qrs' | 'auto' | 'detected.txt';

const SOURCES: Readonly<Record<BeatOrigin, string>> = {
  ECG: 'detected in the ECG',
  RR: 'RR intervals reported by the sensor',
  PPI: 'pulse intervals reported by the sensor',
};

function* bytesOf(text: Iterable<string>): Generator<Uint8Array> {
  for (const chunk of text) yield Buffer.from(chunk);
}

/** The beats of a recording with corrections, as one text of BIDS; undefined for a recording without beats. */
export function beatsOfDataset(
  file: SignalFile,
  { corrections }: BeatsOfPart,
  options: ExportOptions,
  columns: readonly string[],
  store?: ArrayStore,
): Iterable<Uint8Array> | undefined {
  const channel = beatChannelOf(file);
  if (!channel) return undefined;
  const detected = new DetectedBeats(file, channel, options, store);
  return bytesOf(inChunks(beatsTsv((onGone) => detected.beats(corrections, onGone), columns, file.startUs)));
}

/**
 * Yields nothing for a recording without beats.
 * @param store where what is detected lies until the last form is written
 */
export function* beatContents(
  file: SignalFile,
  { name, corrections, method }: BeatsOfPart,
  options: ExportOptions,
  store?: ArrayStore,
): Generator<PartContent & { name: BeatMember }> {
  const channel = beatChannelOf(file);
  if (!channel) return;
  const detected = new DetectedBeats(file, channel, options, store);
  const [first] = detected.beats(corrections);
  const { facts, sampleOf } = annotationRecord(name, file, first?.timeUs);
  const isCorrected = corrections.length > 0;
  yield {
    name: 'beats.csv',
    content: bytesOf(beatRows('csv', (onGone) => detected.beats(corrections, onGone), isCorrected)),
  };
  yield { name: 'beats.json', content: bytesOf([methodJson(method, channel.origin)]) };
  yield { name: 'rr.txt', content: bytesOf(beatRows('kubios', () => detected.beats(corrections), isCorrected)) };
  yield {
    name: 'hea',
    content: bytesOf([headerText(facts, [], [`beats: ${SOURCES[channel.origin]}`, ...methodComments(method)])]),
  };
  yield { name: 'qrs', content: annotationFile(detected.beats(corrections), sampleOf) };
  if (!isCorrected) return;
  yield { name: 'auto', content: annotationFile(detected.beats(), sampleOf) };
  yield { name: 'detected.txt', content: bytesOf(beatRows('kubios', () => detected.beats(), false)) };
}
