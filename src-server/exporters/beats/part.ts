/** The heartbeats of one recording in every form of a study export. Beats are detected once and kept while they are written. */
import type { SignalFile } from '../../signals/index.ts';
import type { ExportOptions } from '../export-options.ts';
import type { PartContent } from '../study-export/part-file.ts';
import type { BeatsOfPart } from '../study-export/part-task.ts';
import { annotationFile, annotationRecord } from '../wfdb/annotations.ts';
import { headerText } from '../wfdb/header.ts';
import { beatRows } from './files.ts';
import { type BeatOrigin, beatChannelOf, beatsOfFile, type ExportedBeat, type GoneBeat } from './recording-beats.ts';

/** Members of a part; `auto` and `detected.txt` only where people corrected beats. */
export type BeatMember = 'beats.csv' | 'rr.txt' | 'hea' | 'qrs' | 'auto' | 'detected.txt';

const SOURCES: Readonly<Record<BeatOrigin, string>> = {
  ECG: 'detected in the ECG',
  RR: 'RR intervals reported by the sensor',
  PPI: 'pulse intervals reported by the sensor',
};

function* bytesOf(text: Iterable<string>): Generator<Uint8Array> {
  for (const chunk of text) yield Buffer.from(chunk);
}

interface Beats {
  kept: ExportedBeat[];
  gone: GoneBeat[];
}

/** Yields nothing for a recording without beats. */
export function* beatContents(
  file: SignalFile,
  { name, corrections }: BeatsOfPart,
  options: ExportOptions,
): Generator<PartContent & { name: BeatMember }> {
  const channel = beatChannelOf(file);
  if (!channel) return;
  const read = (one: ExportOptions): Beats => {
    const gone: GoneBeat[] = [];
    return {
      kept: [
        ...beatsOfFile(file, channel, one, (found) => {
          // More than a call can take as arguments: an excluded span may hold days of beats.
          for (const one of found) gone.push(one);
        }),
      ],
      gone,
    };
  };
  const shown = read({ ...options, corrections });
  const { facts, sampleOf } = annotationRecord(name, file, shown.kept[0]?.timeUs);
  const isCorrected = corrections.length > 0;
  yield { name: 'beats.csv', content: bytesOf(beatRows('csv', replay(shown), isCorrected)) };
  yield { name: 'rr.txt', content: bytesOf(beatRows('kubios', replay(shown), isCorrected)) };
  yield { name: 'hea', content: bytesOf([headerText(facts, [], [`beats: ${SOURCES[channel.origin]}`])]) };
  yield { name: 'qrs', content: annotationFile(shown.kept, sampleOf) };
  if (!isCorrected) return;
  const detected = read({ signal: options.signal, view: options.view });
  yield { name: 'auto', content: annotationFile(detected.kept, sampleOf) };
  yield { name: 'detected.txt', content: bytesOf(beatRows('kubios', replay(detected), false)) };
}

const replay =
  ({ kept, gone }: Beats) =>
  (onGone?: (gone: GoneBeat[]) => void): Iterable<ExportedBeat> => {
    onGone?.(gone);
    return kept;
  };
