/** WFDB header files (`.hea`); G. Moody, WFDB Applications Guide, header(5). */
import { Temporal } from 'temporal-polyfill';
import { damaged, unsupported } from '../refusals.ts';
import { SAMPLE_FORMATS, type SampleFormat } from './wfdb-samples.ts';

export interface WfdbSignal {
  /** Place in the header. */
  index: number;
  fileName: string;
  format: SampleFormat;
  samplesPerFrame: number;
  byteOffset: number;
  /** ADC units per physical unit. */
  gain: number;
  /** False when the header omits the gain, so that the format's default applies. */
  isCalibrated: boolean;
  baseline: number;
  unit: string;
  initialValue: number | null;
  checksum: number | null;
  description: string;
  /** Frames by which this signal lies behind the others in its file: that many of its samples precede the first. */
  skewFrames: number;
}

/** One part of a record of several; null as its name is a stretch in which nothing was recorded. */
export interface WfdbSegment {
  name: string | null;
  frameCount: number;
}

export interface WfdbHeader {
  recordName: string;
  /** Of a record of several parts, which has no signals of its own. */
  segments: WfdbSegment[] | null;
  frameRateHz: number;
  /** Frames per signal; null when the header does not say. */
  frameCount: number | null;
  start: Temporal.PlainDateTime | null;
  signals: WfdbSignal[];
  comments: string[];
}

const DEFAULT_RATE_HZ = 250;
const DEFAULT_GAIN = 200;
const MAX_SIGNALS = 512;
const MAX_SEGMENTS = 20_000;
const MAX_SKEW_FRAMES = 100_000;
const KNOWN_FORMATS = Object.keys(SAMPLE_FORMATS).map(Number);

const RECORD_LINE = /^([^\s/]+)(?:\/(\d+))?\s+(\d+)(?:\s+(\S+))?(?:\s+(\d+))?(?:\s+(\S+))?(?:\s+(\S+))?\s*$/;
const FORMAT_FIELD = /^(\d+)(?:x(\d+))?(?::(\d+))?(?:\+(\d+))?$/;
const GAIN_FIELD = /^([-+\d.eE]+)(?:\(([-+]?\d+)\))?(?:\/(\S+))?$/;

/** The record line: the first line that is not a comment. */
export function firstLine(head: Buffer): string | undefined {
  return head
    .toString('latin1')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .find((line) => line !== '' && !line.startsWith('#'));
}

export function isWfdbHeader(head: Buffer): boolean {
  const first = firstLine(head);
  return first !== undefined && RECORD_LINE.test(first);
}

export function parseWfdbHeader(text: string, path: string): WfdbHeader {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const comments = lines.filter((line) => line.startsWith('#')).map((line) => line.slice(1).trim());
  const content = lines.filter((line) => line !== '' && !line.startsWith('#'));
  const record = RECORD_LINE.exec(content[0] ?? '');
  if (!record) throw damaged(path, 'its first line does not describe a record.');
  const signalCount = Number(record[3]);
  if (signalCount > MAX_SIGNALS) throw damaged(path, `it claims ${signalCount} signals.`);
  const rate = Number(/^[^/(]+/.exec(record[4] ?? `${DEFAULT_RATE_HZ}`)?.[0]);
  if (!(rate > 0 && rate <= 1e6)) throw damaged(path, `its sampling frequency reads "${record[4]}".`);
  const segments = record[2] === undefined ? null : parseSegments(content.slice(1), Number(record[2]), path);
  if (!segments && content.length - 1 < signalCount) {
    throw damaged(path, `it names ${signalCount} signals and describes ${content.length - 1}.`);
  }
  return {
    recordName: record[1]!,
    segments,
    frameRateHz: rate,
    frameCount: record[5] === undefined || Number(record[5]) === 0 ? null : Number(record[5]),
    start: parseStart(record[6], record[7], path),
    signals: segments ? [] : content.slice(1, signalCount + 1).map((line, index) => parseSignal(line, index, path)),
    comments,
  };
}

function parseSegments(lines: readonly string[], count: number, path: string): WfdbSegment[] {
  if (count < 1 || count > MAX_SEGMENTS) throw damaged(path, `it claims ${count} segments.`);
  if (lines.length < count) throw damaged(path, `it names ${count} segments and describes ${lines.length}.`);
  return lines.slice(0, count).map((line, index) => {
    const found = /^(\S+)\s+(\d+)$/.exec(line);
    if (!found || !/^(?:~|[\w-]+)$/.test(found[1]!)) {
      throw damaged(path, `segment ${index + 1} is not described by a name and a length.`);
    }
    return { name: found[1] === '~' ? null : found[1]!, frameCount: Number(found[2]) };
  });
}

function parseStart(time: string | undefined, date: string | undefined, path: string): Temporal.PlainDateTime | null {
  if (time === undefined || date === undefined) return null;
  const clock = time.split(':').map(Number);
  const day = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(date);
  if (!day || clock.length > 3 || clock.some((part) => !Number.isFinite(part))) {
    throw damaged(path, `its start reads "${time} ${date}", which is not a time and a date.`);
  }
  const [hour, minute, second] = [...[0, 0, 0], ...clock].slice(-3) as [number, number, number];
  try {
    return Temporal.PlainDateTime.from(
      { year: Number(day[3]), month: Number(day[2]), day: Number(day[1]) },
      { overflow: 'reject' },
    ).add({ hours: hour, minutes: minute, microseconds: Math.round(second * 1e6) });
  } catch {
    throw damaged(path, `its start reads "${time} ${date}", which is not a valid date.`);
  }
}

function parseSignal(line: string, index: number, path: string): WfdbSignal {
  const [fileName = '', formatField, gainField, resolution, zero, initial, checksum, , ...description] =
    line.split(/\s+/);
  const where = `signal ${index + 1}`;
  const field = FORMAT_FIELD.exec(formatField ?? '');
  if (!field) throw damaged(path, `the format of ${where} reads "${formatField ?? ''}".`);
  const format = SAMPLE_FORMATS[Number(field[1])];
  if (!format) {
    throw unsupported(
      path,
      `${where} is in format ${field[1]}, which is not known. Convert the record to one of ${KNOWN_FORMATS.join(', ')}, for example with xform of the WFDB software.`,
    );
  }
  const skewFrames = Number(field[3] ?? 0);
  if (skewFrames > MAX_SKEW_FRAMES) throw damaged(path, `${where} is shifted by ${skewFrames} samples.`);
  if (/[/\\]|^\.\.?$/.test(fileName)) throw damaged(path, `${where} names a file in another folder.`);
  const gain = GAIN_FIELD.exec(gainField ?? `${DEFAULT_GAIN}`);
  if (!gain || !Number.isFinite(Number(gain[1]))) throw damaged(path, `the gain of ${where} reads "${gainField}".`);
  const samplesPerFrame = Number(field[2] ?? 1);
  if (samplesPerFrame < 1 || samplesPerFrame > 100_000)
    throw damaged(path, `${where} has ${samplesPerFrame} samples a frame.`);
  const adcZero = zero === undefined ? 0 : Number(zero);
  if (!Number.isFinite(adcZero) || (resolution !== undefined && !Number.isFinite(Number(resolution)))) {
    throw damaged(path, `${where} has a resolution or zero that is not a number.`);
  }
  return {
    index,
    fileName,
    format,
    samplesPerFrame,
    byteOffset: Number(field[4] ?? 0),
    gain: Number(gain[1]) || DEFAULT_GAIN,
    isCalibrated: gainField !== undefined && Number(gain[1]) !== 0,
    baseline: gain[2] === undefined ? adcZero : Number(gain[2]),
    unit: gain[3] ?? 'mV',
    initialValue: initial === undefined ? null : Number(initial),
    checksum: checksum === undefined ? null : Number(checksum),
    description: description.join(' ') || where,
    skewFrames,
  };
}
