/**
 * The recording ZIP of the API: one CSV per modality at the root of the archive, data first, then faults, then ReadMe.txt.
 * Clients parse the first member, so the order is part of the format. The output is deterministic: member times are fixed.
 */
import type { Writable } from 'node:stream';
import { OutpostError, toOutpostError } from '../errors.ts';
import { openSignalFile, type SignalFile, sampleTimesUs } from '../signals/index.ts';
import type { SignalChannel, SignalMark } from '../signals/types.ts';
import { NO_WORDS } from '../study/export-formats.ts';
import { toSpreadsheetCell } from '../study/spreadsheet-cells.ts';
import { doubleText } from './double-text.ts';
import { type ExportOptions, throwIfAborted, throwIfDamaged } from './export-options.ts';
import { SampleRows } from './sample-rows.ts';
import { deidentificationText } from './study-export/readme.ts';
import { ZipWriter } from './zip-writer.ts';

const TIME_HEADER = 'Timestamp (microseconds)';
const ROWS_PER_CHUNK = 4096;

const README = `This archive holds the data of one recording of one subject.

Every CSV file has one row per sample. Its first column is the time of the sample in
microseconds since 1970-01-01T00:00:00Z (GMT). Lines end with a line feed.

accel.csv         acceleration in g
                  ${TIME_HEADER},Accel X (g),Accel Y (g),Accel Z (g)
gyro.csv          rotation in degrees per second
                  ${TIME_HEADER},Gyro X (°/s),Gyro Y (°/s),Gyro Z (°/s)
elec.csv          electric potential in volts
                  ${TIME_HEADER},Sample (V)
NAME-errors.csv   times at which the sensor reported a fault of that signal
                  ${TIME_HEADER},Reason

Only the files of recorded signals are present. A break in the times is a break in the
recording: nothing was filled in. To plot a file, use its first column as the x axis and
each other column as a line.
`;

/** Unique member name of each channel, without `.csv`. */
function memberNames(channels: readonly SignalChannel[]): string[] {
  const taken = new Set<string>();
  const hasEcg = channels.some(({ type }) => type === 'ECG');
  return channels.map(({ type }) => {
    const plain: Record<string, string> = { ACCEL: 'accel', GYRO: 'gyro', ECG: 'elec', EMG: hasEcg ? 'emg' : 'elec' };
    const stem = plain[type] ?? type.toLowerCase().replace(/[^a-z0-9]+/g, '_');
    let name = stem;
    for (let turn = 2; taken.has(name); turn++) name = `${stem}_${turn}`;
    taken.add(name);
    return name;
  });
}

/** A name from a foreign file, made safe for an unquoted header cell. */
const cellText = (text: string): string => text.replace(/[",\r\n()]/g, ' ').trim();

function headerRow({ type, dimensions, unit }: SignalChannel): string {
  const columns = dimensions.map((dimension) => {
    if (type === 'ACCEL') return `Accel ${dimension.toUpperCase()} (g)`;
    if (type === 'GYRO') return `Gyro ${dimension.toUpperCase()} (°/s)`;
    return dimension === 'v' ? `Sample (${cellText(unit)})` : `Sample ${cellText(dimension)} (${cellText(unit)})`;
  });
  return `${[TIME_HEADER, ...columns].join(',')}\n`;
}

async function* dataCsv(
  file: SignalFile,
  channelIndex: number,
  options: ExportOptions,
  onRows: (rows: number) => void,
): AsyncGenerator<string | Uint8Array> {
  const channel = file.header.channels[channelIndex]!;
  const rows = new SampleRows(channel, { separator: ',', time: 'microseconds', format: doubleText });
  yield headerRow(channel);
  for (const page of file.pagesInTurn(channelIndex)) {
    throwIfAborted(options.signal);
    const times = sampleTimesUs(page);
    for (let from = 0; from < page.count; from += ROWS_PER_CHUNK) {
      yield rows.rows(times, page.columns, from, Math.min(page.count, from + ROWS_PER_CHUNK));
    }
    onRows(page.count);
  }
  throwIfDamaged(file.path, file.problems);
}

function errorsCsv(marks: SignalMark[]): string {
  const rows = marks.map(({ timeUs, reason }) => `${timeUs},${toSpreadsheetCell(cellText(reason))}\n`);
  return `${TIME_HEADER},Reason\n${rows.join('')}`;
}

/** The members that the API places first; others follow in their own order. */
const ORDER = ['ACCEL', 'GYRO', 'ECG', 'EMG'];

/**
 * Writes the recording in a signal file as an MC10 ZIP and ends `out`. Streams: memory does not grow with the length.
 * @throws CANCELLED, SIGNAL_FILE_DAMAGED, NOT_FOUND, DISK_FULL and other errors of writing
 */
export async function exportMc10Zip(
  signalPath: string,
  out: Writable,
  options: ExportOptions = {},
): Promise<{ sizeBytes: number }> {
  throwIfAborted(options.signal);
  const file = await openSignalFile(signalPath, options.view);
  const zip = new ZipWriter(out, 'few');
  const giveUp = () => zip.abort(new OutpostError('CANCELLED', 'The export was cancelled.'));
  options.signal?.addEventListener('abort', giveUp, { once: true });
  try {
    const marks = await file.marks();
    throwIfDamaged(signalPath, file.problems);
    const { channels } = file.header;
    const names = memberNames(channels);
    const rank = (type: string): number => (ORDER.includes(type) ? ORDER.indexOf(type) : ORDER.length);
    const order = channels
      .map((_, index) => index)
      .sort((a, b) => rank(channels[a]!.type) - rank(channels[b]!.type) || a - b);
    const totalSamples = file.sampleCounts.reduce((sum, count) => sum + count, 0);
    let doneSamples = 0;
    const onRows = (rows: number): void => {
      doneSamples += rows;
      options.onProgress?.(doneSamples, totalSamples);
    };
    for (const index of order) await zip.add(`${names[index]}.csv`, dataCsv(file, index, options, onRows));
    for (const index of order) {
      const own = marks.filter(({ channel }) => channel === index);
      if (own.length > 0) await zip.add(`${names[index]}-errors.csv`, [errorsCsv(own)]);
    }
    await zip.add('ReadMe.txt', [options.view ? `${README}${deidentificationText(NO_WORDS)}` : README]);
    return { sizeBytes: (await zip.finish()).sizeBytes };
  } catch (thrown) {
    const error = options.signal?.aborted
      ? new OutpostError('CANCELLED', 'The export was cancelled.')
      : toOutpostError(thrown);
    zip.abort(error);
    throw error;
  } finally {
    options.signal?.removeEventListener('abort', giveUp);
    await file.close();
  }
}
