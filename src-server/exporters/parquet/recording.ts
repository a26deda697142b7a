/**
 * One recording as a Parquet file: one row per sample, each row group of one channel.
 *
 * Columns: `type` (`ECG`, `ACCEL`, ...), `time` (UTC instant, microseconds), and one double per dimension (`v`, `x`, `y`,
 * `z`), null where the row's channel has no such dimension. Rates differ between channels, so rows are not aligned; times
 * are those of the sensor, and gaps in them are gaps in the recording. The metadata entry `recording` (JSON) holds the origin
 * of the recording and each channel's dimensions, unit and nominal rate.
 */
import { openSignalFile, type SignalFile, sampleTimesUs, valueOfCount } from '../../signals/index.ts';
import type { SampleArray, SignalChannel, SignalPage } from '../../signals/types.ts';
import { type ExportOptions, throwIfAborted, throwIfDamaged } from '../export-options.ts';
import { type ParquetColumn, parquetFile, type RowGroup } from './table.ts';

const ROWS_PER_GROUP = 65_536;

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

/** Cached columns of one repeated text. */
const repeated = (text: string, rows: number): string[] => new Array<string>(rows).fill(text);
const nulls = (rows: number): null[] => new Array<null>(rows).fill(null);

/** Collects pages of one channel until they fill a row group. */
class GroupOfPages {
  readonly #channel: SignalChannel;
  readonly #toValue: ((count: number) => number)[];
  #pages: SignalPage[] = [];
  rows = 0;

  constructor(channel: SignalChannel) {
    this.#channel = channel;
    this.#toValue = channel.dimensions.map((_, dimension) => valueOfCount(channel, dimension));
  }

  add(page: SignalPage): void {
    this.#pages.push(page);
    this.rows += page.count;
  }

  take(dimensions: readonly string[]): RowGroup {
    const times = new BigInt64Array(this.rows);
    let at = 0;
    for (const page of this.#pages) for (const time of sampleTimesUs(page)) times[at++] = BigInt(time);
    const values = dimensions.map((name) => {
      const dimension = this.#channel.dimensions.indexOf(name);
      return dimension < 0 ? nulls(this.rows) : this.#values(dimension);
    });
    const group = [repeated(this.#channel.type, this.rows), times, ...values];
    this.#pages = [];
    this.rows = 0;
    return group;
  }

  #values(dimension: number): Float64Array {
    const toValue = this.#toValue[dimension]!;
    const values = new Float64Array(this.rows);
    let at = 0;
    for (const page of this.#pages) {
      const column: SampleArray = page.columns[dimension]!;
      for (let i = 0; i < column.length; i++) values[at++] = toValue(column[i]!);
    }
    return values;
  }
}

function* rowGroups(
  file: SignalFile,
  dimensions: readonly string[],
  options: RecordingParquetOptions,
): Generator<RowGroup> {
  const totalSamples = file.sampleCounts.reduce((sum, count) => sum + count, 0);
  let doneSamples = 0;
  for (const [index, channel] of file.header.channels.entries()) {
    const group = new GroupOfPages(channel);
    for (const page of file.pages(index)) {
      throwIfAborted(options.signal);
      if (group.rows > 0 && group.rows + page.count > ROWS_PER_GROUP) yield group.take(dimensions);
      group.add(page);
      doneSamples += page.count;
      options.onProgress?.(doneSamples, totalSamples);
    }
    if (group.rows > 0) yield group.take(dimensions);
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
    yield* parquetFile(columns, rowGroups(file, dimensions, options), {
      recording: provenanceOf(file),
    });
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
