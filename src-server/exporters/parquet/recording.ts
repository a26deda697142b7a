/**
 * One recording as a Parquet file: one row per sample, each row group of one channel.
 *
 * Columns: `type` (`ECG`, `ACCEL`, ...), `time` (UTC instant, microseconds), and one double per dimension (`v`, `x`, `y`,
 * `z`), null where the row's channel has no such dimension. Rates differ between channels, so rows are not aligned; times
 * are those of the sensor, and gaps in them are gaps in the recording. The metadata entry `recording` (JSON) holds the origin
 * of the recording and each channel's dimensions, unit and nominal rate.
 */
import { openSignalFile, type SignalFile, sampleTimesUs } from '../../signals/index.ts';
import type { SignalChannel, SignalPage } from '../../signals/types.ts';
import { type ExportOptions, throwIfAborted, throwIfDamaged } from '../export-options.ts';
import { CountColumn } from './count-column.ts';
import { TimePacker } from './delta-times.ts';
import { SampleFile, type SampleGroup } from './sample-file.ts';
import type { ParquetColumn } from './table.ts';

/** The member of a part of a study export that holds the file. */
export const PARQUET_MEMBER = 'parquet';

/** Nine minutes at 250 Hz, 1 MB of encoded values: readers skip groups by time, and scan several at once. */
const ROWS_PER_GROUP = 131_072;

export interface RecordingParquetOptions extends ExportOptions {
  /** Receives damaged pages, which are then skipped; without it, damage aborts the export. */
  onDamage?: (problems: readonly string[]) => void;
}

function tellDamage(file: SignalFile, { onDamage }: RecordingParquetOptions): void {
  if (!onDamage) throwIfDamaged(file.path, file.problems);
  else if (file.problems.length > 0) onDamage(file.problems);
}

/** Dimensions over all channels, in the order in which they first occur. */
function dimensionsOf(channels: readonly SignalChannel[]): string[] {
  return [...new Set(channels.flatMap(({ dimensions }) => dimensions))];
}

function provenanceOf({ header }: SignalFile): string {
  const { recordingId, deviceRecordingId, udid, hardwareId, firmwareId, physicalConfig, sensorConfig } = header;
  return JSON.stringify({
    recordingId,
    deviceRecordingId,
    udid,
    hardwareId,
    firmwareId,
    physicalConfig,
    sensorConfig,
    channels: header.channels.map(({ type, dimensions, unit, nominalRateHz }) => ({
      type,
      dimensions,
      unit,
      nominalRateHz,
    })),
  });
}

/** Collects samples of one channel until they fill a row group. */
class ChannelGroup {
  readonly #channel: SignalChannel;
  /** Index of each of the file's dimensions in the channel, or -1. */
  readonly #dimensions: readonly number[];
  readonly #columns: readonly (CountColumn | null)[];
  readonly #times = new Float64Array(ROWS_PER_GROUP);
  readonly #packer: TimePacker;
  #rows = 0;

  constructor(channel: SignalChannel, dimensions: readonly string[], packer: TimePacker) {
    this.#channel = channel;
    this.#packer = packer;
    this.#dimensions = dimensions.map((name) => channel.dimensions.indexOf(name));
    this.#columns = this.#dimensions.map((dimension) =>
      dimension < 0 ? null : new CountColumn(channel, dimension, ROWS_PER_GROUP),
    );
  }

  get isFull(): boolean {
    return this.#rows === ROWS_PER_GROUP;
  }

  get isEmpty(): boolean {
    return this.#rows === 0;
  }

  /** Adds samples from `first` on as far as they fit; returns the index of the first one that does not. */
  add(page: SignalPage, times: Float64Array, first: number): number {
    const stop = Math.min(page.count, first + ROWS_PER_GROUP - this.#rows);
    this.#times.set(times.subarray(first, stop), this.#rows);
    for (const [i, column] of this.#columns.entries()) {
      column?.set(page.columns[this.#dimensions[i]!]!.subarray(first, stop), this.#rows);
    }
    this.#rows += stop - first;
    return stop;
  }

  /** Encodes the collected samples and clears the group. The result is valid until the next samples are added. */
  take(): SampleGroup {
    const rows = this.#rows;
    const times = this.#times.subarray(0, rows);
    this.#rows = 0;
    return {
      rows,
      type: this.#channel.type,
      firstUs: times[0]!,
      lastUs: times[rows - 1]!,
      times: this.#packer.pack(times),
      values: this.#columns.map((column) => column?.encode(rows) ?? null),
    };
  }
}

/** Yields the row groups of all channels; each is valid until the next one is requested. */
function* sampleGroups(
  file: SignalFile,
  dimensions: readonly string[],
  options: RecordingParquetOptions,
): Generator<SampleGroup> {
  const totalSamples = file.sampleCounts.reduce((sum, count) => sum + count, 0);
  const packer = new TimePacker();
  let doneSamples = 0;
  for (const [index, channel] of file.header.channels.entries()) {
    const group = new ChannelGroup(channel, dimensions, packer);
    for (const page of file.pagesInTurn(index)) {
      throwIfAborted(options.signal);
      const times = sampleTimesUs(page);
      for (let at = 0; at < page.count; ) {
        at = group.add(page, times, at);
        if (group.isFull) yield group.take();
      }
      doneSamples += page.count;
      options.onProgress?.(doneSamples, totalSamples);
    }
    if (!group.isEmpty) yield group.take();
  }
  tellDamage(file, options);
}

/**
 * Yields the bytes of the file in chunks. Reads with blocking calls: for worker threads.
 * @throws CANCELLED, SIGNAL_FILE_DAMAGED, NOT_FOUND
 */
export async function* recordingParquet(
  signalPath: string,
  options: RecordingParquetOptions = {},
): AsyncGenerator<Uint8Array> {
  throwIfAborted(options.signal);
  const file = await openSignalFile(signalPath, options.view);
  try {
    if (!options.onDamage) throwIfDamaged(signalPath, file.problems);
    const dimensions = dimensionsOf(file.header.channels);
    const columns: ParquetColumn[] = [
      { name: 'type', type: 'string' },
      { name: 'time', type: 'timestamp-us', unit: 'UTC microseconds' },
      ...dimensions.map(
        (name): ParquetColumn => ({ name, type: 'double', isNullable: true, unit: unitOf(file, name) }),
      ),
    ];
    const written = new SampleFile(columns, { recording: provenanceOf(file) });
    for (const group of sampleGroups(file, dimensions, options)) yield written.group(group);
    yield written.finish();
  } finally {
    await file.close();
  }
}

/** The unit of a column, or each channel's when they differ. */
function unitOf({ header }: SignalFile, dimension: string): string {
  const having = header.channels.filter(({ dimensions }) => dimensions.includes(dimension));
  const units = new Set(having.map(({ unit }) => unit));
  if (units.size === 1) return [...units].join();
  return having.map(({ type, unit }) => `${type}: ${unit}`).join(', ');
}
