/** Makes one part of a study export. Reads with blocking calls: for worker threads. */
import { openSignalFile, type SignalView } from '../../signals/index.ts';
import { beatContents, beatsOfDataset } from '../beats/part.ts';
import { BEAT_COLUMNS } from '../bids/derived-columns.ts';
import { BEATS_MEMBER, runContents, textMember } from '../bids/runs.ts';
import { throwIfAborted } from '../export-options.ts';
import { PARQUET_MEMBER, recordingParquet } from '../parquet/recording.ts';
import { type PartContent, writePart } from './part-file.ts';
import type { PartMaker, PartTask } from './part-task.ts';

type Contents = (
  task: PartTask,
  view: SignalView | undefined,
  options: Parameters<PartMaker>[1],
  problems: string[],
) => AsyncGenerator<PartContent>;

const CONTENTS: Record<PartTask['format'], Contents> = {
  BEATS: async function* ({ signalPath, beats }, view, { signal, onSamples, arrays }, problems) {
    const file = await openSignalFile(signalPath, view);
    try {
      if (beats) yield* beatContents(file, beats, { signal, view, onProgress: onSamples }, arrays);
      problems.push(...file.problems);
    } finally {
      await file.close();
    }
  },
  PARQUET: async function* ({ signalPath }, view, { signal, onSamples }, problems) {
    const onDamage = (found: readonly string[]) => problems.push(...found);
    const content = recordingParquet(signalPath, { view, signal, onDamage, onProgress: onSamples });
    yield { name: PARQUET_MEMBER, content };
  },
  BIDS: async function* ({ signalPath, beats }, view, { signal, onSamples, arrays }, problems) {
    const file = await openSignalFile(signalPath, view);
    try {
      let done = 0;
      const onRows = (rows: number): void => {
        throwIfAborted(signal);
        done += rows;
        onSamples(done);
      };
      yield* runContents(file, onRows);
      const text = beats && beatsOfDataset(file, beats, { signal, view }, Object.keys(BEAT_COLUMNS), arrays);
      if (text) yield textMember(BEATS_MEMBER, text);
      problems.push(...file.problems);
    } finally {
      await file.close();
    }
  },
};

/** @throws CANCELLED, DISK_FULL and other errors of writing */
export const makePart: PartMaker = async (task, options) => {
  const { shown } = task;
  const view = shown && { header: () => shown.header, reason: (reason: string) => reason, shiftUs: shown.shiftUs };
  const problems: string[] = [];
  throwIfAborted(options.signal);
  const contents = CONTENTS[task.format](task, view, options, problems);
  await writePart(task.outputPath, task.key, contents, () => problems);
};
