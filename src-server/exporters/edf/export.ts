/**
 * One recording as an EDF+ (or, for counts of more than 16 bits, BDF+) file, in one of three layouts:
 * - `uniform` (EDF+C): every signal on an even grid at its measured rate (`even-grid/`); gaps are filled with
 *   a physical zero and marked by annotations. Every EDF reader opens it.
 * - `discontinuous` (EDF+D): the same grid without the records that have no sample.
 * - `exact`: every count and time as recorded, with the sample times in extra signals (`timed-records.ts`).
 *
 * Scale and offset are rounded to the eight characters of the EDF header and stored exactly in the transducer text
 * (`Outpost origin divisor span low rate`, or `Outpost 0 0 scale offset rate`), so that an import restores the same scales.
 * The header shows the subject's local time; its offset from UTC is in the recording field.
 *
 * Beat intervals are no evenly spaced signal: each is an annotation at its beat, `RR 0.812 s` or `PPI 0.812 s`, in every layout.
 * A recording that holds nothing else has annotations alone, in records of a minute.
 */
import { rm } from 'node:fs/promises';
import { OutpostError, toOutpostError } from '../../errors.ts';
import { openSignalFile, type SignalFile } from '../../signals/index.ts';
import { type DayClock, fixedZone, offsetMsAt, zoneAt } from '../../study/day-windows.ts';
import { holdsIntervals } from '../../vocabulary/channels.ts';
import { checkWidth } from '../even-grid/count-limits.ts';
import { gapsOf, planGrid, recordsWithSamples } from '../even-grid/grid.ts';
import { Resampler } from '../even-grid/resampler.ts';
import { type ExportOptions, throwIfAborted, throwIfDamaged } from '../export-options.ts';
import { AnnotationSheet } from './annotations.ts';
import { addBeats, BEAT_RECORD_US } from './beats.ts';
import { EdfFileWriter } from './file-writer.ts';
import { type EdfSubject, patientField, recordingField } from './identification.ts';
import { clockSignal, countLimits, signalsOf } from './signals.ts';
import { ChannelCursor, type CutRecord, cutRecords, planSteady, type SteadyPlan } from './timed-records.ts';

/** A label, task, beat or note of the subject's, in epoch microseconds. */
export interface EdfLabel {
  startUs: number;
  stopUs: number;
  displayName: string;
  value?: string;
}

export type EdfLayout = 'uniform' | 'discontinuous' | 'exact';

export interface EdfExportOptions extends ExportOptions {
  /** `EDF` has 16 bits per sample, `BDF` 24. Default EDF. */
  format?: 'EDF' | 'BDF';
  /** Default `uniform`. */
  layout?: EdfLayout;
  /** Written as annotations, the value after a colon. */
  labels?: Iterable<EdfLabel> | AsyncIterable<EdfLabel>;
  /** If absent, the file does not name a subject. */
  subject?: EdfSubject;
  /** The zones in which the subject was. Default UTC. */
  clock?: DayClock;
}

export interface EdfExportResult {
  sizeBytes: number;
  /** `EDF+C`, `EDF+D`, `BDF+C` or `BDF+D`. */
  format: string;
}

interface Scope {
  file: SignalFile;
  /** Channels of signals that have samples. */
  channels: number[];
  /** Channels of beat intervals that have samples. */
  beatChannels: number[];
  outPath: string;
  bytesPerSample: 2 | 3;
  options: EdfExportOptions;
}

const FULL_RECORD = 0.9;

/**
 * Writes a new file at `outPath`, which must not exist. Streams; on failure or cancel the file is removed.
 * @throws UNSUPPORTED_FORMAT (counts too wide, almost nothing but gaps), FILE_EMPTY, CANCELLED, SIGNAL_FILE_DAMAGED,
 * NOT_FOUND, DISK_FULL
 */
export async function exportEdf(
  signalPath: string,
  outPath: string,
  options: EdfExportOptions = {},
): Promise<EdfExportResult> {
  throwIfAborted(options.signal);
  const file = await openSignalFile(signalPath, options.view);
  try {
    throwIfDamaged(signalPath, file.problems);
    const bytesPerSample = options.format === 'BDF' ? 3 : 2;
    const filled = file.header.channels.map((_, index) => index).filter((index) => file.sampleCounts[index]! > 0);
    const beatChannels = filled.filter((index) => holdsIntervals(file.header.channels[index]!));
    const channels = filled.filter((index) => !beatChannels.includes(index));
    if (filled.length === 0) throw new OutpostError('FILE_EMPTY', 'The recording has no samples to export.');
    const isWide = channels.some((index) => file.header.channels[index]!.sampleBits === 32);
    if (isWide && bytesPerSample === 2) {
      throw new OutpostError(
        'UNSUPPORTED_FORMAT',
        'The recording has samples of more than 16 bits, which EDF+ cannot hold. Export it as BDF+ or as a ZIP of CSV.',
      );
    }
    const scope: Scope = { file, channels, beatChannels, outPath, bytesPerSample, options };
    return await writeLayout(scope, () => throwIfDamaged(signalPath, file.problems));
  } catch (thrown) {
    throw toOutpostError(thrown);
  } finally {
    await file.close();
  }
}

/** @param check throws when samples could not be read */
async function writeLayout(scope: Scope, check: () => void): Promise<EdfExportResult> {
  const { layout = 'uniform', signal } = scope.options;
  if (scope.channels.length === 0) return await writeBeats(scope, check);
  if (layout !== 'exact') return await writeGrid(scope, layout === 'discontinuous', check);
  const plan = planSteady(scope.file, scope.channels, signal);
  return plan ? await writeSteady(scope, plan, check) : await writeTimed(scope, check);
}

/** Labels and faults. Those that began earlier begin with the file, since readers drop annotations before the start. */
async function annotations(
  { file, beatChannels, options }: Scope,
  zeroUs: number,
  startUs: number,
): Promise<AnnotationSheet> {
  const sheet = new AnnotationSheet(zeroUs);
  for await (const { startUs: fromUs, stopUs, displayName, value } of options.labels ?? []) {
    const onsetUs = Math.max(fromUs, startUs);
    const name = value ? `${displayName}: ${value}` : displayName;
    const text = fromUs < startUs ? `${name} (began earlier)` : name;
    sheet.add({ onsetUs, durationUs: Math.max(0, stopUs - onsetUs), text });
  }
  for (const index of beatChannels) addBeats(sheet, file, index, options);
  for (const { timeUs, reason, channel } of await file.marks()) {
    const text = `Fault: ${reason} (${file.header.channels[channel]!.type})`;
    sheet.add({ onsetUs: Math.max(timeUs, startUs), durationUs: 0, text });
  }
  return sheet;
}

type Description = Pick<
  Parameters<typeof EdfFileWriter.create>[1],
  'isDiscontinuous' | 'startSecondMs' | 'recordCount' | 'recordDurationUs' | 'signals' | 'annotationBytes'
>;

async function writing(
  scope: Scope,
  description: Description,
  fill: (writer: EdfFileWriter) => Promise<void>,
): Promise<EdfExportResult> {
  const { file, options, bytesPerSample } = scope;
  const { startSecondMs } = description;
  const zone = zoneAt(startSecondMs, options.clock ?? fixedZone('UTC'));
  const utcOffsetMinutes = Math.round(offsetMsAt(startSecondMs, zone) / 60_000);
  const writer = await EdfFileWriter.create(scope.outPath, {
    ...description,
    utcOffsetMinutes,
    bytesPerSample,
    patient: patientField(options.subject),
    recording: recordingField(file.header, utcOffsetMinutes, zone),
  });
  try {
    await fill(writer);
    const { sizeBytes } = await writer.finish();
    const family = bytesPerSample === 3 ? 'BDF' : 'EDF';
    return { sizeBytes, format: `${family}+${description.isDiscontinuous ? 'D' : 'C'}` };
  } catch (thrown) {
    await writer.abort();
    await rm(scope.outPath, { force: true });
    throw thrown;
  }
}

const secondBefore = (us: number): number => Math.floor(us / 1e6) * 1000;

async function writeGrid(scope: Scope, isDiscontinuous: boolean, check: () => void): Promise<EdfExportResult> {
  const { file, channels, bytesPerSample, options } = scope;
  const grid = planGrid(file, channels, isDiscontinuous);
  const { startUs, recordDurationUs } = grid;
  const present = isDiscontinuous ? recordsWithSamples(grid) : new Uint8Array(grid.recordCount).fill(1);
  const recordCount = present.reduce((sum, one) => sum + one, 0);
  const startSecondMs = secondBefore(startUs);
  const sheet = await annotations(scope, startSecondMs * 1000, startUs);
  for (const planned of grid.channels) {
    const { type } = file.header.channels[planned.channel]!;
    for (const { firstPlace, stopPlace } of gapsOf(grid, planned)) {
      const onsetUs = startUs + firstPlace * planned.periodUs;
      sheet.add({ onsetUs, durationUs: (stopPlace - firstPlace) * planned.periodUs, text: `Gap: ${type}` });
    }
  }
  const dealer = sheet.deal(recordCount, bytesPerSample);
  const limits = countLimits(bytesPerSample);
  const description = {
    isDiscontinuous,
    startSecondMs,
    recordCount,
    recordDurationUs,
    signals: grid.channels.flatMap(({ channel, samplesPerRecord }) =>
      signalsOf(file.header.channels[channel]!, samplesPerRecord, bytesPerSample),
    ),
    annotationBytes: dealer.bytesPerRecord,
  };
  const totalSamples = file.sampleCounts.reduce((sum, count) => sum + count, 0);
  return writing(scope, description, async (writer) => {
    const resamplers = grid.channels.map((planned) => new Resampler(file, planned, startUs, limits));
    const columns = grid.channels.map(({ channel, samplesPerRecord }) =>
      file.header.channels[channel]!.dimensions.map(() => new Int32Array(samplesPerRecord)),
    );
    const flat = columns.flat();
    for (let record = 0; record < grid.recordCount; record++) {
      if (present[record] === 0) continue;
      throwIfAborted(options.signal);
      resamplers.forEach((resampler, c) => {
        resampler.fill(record, columns[c]!);
      });
      await writer.record(flat, dealer.take(startUs + record * recordDurationUs));
      options.onProgress?.(
        resamplers.reduce((sum, { doneSamples }) => sum + doneSamples, 0),
        totalSamples,
      );
    }
    check();
  });
}

/** A recording of beat intervals alone: annotations, and no signal. */
async function writeBeats(scope: Scope, check: () => void): Promise<EdfExportResult> {
  const { file, bytesPerSample, options } = scope;
  const startSecondMs = secondBefore(file.startUs);
  const sheet = await annotations(scope, startSecondMs * 1000, file.startUs);
  const recordCount = Math.floor((file.stopUs - startSecondMs * 1000) / BEAT_RECORD_US) + 1;
  const dealer = sheet.deal(recordCount, bytesPerSample);
  const description = {
    isDiscontinuous: false,
    startSecondMs,
    recordCount,
    recordDurationUs: BEAT_RECORD_US,
    signals: [],
    annotationBytes: dealer.bytesPerRecord,
  };
  return writing(scope, description, async (writer) => {
    for (let record = 0; record < recordCount; record++) {
      throwIfAborted(options.signal);
      await writer.record([], dealer.take(startSecondMs * 1000 + record * BEAT_RECORD_US));
    }
    check();
  });
}

async function writeSteady(scope: Scope, plan: SteadyPlan, check: () => void): Promise<EdfExportResult> {
  const { file, channels, bytesPerSample, options } = scope;
  const limits = countLimits(bytesPerSample);
  const startSecondMs = secondBefore(plan.startUs);
  const zeroUs = startSecondMs * 1000;
  const sheet = await annotations(scope, zeroUs, plan.startUs);
  const end = { onsetUs: plan.endUs, durationUs: 0, text: 'Recording ends' };
  const dealer = sheet.deal(plan.recordCount, bytesPerSample, end);
  const signals = channels.flatMap((index, c) =>
    signalsOf(file.header.channels[index]!, plan.samplesPerRecord[c]!, bytesPerSample),
  );
  const description = {
    isDiscontinuous: false,
    startSecondMs,
    recordCount: plan.recordCount,
    recordDurationUs: plan.recordDurationUs,
    signals,
    annotationBytes: dealer.bytesPerRecord,
  };
  const totalSamples = file.sampleCounts.reduce((sum, count) => sum + count, 0);
  return writing(scope, description, async (writer) => {
    const cursors = channels.map((index) => new ChannelCursor(file, index));
    const columns = channels.map((index, c) =>
      file.header.channels[index]!.dimensions.map(() => new Int32Array(plan.samplesPerRecord[c]!)),
    );
    let doneSamples = 0;
    for (let record = 0; record < plan.recordCount; record++) {
      throwIfAborted(options.signal);
      cursors.forEach((cursor, c) => {
        let row = 0;
        for (; row < plan.samplesPerRecord[c]! && cursor.nextUs !== Number.POSITIVE_INFINITY; row++) {
          cursor.take(columns[c]!, row);
        }
        doneSamples += row;
        for (const column of columns[c]!) column.fill(row > 0 ? column[row - 1]! : column[column.length - 1]!, row);
        checkWidth(columns[c]!, limits);
      });
      await writer.record(columns.flat(), dealer.take(plan.startUs + record * plan.recordDurationUs));
      options.onProgress?.(doneSamples, totalSamples);
    }
    check();
  });
}

async function writeTimed(scope: Scope, check: () => void): Promise<EdfExportResult> {
  const { file, channels, bytesPerSample, options } = scope;
  const rates = channels.map((index) => file.header.channels[index]!.nominalRateHz);
  const reference = rates.indexOf(Math.max(...rates));
  const leaderPages = file.pageIndex[channels[reference]!]!;
  const longest = leaderPages.reduce((best, page) => (page.count > best.count ? page : best));
  const periodUs =
    longest.count > 1 ? (longest.lastUs - longest.firstUs) / (longest.count - 1) : 1e6 / rates[reference]!;
  const samplesPerRecord = Math.max(1, Math.round(1e6 / periodUs));
  const cut = (): Generator<CutRecord> => cutRecords(file, channels, reference, samplesPerRecord, periodUs);

  let recordCount = 0;
  let firstUs = 0;
  let previousUs = Number.NEGATIVE_INFINITY;
  let shortestUs = Math.floor(samplesPerRecord * periodUs);
  let farthestUs = 1;
  const capacities = channels.map(() => 1);
  for (const record of cut()) {
    throwIfAborted(options.signal);
    if (recordCount++ === 0) firstUs = record.onsetUs;
    const spacingUs = record.onsetUs - previousUs;
    // A short record before a gap of the fastest channel does not count towards the common duration.
    if (spacingUs >= samplesPerRecord * periodUs * FULL_RECORD) shortestUs = Math.min(shortestUs, spacingUs);
    previousUs = record.onsetUs;
    record.counts.forEach((count, c) => {
      capacities[c] = Math.max(capacities[c]!, count);
      if (count === 0) return;
      farthestUs = Math.max(
        farthestUs,
        Math.abs(record.times[c]![0]! - record.onsetUs),
        Math.abs(record.times[c]![count - 1]! - record.onsetUs),
      );
    });
  }
  const limits = countLimits(bytesPerSample);
  const tickUs = Math.ceil(farthestUs / limits.most);
  const noSample = limits.least;
  const startSecondMs = secondBefore(firstUs);
  const sheet = await annotations(scope, startSecondMs * 1000, firstUs);
  const dealer = sheet.deal(recordCount, bytesPerSample);
  const description = {
    isDiscontinuous: true,
    startSecondMs,
    recordCount,
    recordDurationUs: shortestUs,
    signals: channels.flatMap((index, c) => [
      ...signalsOf(file.header.channels[index]!, capacities[c]!, bytesPerSample),
      clockSignal(`Clock ${c + 1}`, tickUs, capacities[c]!, bytesPerSample),
    ]),
    annotationBytes: dealer.bytesPerRecord,
  };
  const totalSamples = file.sampleCounts.reduce((sum, count) => sum + count, 0);
  return writing(scope, description, async (writer) => {
    const clocks = capacities.map((capacity) => new Int32Array(capacity));
    const last = channels.map((index) => file.header.channels[index]!.dimensions.map(() => 0));
    let doneSamples = 0;
    for (const record of cut()) {
      throwIfAborted(options.signal);
      const samples: Int32Array[] = [];
      record.counts.forEach((count, c) => {
        clocks[c]!.fill(noSample);
        for (let i = 0; i < count; i++) clocks[c]![i] = Math.round((record.times[c]![i]! - record.onsetUs) / tickUs);
        const columns = record.columns[c]!.map((column) => column.subarray(0, capacities[c]));
        columns.forEach((column, d) => {
          if (count > 0) last[c]![d] = column[count - 1]!;
          column.fill(last[c]![d]!, count);
        });
        checkWidth(columns, limits);
        samples.push(...columns, clocks[c]!);
        doneSamples += count;
      });
      await writer.record(samples, dealer.take(record.onsetUs));
      options.onProgress?.(doneSamples, totalSamples);
    }
    check();
  });
}
