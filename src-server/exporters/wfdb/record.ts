/**
 * A recording as WFDB records in a ZIP: one record per channel, since channels have clocks of their own, on an even grid at its measured
 * rate; places without a sample hold the value that WFDB defines for "no sample". Beats are an annotation file of annotator `qrs`, because
 * `atr` is kept for annotations that people made. Signal and header formats: G. Moody, WFDB Applications Guide, signal(5), header(5).
 */
import { createWriteStream } from 'node:fs';
import { ANALYTICS_VERSION } from '../../analytics/index.ts';
import { OutpostError, toOutpostError } from '../../errors.ts';
import { openSignalFile, type SignalFile } from '../../signals/index.ts';
import type { SignalChannel } from '../../signals/types.ts';
import { holdsIntervals } from '../../vocabulary/channels.ts';
import { methodComments, methodJson } from '../beats/method.ts';
import { beatChannelOf, beatsOfFile } from '../beats/recording-beats.ts';
import { planGrid, type UniformGrid } from '../even-grid/grid.ts';
import { Resampler } from '../even-grid/resampler.ts';
import { type ExportOptions, throwIfAborted, throwIfDamaged } from '../export-options.ts';
import { type MemberContent, ZipWriter } from '../zip-writer.ts';
import { annotationFile, annotationRecord } from './annotations.ts';
import { type HeaderSignal, headerText } from './header.ts';

/** The least count of 32 bits means "no sample" in WFDB; of 16 bits, -32768. */
const NO_SAMPLE = -(2 ** 31);
const NO_SAMPLE_16 = -32_768;
const LIMITS = { least: NO_SAMPLE + 1, most: 2 ** 31 - 1 };

/** Samples of a channel as a signal file, with what its header needs to know of them. */
class SignalData {
  readonly signals: HeaderSignal[];
  readonly sampleCount: number;
  readonly #grid: UniformGrid;
  readonly #resampler: Resampler;
  readonly #is16: boolean;
  readonly #onRows: (done: number) => void;

  constructor(file: SignalFile, index: number, grid: UniformGrid, fileName: string, onRows: (done: number) => void) {
    const channel = file.header.channels[index]!;
    const [planned] = grid.channels;
    this.#grid = grid;
    this.#onRows = onRows;
    this.#is16 = channel.sampleBits === 16;
    this.sampleCount = planned!.runs.at(-1)?.stopPlace ?? 0;
    this.#resampler = new Resampler(file, planned!, grid.startUs, LIMITS, NO_SAMPLE);
    this.signals = channel.dimensions.map((_, dimension) => ({
      fileName,
      format: this.#is16 ? 16 : 32,
      channel,
      dimension,
      firstCount: 0,
      checksum: 0,
    }));
  }

  *content(): Generator<Uint8Array> {
    const { samplesPerRecord } = this.#grid.channels[0]!;
    const width = this.signals.length;
    const rows = this.signals.map(() => new Int32Array(samplesPerRecord));
    for (let record = 0; record * samplesPerRecord < this.sampleCount; record++) {
      this.#resampler.fill(record, rows);
      const count = Math.min(samplesPerRecord, this.sampleCount - record * samplesPerRecord);
      const out = this.#is16 ? new Int16Array(count * width) : new Int32Array(count * width);
      for (const [s, signal] of this.signals.entries()) {
        const values = rows[s]!;
        let sum = 0;
        for (let i = 0; i < count; i++) {
          const value = this.#is16 ? narrowed(values[i]!) : values[i]!;
          out[i * width + s] = value;
          sum = (sum + value) | 0;
        }
        if (record === 0) signal.firstCount = out[s]!;
        // 16 bits of the sum, with sign.
        signal.checksum = ((signal.checksum + sum) << 16) >> 16;
      }
      this.#onRows(this.#resampler.doneSamples);
      yield new Uint8Array(out.buffer);
    }
  }
}

/** Interpolation may overshoot, and the least count is taken. */
const narrowed = (count: number): number =>
  count === NO_SAMPLE ? NO_SAMPLE_16 : Math.min(Math.max(count, NO_SAMPLE_16 + 1), 32_767);

/** Names that differ within the recording: letters, digits and underscores, as WFDB wants them. */
function recordNames(channels: readonly SignalChannel[]): string[] {
  const taken = new Set<string>();
  return channels.map(({ type }) => {
    const stem = type.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_');
    let name = stem;
    for (let turn = 2; taken.has(name); turn++) name = `${stem}_${turn}`;
    taken.add(name);
    return name;
  });
}

const README = `Each channel of the recording is one WFDB record: NAME.hea and NAME.dat. Times in headers are UTC.

Signals lie on an even grid at their measured rate: waveforms are interpolated, other signals take the
nearest sample. Places without a sample hold the WFDB value for "no sample". The exact counts and times
are in the ZIP of CSV and in EDF (exact).

NAME.qrs has the heartbeats, at the nearest sample: N used in variability, Q early or odd (used for the
heart rate alone), | doubtful. The CSV of beats has their times to the microsecond. NAME.json has with what they
were found, which the header has as comments.
`;

const CORRECTED = `
People corrected beats of this recording: NAME.qrs has the corrected ones, with the types that people gave,
NAME.auto those that were detected.
`;

/**
 * Writes a new ZIP at `outPath`. Streams: memory does not grow with the length, beats aside.
 * @throws FILE_EMPTY, UNSUPPORTED_FORMAT (almost nothing but gaps), CANCELLED, SIGNAL_FILE_DAMAGED, NOT_FOUND, DISK_FULL
 */
export async function writeWfdbZip(signalPath: string, outPath: string, options: ExportOptions = {}): Promise<void> {
  const { signal, onProgress } = options;
  const file = await openSignalFile(signalPath, options.view);
  const zip = new ZipWriter(createWriteStream(outPath, { flags: 'wx' }), 'few');
  try {
    throwIfDamaged(signalPath, file.problems);
    const { channels } = file.header;
    const names = recordNames(channels);
    const filled = channels.map((_, index) => index).filter((index) => file.sampleCounts[index]! > 0);
    if (filled.length === 0) throw new OutpostError('FILE_EMPTY', 'The recording has no samples to export.');
    const beats = beatChannelOf(file);
    const total = filled.reduce((sum, index) => sum + file.sampleCounts[index]!, 0);
    const comments = options.method ? methodComments(options.method) : [];
    let before = 0;
    for (const index of filled) {
      const name = names[index]!;
      const add = async (extension: string, content: MemberContent) => await zip.add(`${name}.${extension}`, content);
      const onRows = (done: number) => {
        throwIfAborted(signal);
        onProgress?.(before + Math.min(done, file.sampleCounts[index]!), total);
      };
      const notes = beats?.index === index ? [`beats: Outpost analytics ${ANALYTICS_VERSION}`, ...comments] : [];
      const clock = holdsIntervals(channels[index]!)
        ? await addIntervals(file, name, add, notes, firstBeatUs(file, beats, options))
        : await addSignal(file, index, name, add, onRows, notes);
      if (beats?.index === index) {
        const { view, corrections = [] } = options;
        await add('qrs', annotationFile(beatsOfFile(file, beats, { signal, view, corrections }), clock));
        if (options.method) await add('json', [methodJson(options.method, beats.origin)]);
        if (corrections.length > 0) await add('auto', annotationFile(beatsOfFile(file, beats, { signal }), clock));
      }
      before += file.sampleCounts[index]!;
    }
    await zip.add('ReadMe.txt', [README, ...(options.corrections?.length ? [CORRECTED] : [])]);
    throwIfDamaged(signalPath, file.problems);
    await zip.finish();
  } catch (thrown) {
    const error = toOutpostError(thrown);
    zip.abort(error);
    throw error;
  } finally {
    await file.close();
  }
}

type Add = (extension: string, content: MemberContent) => Promise<unknown>;
type SampleOf = (timeUs: number) => number;

async function addSignal(
  file: SignalFile,
  index: number,
  name: string,
  add: Add,
  onRows: (done: number) => void,
  notes: readonly string[],
): Promise<SampleOf> {
  const grid = planGrid(file, [index], false);
  const { periodUs } = grid.channels[0]!;
  const data = new SignalData(file, index, grid, `${name}.dat`, onRows);
  await add('dat', data.content());
  const facts = { name, rateHz: 1e6 / periodUs, sampleCount: data.sampleCount, startUs: grid.startUs };
  await add('hea', [headerText(facts, data.signals, notes)]);
  return (timeUs) => Math.min(data.sampleCount - 1, Math.max(0, Math.round((timeUs - grid.startUs) / periodUs)));
}

function firstBeatUs(
  file: SignalFile,
  channel: ReturnType<typeof beatChannelOf>,
  { view, corrections, signal }: ExportOptions,
): number | undefined {
  if (!channel) return undefined;
  const [first] = beatsOfFile(file, channel, { view, corrections, signal });
  return first?.timeUs;
}

/** Beats of a sensor that measures no waveform: a record of annotations alone. */
async function addIntervals(
  file: SignalFile,
  name: string,
  add: Add,
  notes: readonly string[],
  firstUs: number | undefined,
): Promise<SampleOf> {
  const { facts, sampleOf } = annotationRecord(name, file, firstUs);
  await add('hea', [headerText(facts, [], notes)]);
  return sampleOf;
}
