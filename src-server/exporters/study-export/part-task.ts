/** How parts of a study export are asked for; `part-file.ts` has what they are. */
import type { ArrayStore, Correction } from '../../analytics/index.ts';
import type { SignalHeader } from '../../signals/types.ts';
import type { BeatsMethod } from '../beats/method.ts';

export type PartFormat = 'BEATS' | 'BIDS' | 'PARQUET';

/** What a part of beats needs beside the recording. */
export interface BeatsOfPart {
  /** Record name of the annotation files. */
  name: string;
  /** By people, in force, in their order; at the times of the stored recording. */
  corrections: readonly Correction[];
  method: BeatsMethod;
}

/** What a part is made from; plain data, so that a worker thread can be asked for it. */
export interface PartTask {
  format: PartFormat;
  /** Hash of everything that decides the bytes. */
  key: string;
  signalPath: string;
  /** What a de-identified export shows of the recording: its header and the shift of its times. */
  shown?: { header: SignalHeader; shiftUs: number };
  beats?: BeatsOfPart;
  outputPath: string;
}

export type PartMaker = (
  task: PartTask,
  options: {
    signal: AbortSignal;
    onSamples: (done: number) => void;
    /** Where detected beats lie while they are written; in memory by default. */
    arrays?: ArrayStore;
  },
) => Promise<void>;

/** How parts are made, where, and how many at once. */
export interface PartWorkshop {
  /** Exists as long as the export is unfinished. */
  dir: string;
  atOnce: number;
  make: PartMaker;
}
