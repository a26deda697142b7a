/**
 * One recording as an EDF+ (or, for counts of more than 16 bits, BDF+) file. Counts go out as they are; scale and offset
 * stand rounded in the header's eight characters, as EDF demands, and exactly in the transducer text
 * (`Outpost origin divisor span low rate`, or `Outpost 0 0 scale offset rate`), so that reading the file back gives the
 * same channels. Times are UTC. How the recording's time is kept: see `edf-records.ts`.
 */
import { rm } from 'node:fs/promises';
import { OutpostError, toOutpostError } from '../errors.ts';
import { openSignalFile, type SignalFile } from '../signals/index.ts';
import type { SignalChannel, SignalMark } from '../signals/types.ts';
import { ChannelCursor, type CutRecord, cutRecords, planSteady, type SteadyPlan } from './edf-records.ts';
import { annotationList, EdfFileWriter, type EdfSignal } from './edf-writer.ts';
import { type ExportOptions, throwIfAborted, throwIfDamaged } from './export-options.ts';

interface EdfLabel {
  startUs: number;
  stopUs: number;
  displayName: string;
  value?: string;
}

export interface EdfExportOptions extends ExportOptions {
  /** `EDF` has 16 bits per sample, `BDF` 24. Default EDF. */
  format?: 'EDF' | 'BDF';
  /** Written as annotations, with their value behind a colon. */
  labels?: readonly EdfLabel[];
  /** EDF+ patient field: code, sex, birth date, name; `X` for what is not told. */
  patient?: string;
}

export interface EdfExportResult {
  sizeBytes: number;
  /** `EDF+C`, `EDF+D`, `BDF+C` or `BDF+D`. */
  format: string;
}

interface Scope {
  file: SignalFile;
  /** Channels that have samples. */
  channels: number[];
  outPath: string;
  bytesPerSample: 2 | 3;
  texts: { onsetUs: number; durationUs: number; text: string }[];
  options: EdfExportOptions;
}

const TRANSDUCER_CHARACTERS = 80;
const START_LIST_BYTES = 40;
const FULL_RECORD = 0.9;

/**
 * Writes a new file at `outPath`, which must not exist. Streams; on failure or cancel the file is removed.
 * Throws UNSUPPORTED_FORMAT (counts too wide), FILE_EMPTY, CANCELLED, SIGNAL_FILE_DAMAGED, NOT_FOUND, DISK_FULL.
 */
export async function exportEdf(
  signalPath: string,
  outPath: string,
  options: EdfExportOptions = {},
): Promise<EdfExportResult> {
  throwIfAborted(options.signal);
  const file = await openSignalFile(signalPath);
  try {
    throwIfDamaged(signalPath, file.problems);
    const bytesPerSample = options.format === 'BDF' ? 3 : 2;
    const channels = file.header.channels.map((_, index) => index).filter((index) => file.sampleCounts[index] > 0);
    if (channels.length === 0) throw new OutpostError('FILE_EMPTY', 'The recording has no samples to export.');
    const isWide = channels.some((index) => file.header.channels[index].sampleBits === 32);
    if (isWide && bytesPerSample === 2) {
      throw new OutpostError(
        'UNSUPPORTED_FORMAT',
        'The recording has samples of more than 16 bits, which EDF+ cannot hold. Export it as BDF+ or as a ZIP of CSV.',
      );
    }
    const texts = annotationTexts(options.labels ?? [], await file.marks(), file.header.channels);
    const scope: Scope = { file, channels, outPath, bytesPerSample, texts, options };
    const plan = planSteady(file, channels, options.signal);
    const result = plan ? await writeSteady(scope, plan) : await writeTimed(scope);
    throwIfDamaged(signalPath, file.problems);
    return result;
  } catch (thrown) {
    throw toOutpostError(thrown);
  } finally {
    await file.close();
  }
}

function annotationTexts(labels: readonly EdfLabel[], marks: SignalMark[], channels: SignalChannel[]): Scope['texts'] {
  const fromLabels = labels.map(({ startUs, stopUs, displayName, value }) => ({
    onsetUs: startUs,
    durationUs: Math.max(0, stopUs - startUs),
    text: value ? `${displayName}: ${value}` : displayName,
  }));
  const fromMarks = marks.map(({ timeUs, reason, channel }) => ({
    onsetUs: timeUs,
    durationUs: 0,
    text: `Fault: ${reason} (${channels[channel].type})`,
  }));
  return [...fromLabels, ...fromMarks].sort((a, b) => a.onsetUs - b.onsetUs);
}

/** Unit and factor of an EDF signal: potentials in mV, as EDF readers expect of an ECG. */
function edfUnit(channel: SignalChannel): { unit: string; factor: number } {
  if (channel.unit === 'V') return { unit: 'mV', factor: 1000 };
  if (channel.unit === 'dps') return { unit: 'deg/s', factor: 1 };
  return { unit: channel.unit.replaceAll(/[µμ]/g, 'u'), factor: 1 };
}

function labelOf(channel: SignalChannel, dimension: string): string {
  if (channel.type === 'ACCEL') return `Accel ${dimension.toUpperCase()}`;
  if (channel.type === 'GYRO') return `Gyro ${dimension.toUpperCase()}`;
  return dimension === 'v' ? channel.type : `${channel.type} ${dimension}`;
}

function exactText(channel: SignalChannel, dimension: number): string {
  const rule = channel.exact?.[dimension];
  const rate = Number(channel.nominalRateHz.toPrecision(7));
  const text = rule ? `Outpost ${rule.origin} ${rule.divisor} ${rule.span} ${rule.low} ${rate}` : '';
  if (text !== '' && text.length <= TRANSDUCER_CHARACTERS) return text;
  return `Outpost 0 0 ${channel.scale[dimension]} ${channel.offset[dimension]} ${rate}`;
}

function signalsOf(channel: SignalChannel, samplesPerRecord: number, bytesPerSample: 2 | 3): EdfSignal[] {
  const digitalMaximum = bytesPerSample === 3 ? 8_388_607 : 32_767;
  const digitalMinimum = -digitalMaximum - 1;
  const { unit, factor } = edfUnit(channel);
  return channel.dimensions.map((dimension, d) => ({
    label: labelOf(channel, dimension),
    transducer: exactText(channel, d),
    unit,
    physicalMinimum: (digitalMinimum * channel.scale[d] + channel.offset[d]) * factor,
    physicalMaximum: (digitalMaximum * channel.scale[d] + channel.offset[d]) * factor,
    digitalMinimum,
    digitalMaximum,
    prefilter: '',
    samplesPerRecord,
  }));
}

function clockSignal(name: string, tickUs: number, samplesPerRecord: number, bytesPerSample: 2 | 3): EdfSignal {
  const digitalMaximum = bytesPerSample === 3 ? 8_388_607 : 32_767;
  return {
    label: name,
    transducer: 'Time of each sample after the start of its record; minimum: filled place',
    unit: 'us',
    physicalMinimum: (-digitalMaximum - 1) * tickUs,
    physicalMaximum: digitalMaximum * tickUs,
    digitalMinimum: -digitalMaximum - 1,
    digitalMaximum,
    prefilter: '',
    samplesPerRecord,
  };
}

function recordingText({ header }: SignalFile): string {
  const { location, side } = header.physicalConfig;
  return `X X Outpost ${location || 'OTHER'} ${side || 'NONE'} ${header.udid.replaceAll(/\s+/g, '_') || 'unknown'}`;
}

/** Annotation lists dealt out to records in order of time, each record within the same number of bytes. */
class AnnotationDealer {
  readonly #lists: Buffer[];
  #next = 0;
  readonly bytesPerRecord: number;

  constructor(texts: Scope['texts'], zeroUs: number, recordCount: number, bytesPerSample: 2 | 3, endList = 0) {
    this.#lists = texts.map((text) => annotationList({ ...text, onsetUs: text.onsetUs - zeroUs }));
    const total = this.#lists.reduce((sum, list) => sum + list.length, 0);
    const longest = this.#lists.reduce((most, list) => Math.max(most, list.length), 0);
    const needed = START_LIST_BYTES + endList + longest + Math.ceil(total / recordCount);
    this.bytesPerRecord = Math.ceil(needed / (bytesPerSample * 2)) * bytesPerSample * 2;
    this.#room = this.bytesPerRecord - START_LIST_BYTES - endList;
  }

  readonly #room: number;

  /** The lists of the next record: its own start first. */
  deal(onsetUs: number, more: Buffer[] = []): Buffer {
    const lists = [annotationList({ onsetUs, durationUs: 0, text: '' })];
    let used = 0;
    while (this.#next < this.#lists.length && used + this.#lists[this.#next].length <= this.#room) {
      used += this.#lists[this.#next].length;
      lists.push(this.#lists[this.#next++]);
    }
    return Buffer.concat([...lists, ...more]);
  }
}

async function writing(
  scope: Scope,
  description: Omit<Parameters<typeof EdfFileWriter.create>[1], 'patient' | 'recording' | 'bytesPerSample'>,
  fill: (writer: EdfFileWriter) => Promise<void>,
): Promise<EdfExportResult> {
  const writer = await EdfFileWriter.create(scope.outPath, {
    ...description,
    bytesPerSample: scope.bytesPerSample,
    patient: scope.options.patient ?? 'X X X X',
    recording: recordingText(scope.file),
  });
  try {
    await fill(writer);
    const { sizeBytes } = await writer.finish();
    const family = scope.bytesPerSample === 3 ? 'BDF' : 'EDF';
    return { sizeBytes, format: `${family}+${description.isDiscontinuous ? 'D' : 'C'}` };
  } catch (thrown) {
    await writer.abort();
    await rm(scope.outPath, { force: true });
    throw thrown;
  }
}

async function writeSteady(scope: Scope, plan: SteadyPlan): Promise<EdfExportResult> {
  const { file, channels, bytesPerSample, texts, options } = scope;
  const startSecondMs = Math.floor(plan.startUs / 1e6) * 1000;
  const zeroUs = startSecondMs * 1000;
  const end = annotationList({ onsetUs: plan.endUs - zeroUs, durationUs: 0, text: 'Recording ends' });
  const dealer = new AnnotationDealer(texts, zeroUs, plan.recordCount, bytesPerSample, end.length);
  const signals = channels.flatMap((index, c) =>
    signalsOf(file.header.channels[index], plan.samplesPerRecord[c], bytesPerSample),
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
      file.header.channels[index].dimensions.map(() => new Int32Array(plan.samplesPerRecord[c])),
    );
    let doneSamples = 0;
    for (let record = 0; record < plan.recordCount; record++) {
      throwIfAborted(options.signal);
      cursors.forEach((cursor, c) => {
        let row = 0;
        for (; row < plan.samplesPerRecord[c] && cursor.nextUs !== Number.POSITIVE_INFINITY; row++) {
          cursor.take(columns[c], row);
        }
        doneSamples += row;
        for (const column of columns[c]) column.fill(row > 0 ? column[row - 1] : column[column.length - 1], row);
        checkWidth(columns[c], bytesPerSample);
      });
      const onsetUs = plan.startUs - zeroUs + record * plan.recordDurationUs;
      const isLast = record === plan.recordCount - 1;
      await writer.record(columns.flat(), dealer.deal(onsetUs, isLast ? [end] : []));
      options.onProgress?.(doneSamples, totalSamples);
    }
  });
}

async function writeTimed(scope: Scope): Promise<EdfExportResult> {
  const { file, channels, bytesPerSample, texts, options } = scope;
  const rates = channels.map((index) => file.header.channels[index].nominalRateHz);
  const reference = rates.indexOf(Math.max(...rates));
  const leaderPages = file.pageIndex[channels[reference]];
  const longest = leaderPages.reduce((best, page) => (page.count > best.count ? page : best));
  const periodUs =
    longest.count > 1 ? (longest.lastUs - longest.firstUs) / (longest.count - 1) : 1e6 / rates[reference];
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
    // A record that only bridges a break of the fastest channel may be short; it does not set the common duration.
    if (spacingUs >= samplesPerRecord * periodUs * FULL_RECORD) shortestUs = Math.min(shortestUs, spacingUs);
    previousUs = record.onsetUs;
    record.counts.forEach((count, c) => {
      capacities[c] = Math.max(capacities[c], count);
      if (count === 0) return;
      farthestUs = Math.max(
        farthestUs,
        Math.abs(record.times[c][0] - record.onsetUs),
        Math.abs(record.times[c][count - 1] - record.onsetUs),
      );
    });
  }
  const tickUs = Math.ceil(farthestUs / (bytesPerSample === 3 ? 8_388_607 : 32_767));
  const noSample = bytesPerSample === 3 ? -8_388_608 : -32_768;
  const startSecondMs = Math.floor(firstUs / 1e6) * 1000;
  const zeroUs = startSecondMs * 1000;
  const dealer = new AnnotationDealer(texts, zeroUs, recordCount, bytesPerSample);
  const description = {
    isDiscontinuous: true,
    startSecondMs,
    recordCount,
    recordDurationUs: shortestUs,
    signals: channels.flatMap((index, c) => [
      ...signalsOf(file.header.channels[index], capacities[c], bytesPerSample),
      clockSignal(`Clock ${c + 1}`, tickUs, capacities[c], bytesPerSample),
    ]),
    annotationBytes: dealer.bytesPerRecord,
  };
  const totalSamples = file.sampleCounts.reduce((sum, count) => sum + count, 0);
  return writing(scope, description, async (writer) => {
    const clocks = capacities.map((capacity) => new Int32Array(capacity));
    const last = channels.map((index) => file.header.channels[index].dimensions.map(() => 0));
    let doneSamples = 0;
    for (const record of cut()) {
      throwIfAborted(options.signal);
      const samples: Int32Array[] = [];
      record.counts.forEach((count, c) => {
        clocks[c].fill(noSample);
        for (let i = 0; i < count; i++) clocks[c][i] = Math.round((record.times[c][i] - record.onsetUs) / tickUs);
        const columns = record.columns[c].map((column) => column.subarray(0, capacities[c]));
        columns.forEach((column, d) => {
          if (count > 0) last[c][d] = column[count - 1];
          column.fill(last[c][d], count);
        });
        checkWidth(columns, bytesPerSample);
        samples.push(...columns, clocks[c]);
        doneSamples += count;
      });
      await writer.record(samples, dealer.deal(record.onsetUs - zeroUs));
      options.onProgress?.(doneSamples, totalSamples);
    }
  });
}

/** BDF holds 24 bits; a channel of 32 may have wider counts. */
function checkWidth(columns: readonly Int32Array[], bytesPerSample: 2 | 3): void {
  const limit = bytesPerSample === 3 ? 8_388_607 : 32_767;
  for (const column of columns) {
    for (const count of column) {
      if (count > limit || count < -limit - 1) {
        throw new OutpostError(
          'UNSUPPORTED_FORMAT',
          'The recording has samples of more than 24 bits, which BDF+ cannot hold. Export it as a ZIP of CSV.',
        );
      }
    }
  }
}
