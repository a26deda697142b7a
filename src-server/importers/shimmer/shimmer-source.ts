/**
 * Texts that Consensys exports from Shimmer sensors: one row per sample with a Unix time in milliseconds. Each device in a file becomes a
 * recording. Only calibrated columns have a unit; the calibration of the others stays in Consensys.
 */
import { basename } from 'node:path';
import { OutpostError } from '../../errors.ts';
import type { SignalMark, SignalPage } from '../../signals/types.ts';
import { startOfWallClock, wallClockOf } from '../local-time.ts';
import { PhoneClock } from '../polar-sensor-logger/polar-clock.ts';
import { type DeviceFacts, makeHeader } from '../recording-header.ts';
import { damaged, empty, unsupported } from '../refusals.ts';
import { sourceHash } from '../source-bytes.ts';
import { ColumnClock } from '../text/column-clock.ts';
import { decimalOf } from '../text/text-decimal.ts';
import { openTextFile, type TextFile } from '../text/text-file.ts';
import { scanTable, tablePages } from '../text/timed-table.ts';
import type { ImportedRecording, ImportOptions, ImportSource, SourceClock } from '../types.ts';
import { requirePlausibleTime, timeUnit, unknownTimeUnit } from '../units.ts';
import { type SignalColumn, shimmerChannels } from './shimmer-channels.ts';
import { type ShimmerColumn, type ShimmerHeader, shimmerHeader } from './shimmer-head.ts';

const FORMAT = 'Shimmer CSV';
const HEAD_LINES = 3;
const POINT = 46;
const UNSET_CLOCK_US = Date.UTC(1980, 0, 1) * 1000;

/** Times by preference; a plain time stamp counts from when the sensor was switched on. */
const TIMES: readonly (readonly [RegExp, 'UNIX' | 'WALL_CLOCK' | 'ELAPSED'])[] = [
  [/^(.*?)_?Timestamp_Unix$/i, 'UNIX'],
  [/^(.*?)_?Timestamp_?Sync_Unix$/i, 'UNIX'],
  [/^(.*?)_?Timestamp_FormattedUnix$/i, 'WALL_CLOCK'],
  [/^(.*?)_?System_Timestamp(?:_Plot)?(?:_Unix)?$/i, 'UNIX'],
  [/^(.*?)_?Timestamp(?:_?Sync)?$/i, 'ELAPSED'],
];
const ANY_TIME = /timestamp/i;

interface ShimmerDevice {
  name: string;
  time: ShimmerColumn;
  timeKind: 'UNIX' | 'WALL_CLOCK' | 'ELAPSED';
  signals: SignalColumn[];
}

/** @throws UNSUPPORTED_FORMAT when nothing is calibrated; INVALID_INPUT when a start time is needed */
export async function openShimmer(path: string, options: ImportOptions): Promise<ImportSource> {
  const probe = await openTextFile(path, HEAD_LINES);
  const header = shimmerHeader(probe.lines);
  if (!header) throw damaged(path, 'its first lines are none that Consensys writes.');
  const file = header.lineCount === HEAD_LINES ? probe : await openTextFile(path, header.lineCount);
  const notes: string[] = [];
  const devices = devicesOf(path, header, notes);
  const decimal = header.separator === ',' ? POINT : await decimalOf(file);
  const source = {
    format: FORMAT,
    fileName: basename(path),
    sha256: options.withoutHash ? '' : await sourceHash([path], options.signal),
  };
  const recordings: ImportedRecording[] = [];
  let clock: SourceClock | undefined;
  for (const device of devices) {
    const opened = await openDevice(file, header, device, decimal, source, options);
    if (!opened) continue;
    recordings.push(opened.recording);
    clock ??= opened.clock;
  }
  if (recordings.length === 0) throw empty(path, 'no row below its header can be read.');
  recordings[0]!.notes.push(...notes);
  return { format: FORMAT, ...(clock && { clock }), recordings, labels: [], close: async () => undefined };
}

function devicesOf(path: string, { columns }: ShimmerHeader, notes: string[]): ShimmerDevice[] {
  const isTime = ({ stem }: ShimmerColumn): boolean => ANY_TIME.test(stem);
  const values = columns.filter((column) => !isTime(column));
  const calibrated = values.filter(({ isCalibrated }) => isCalibrated);
  if (calibrated.length === 0) {
    throw unsupported(
      path,
      'its columns are not calibrated, and counts have no meaning without the calibration that Consensys keeps. Export calibrated data there, then import that file.',
    );
  }
  const known = new Set(calibrated.map(({ stem }) => stem));
  const raw = values.filter(({ isCalibrated, stem }) => !isCalibrated && !known.has(stem));
  if (raw.length > 0) notes.push(`Not calibrated, and left out: ${raw.map(({ name }) => name).join(', ')}.`);
  const devices: ShimmerDevice[] = [];
  const times = columns.filter((column) => isTime(column));
  // Raw times count ticks of the sensor, unless their unit says otherwise.
  const rawTimes = times.filter(({ isCalibrated, unit }) => !isCalibrated && timeUnit(unit)?.kind === 'number');
  for (const candidates of [times.filter(({ isCalibrated }) => isCalibrated), rawTimes]) {
    for (const [test, timeKind] of TIMES) {
      for (const time of candidates) {
        const name = test.exec(time.stem)?.[1];
        if (name === undefined || devices.some((device) => device.name === name)) continue;
        devices.push({ name, time, timeKind, signals: [] });
      }
    }
  }
  if (devices.length === 0) throw damaged(path, 'it has no column of times.');
  // The longest name first: that of one device may begin that of another.
  const byLength = [...devices].sort((a, b) => b.name.length - a.name.length);
  for (const column of calibrated) {
    const device = byLength.find(({ name }) => name === '' || column.stem.startsWith(`${name}_`)) ?? devices[0]!;
    const own = device.name !== '' && column.stem.startsWith(`${device.name}_`);
    device.signals.push({ ...column, signal: own ? column.stem.slice(device.name.length + 1) : column.stem });
  }
  return devices.filter(({ signals }) => signals.length > 0);
}

async function openDevice(
  file: TextFile,
  header: ShimmerHeader,
  device: ShimmerDevice,
  decimal: number,
  source: { format: string; fileName: string; sha256: string },
  options: ImportOptions,
): Promise<{ recording: ImportedRecording; clock?: SourceClock } | null> {
  const { time, timeKind, signals } = device;
  const notes: string[] = [];
  const isWallClock = timeKind === 'WALL_CLOCK';
  const unit = timeUnit(time.unit || 'ms');
  if (!isWallClock && unit?.kind !== 'number') throw unknownTimeUnit(file.name, time.name, time.unit);
  const power = unit?.kind === 'number' ? unit.power : 0;
  const numbers = [...(isWallClock ? [] : [time.place]), ...signals.map(({ place }) => place)];
  const scanned = await scanTable(
    {
      name: file.name,
      sizeBytes: file.sizeBytes,
      shape: {
        separator: header.separator.charCodeAt(0),
        decimal,
        width: header.width,
        leastWidth: header.width,
        numbers,
        clock: isWallClock ? time.place : null,
      },
      openRows: (onBytes) => file.rows(onBytes),
      clock: () => (isWallClock ? new PhoneClock() : new ColumnClock(0, power)),
      channels: shimmerChannels(signals, numbers, file.name, notes),
    },
    options.signal,
  );
  if (!scanned) return null;
  const { shiftUs, clock } = placementOf(file, timeKind, scanned.startUs, options, notes);
  requirePlausibleTime(file.name, scanned.startUs + shiftUs, { kind: 'number', power });
  notes.push(...scanned.notes);
  const marks: SignalMark[] = [];
  let doneBytes = 0;
  const pages = (): AsyncGenerator<SignalPage> =>
    tablePages(scanned, 0, shiftUs, marks, options.signal, (bytes) => {
      doneBytes += bytes;
    });
  const recording: ImportedRecording = {
    header: makeHeader({ channels: scanned.channels, source, device: factsOf(device.name) }, options),
    pages,
    labels: [],
    marks,
    notes,
    progress: () => ({ doneBytes, totalBytes: file.sizeBytes }),
  };
  return { recording, ...(clock && { clock }) };
}

/** What turns the times of the rows into epoch microseconds. */
function placementOf(
  file: TextFile,
  timeKind: ShimmerDevice['timeKind'],
  firstUs: number,
  options: ImportOptions,
  notes: string[],
): { shiftUs: number; clock?: SourceClock } {
  if (timeKind === 'WALL_CLOCK') {
    const { startUs, clock } = startOfWallClock(wallClockOf(firstUs), options, notes);
    return { shiftUs: startUs - firstUs, clock };
  }
  const isUnset = timeKind === 'UNIX' && firstUs < UNSET_CLOCK_US;
  if (timeKind === 'UNIX' && !isUnset) return { shiftUs: 0, clock: { kind: 'UTC' } };
  const startUs = options.defaultStartUs;
  if (startUs === undefined) {
    const why = isUnset ? 'has times of a clock that was never set' : 'counts from when the sensor was switched on';
    throw new OutpostError(
      'INVALID_INPUT',
      `${file.name} ${why} and does not say when it was recorded. Give its start time, then import it again.`,
    );
  }
  if (isUnset) notes.push("The sensor's clock was never set. The recording starts when it was said to.");
  return { shiftUs: startUs - firstUs };
}

/** `Shimmer_40AC` is named after the end of its address; other names people gave. */
function factsOf(name: string): DeviceFacts {
  const serial = /(?:^|_)([0-9A-F]{4})$/.exec(name)?.[1];
  return { maker: 'Shimmer', ...(serial === undefined ? {} : { serial }) };
}
