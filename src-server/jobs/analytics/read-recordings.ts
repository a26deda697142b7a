/** The recordings of one analysis: read when a window needs them, forgotten when no later one does. */
import { RecordingPasses, type StoredRecording } from '../../analytics/index.ts';
import type { RecordingFeatures } from '../../analytics/types.ts';
import { openSignalFileSync } from '../../signals/index.ts';
import { ArrayMemory, ArraySpill } from './array-spill.ts';
import type { AnalysisRecording } from './contract.ts';

interface ReadFeatures {
  features: StoredRecording;
  spill: ArraySpill;
  /** What was found damaged in the file. */
  problems: string[];
}

/** Features of recordings already read: days that share a recording read it once. Recordings never change. */
const featuresById = new Map<string, ReadFeatures>();
/** Kept for the days that share a recording. Their memory is bounded by `arrays`, but each may have a file open. */
const MAX_KEPT_FEATURES = 8;
const arrays = new ArrayMemory();
/** A day of minutes: a recording of weeks can be cancelled while it is read. */
const PAGES_PER_PAUSE = 1440;

export class RecordingReader {
  /** Milliseconds spent reading. */
  featuresMs = 0;
  readonly #recordings: readonly AnalysisRecording[];
  /** Null for a recording of which nothing can be read. */
  readonly #read = new Map<string, StoredRecording | null>();
  readonly #problems = new Map<string, string[]>();

  constructor(recordings: readonly AnalysisRecording[]) {
    this.#recordings = recordings;
  }

  /** What was found damaged, in the order of the recordings. */
  get problems(): string[] {
    return this.#recordings.flatMap(({ recordingId }) => this.#problems.get(recordingId) ?? []);
  }

  /** Features of the recordings that touch a span; reads those that were not read ahead. */
  between = (fromMs: number, toMs: number): RecordingFeatures[] =>
    this.#recordings
      .filter((recording) => touches(recording, fromMs, toMs))
      .flatMap((recording) => this.#readNow(recording)?.around(fromMs, toMs) ?? []);

  /** The recordings that touch any of some spans and were not read yet. */
  unread(spans: readonly { fromMs: number; toMs: number }[]): AnalysisRecording[] {
    return this.#recordings.filter(
      (recording) =>
        !this.#read.has(recording.recordingId) && spans.some(({ fromMs, toMs }) => touches(recording, fromMs, toMs)),
    );
  }

  /** Reads a recording in steps; `pause` runs between them and may throw to end it. */
  async read(recording: AnalysisRecording, pause: () => Promise<void>): Promise<void> {
    const started = performance.now();
    const steps = featuresOf(recording);
    try {
      let step = steps.next();
      for (; !step.done; step = steps.next()) await pause();
      this.#note(recording, step.value);
    } finally {
      // After a cancel: closes the files of a recording that was read in part.
      steps.return(null);
    }
    this.featuresMs += performance.now() - started;
  }

  /** Forgets recordings that end before `fromMs`, except some that were read last. One that is needed after all is read again. */
  forgetBefore(fromMs: number): void {
    const needed = new Set(
      this.#recordings.filter(({ stopUs }) => stopUs / 1000 >= fromMs).map(({ recordingId }) => recordingId),
    );
    for (const [recordingId, { spill }] of featuresById) {
      if (featuresById.size <= MAX_KEPT_FEATURES) return;
      if (needed.has(recordingId)) continue;
      featuresById.delete(recordingId);
      this.#read.delete(recordingId);
      spill.close();
    }
  }

  #readNow(recording: AnalysisRecording): StoredRecording | null {
    const known = this.#read.get(recording.recordingId);
    if (known !== undefined) return known;
    const started = performance.now();
    const steps = featuresOf(recording);
    let step = steps.next();
    while (!step.done) step = steps.next();
    this.featuresMs += performance.now() - started;
    return this.#note(recording, step.value);
  }

  #note({ recordingId }: AnalysisRecording, found: ReadFeatures | null): StoredRecording | null {
    this.#problems.set(recordingId, found?.problems ?? [`Nothing of recording ${recordingId} can be read.`]);
    const features = found?.features ?? null;
    this.#read.set(recordingId, features);
    return features;
  }
}

function touches({ startUs, stopUs }: AnalysisRecording, fromMs: number, toMs: number): boolean {
  return startUs / 1000 < toMs && stopUs / 1000 >= fromMs;
}

/** Reads one recording, page by page, with a pause now and then. Null when the file opens but holds no sample that can be read. */
function* featuresOf(recording: AnalysisRecording): Generator<undefined, ReadFeatures | null> {
  const kept = featuresById.get(recording.recordingId);
  if (kept) return kept;
  const file = openSignalFileSync(recording.path);
  const spill = new ArraySpill(arrays);
  let isComplete = false;
  try {
    if (Number.isNaN(file.startUs)) return null;
    const reading = new RecordingPasses(recording.recordingId, recording.location, file.header.channels, spill);
    const { features } = reading;
    // Channel by channel, so that the buffers of one are free before the next one begins.
    for (const channel of reading.channels) {
      let pages = 0;
      for (const pass of reading.over([channel])) {
        for (const page of file.pagesInTurn(channel)) {
          pass.take(page);
          if (pass.isEnough) break;
          if (++pages % PAGES_PER_PAUSE === 0) yield;
        }
      }
    }
    features.finish(file.startUs, file.stopUs + 1);
    const read = { features, spill, problems: [...file.problems] };
    featuresById.set(recording.recordingId, read);
    isComplete = true;
    return read;
  } finally {
    if (!isComplete) spill.close();
    file.closeSync();
  }
}
