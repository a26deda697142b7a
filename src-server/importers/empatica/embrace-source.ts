/**
 * Raw files of the Empatica EmbracePlus: Avro, one record each, at most half an hour. Several files of one device are joined by the
 * start times of their signals; the rate is the one that each file measured.
 */
import { basename } from 'node:path';
import { OutpostError } from '../../errors.ts';
import { scaleAndOffset } from '../../signals/exact-values.ts';
import type { SignalChannel, SignalPage } from '../../signals/types.ts';
import { EvenPager } from '../even-values.ts';
import { intervalPages, pulseIntervalChannel } from '../intervals.ts';
import { makeHeader } from '../recording-header.ts';
import { empty, throwIfAborted } from '../refusals.ts';
import { sourceHash } from '../source-bytes.ts';
import type { ImportedLabel, ImportedRecording, ImportOptions, ImportSource } from '../types.ts';
import type { ValueGrid } from '../value-grid.ts';
import { readEmbraceFile, STREAMS } from './embrace-file.ts';
import { beatsOf, type FileFacts, factsOf, type Grids, type JoinedSpan, joined, type Span } from './embrace-joints.ts';

export async function openEmbracePlus(paths: string[], options: ImportOptions): Promise<ImportSource> {
  const byDevice = new Map<string, { files: FileFacts[]; grids: Grids }>();
  const leftOut: string[] = [];
  let problem: unknown;
  for (const path of paths) {
    throwIfAborted(options.signal);
    try {
      const file = await readEmbraceFile(path);
      const device = byDevice.get(file.serial) ?? { files: [] as FileFacts[], grids: new Map() as Grids };
      device.files.push(factsOf(file, device.grids));
      byDevice.set(file.serial, device);
    } catch (thrown) {
      if (paths.length === 1 || !(thrown instanceof OutpostError) || thrown.code === 'CANCELLED') throw thrown;
      problem ??= thrown;
      leftOut.push(`${basename(path)} was left out: ${thrown.message}`);
    }
  }
  const recordings: ImportedRecording[] = [];
  for (const { files, grids } of byDevice.values()) {
    recordings.push(await openDevice(files, grids, [...leftOut], options));
  }
  if (recordings.length === 0) throw problem ?? empty(paths[0]!, 'no signal in it has samples.');
  return {
    format: 'EmbracePlus Avro',
    clock: { kind: 'UTC' },
    recordings,
    labels: [],
    close: () => Promise.resolve(),
  };
}

async function openDevice(
  files: FileFacts[],
  grids: Grids,
  notes: string[],
  options: ImportOptions,
): Promise<ImportedRecording> {
  const startOf = (file: FileFacts): number => Math.min(...file.spans.map(({ startUs }) => startUs));
  files.sort((a, b) => startOf(a) - startOf(b));
  notes.push(...files.flatMap((file) => file.notes));
  const keys = [...grids.keys()].sort((a, b) => orderOf(a) - orderOf(b));
  const plans = new Map<Span, JoinedSpan>();
  const channels: SignalChannel[] = [];
  const steps: { stepsPerValue: number[]; sampleBits: 16 | 32 }[] = [];
  for (const key of keys) {
    const spans = files.flatMap((file) => file.spans.filter((span) => span.key === key));
    const plan = joined(spans);
    for (const [span, one] of plan.spans) plans.set(span, one);
    const { kind } = spans[0]!;
    const what = `${kind.field}: `;
    if (plan.gaps > 0) notes.push(`${what}${plan.gaps} gaps between the files.`);
    if (plan.repeated > 0) notes.push(`${what}${plan.repeated} samples that two files hold were read once.`);
    const { channel, stepsPerValue } = channelOf(spans, grids.get(key) as ValueGrid, channels, notes);
    channels.push(channel);
    steps.push({ stepsPerValue, sampleBits: channel.sampleBits });
  }
  const beats = beatsOf(files);
  if (beats.length > 0) {
    channels.push(pulseIntervalChannel());
    notes.push(
      `${beats.length} pulse intervals were taken between the systolic peaks of an optical sensor. Their variability is pulse-rate variability.`,
    );
  }
  const tags = [...new Set(files.flatMap(({ tagsUs }) => tagsUs))].sort((a, b) => a - b);
  const labels: ImportedLabel[] = tags.map((timeUs) => ({ startUs: timeUs, stopUs: timeUs, displayName: 'Button' }));
  const paths = files.map(({ path }) => path);
  const sha256 = options.withoutHash ? '' : await sourceHash(paths, options.signal);
  let doneFiles = 0;
  async function* pages(): AsyncGenerator<SignalPage> {
    for (const facts of files) {
      throwIfAborted(options.signal);
      const { streams } = await readEmbraceFile(facts.path);
      for (const [i, span] of facts.spans.entries()) {
        const plan = plans.get(span) as JoinedSpan;
        const channel = keys.indexOf(span.key);
        const pager = new EvenPager({ ...plan, channel, ...steps[channel]! });
        const columns = streams[i]!.columns;
        const nothing = columns.map(() => Number.NaN);
        for (let row = 0; row < plan.count; row++) {
          yield* pager.push(row < plan.skipped ? nothing : columns.map((column) => column[row]!));
        }
        yield* pager.flush();
      }
      doneFiles++;
    }
    if (beats.length > 0) yield* intervalPages(keys.length, beats);
  }
  const { serial, subjectCode, firmware } = files[0]!;
  const device = { maker: 'Empatica' as const, model: 'EmbracePlus', serial, subjectCode, firmware };
  const source = { format: 'EmbracePlus Avro', fileName: basename(paths[0]!), sha256 };
  return {
    header: makeHeader({ channels, source, device }, options),
    pages,
    labels,
    marks: tags.map((timeUs) => ({ channel: 0, timeUs, reason: 'BUTTON' })),
    notes,
    progress: () => ({ doneBytes: doneFiles, totalBytes: files.length }),
  };
}

const orderOf = (key: string): number => STREAMS.findIndex(({ field }) => field === key.split(' ')[0]);

function channelOf(
  spans: Span[],
  grid: ValueGrid,
  before: readonly SignalChannel[],
  notes: string[],
): { channel: SignalChannel; stepsPerValue: number[] } {
  const { kind, rule, periodUs } = spans[0]!;
  const found = grid.finish();
  const isCounts = rule !== null && found.isExact && found.stepsPerValue === 1;
  if (!found.isExact) notes.push(`${kind.field}: values were rounded to about a billionth of the largest.`);
  const exact = kind.dimensions.map(() => (isCounts ? rule : found.rule));
  const plain = exact.map(scaleAndOffset);
  const turn = before.filter(({ type }) => type.replace(/_\d+$/, '') === kind.type).length + 1;
  return {
    channel: {
      type: turn === 1 ? kind.type : `${kind.type}_${turn}`,
      dimensions: kind.dimensions,
      unit: kind.unit,
      nominalRateHz: Number((1e6 / periodUs).toPrecision(4)),
      scale: plain.map(({ scale }) => scale),
      offset: plain.map(({ offset }) => offset),
      sampleBits: found.sampleBits,
      exact,
    },
    stepsPerValue: kind.dimensions.map(() => found.stepsPerValue),
  };
}
