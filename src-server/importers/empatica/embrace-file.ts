/** One raw file of an EmbracePlus: an Avro record with all signals, at most half an hour of them. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { ExactValueRule } from '../../signals/types.ts';
import { damaged, empty, unsupported } from '../refusals.ts';
import { fileSize } from '../source-bytes.ts';
import { requirePlausibleTime } from '../units.ts';
import { type AvroRecord, type AvroValue, readAvro } from './avro.ts';

const MAX_FILE_BYTES = 256 << 20;
const MAX_RATE_HZ = 10_000;
/** Signals of one file start up to 3 s apart. */
const MAX_START_US = 10e6;
/** A measured rate is off the nominal one by far less; that of another setting makes the signal last as long as the others. */
const MAX_RATE_ERROR = 0.01;
const MICROSECONDS = { kind: 'number', power: 0 } as const;

export interface StreamKind {
  field: string;
  type: string;
  dimensions: string[];
  unit: string;
  nominalRateHz: number;
}

export const STREAMS: readonly StreamKind[] = [
  { field: 'accelerometer', type: 'ACCEL', dimensions: ['x', 'y', 'z'], unit: 'g', nominalRateHz: 64 },
  { field: 'gyroscope', type: 'GYRO', dimensions: ['x', 'y', 'z'], unit: 'dps', nominalRateHz: 64 },
  { field: 'bvp', type: 'PPG', dimensions: ['v'], unit: 'adu', nominalRateHz: 64 },
  { field: 'eda', type: 'EDA', dimensions: ['v'], unit: 'uS', nominalRateHz: 4 },
  { field: 'temperature', type: 'TEMPERATURE', dimensions: ['v'], unit: 'degC', nominalRateHz: 1 },
  { field: 'steps', type: 'STEPS', dimensions: ['v'], unit: '', nominalRateHz: 0.2 },
];

/** One signal of one file. */
export interface Stream {
  kind: StreamKind;
  startUs: number;
  rateHz: number;
  columns: number[][];
  /** Of counts of a motion sensor; null for physical values. */
  rule: ExactValueRule | null;
}

export interface EmbraceFile {
  path: string;
  serial: string;
  subjectCode: string;
  firmware: string;
  streams: Stream[];
  peaksUs: number[];
  tagsUs: number[];
  notes: string[];
}

export async function readEmbraceFile(path: string): Promise<EmbraceFile> {
  const size = await fileSize(path);
  if (size > MAX_FILE_BYTES)
    throw unsupported(path, 'it is far larger than the half hour that a file of EmbracePlus holds.');
  const { records, isCut } = readAvro(await readFile(path), path);
  const [record] = records;
  const raw = record && recordOf(record.rawData);
  if (!record || !raw) {
    if (isCut) throw damaged(path, 'it was cut off before its samples.');
    throw unsupported(path, 'it is an Avro file, but not one of an EmbracePlus: it has no raw data.');
  }
  const notes: string[] = [];
  const name = basename(path);
  if (isCut) notes.push(`${name} was cut off; the signals that are whole were kept, and the rest is missing.`);
  const found = STREAMS.flatMap((kind) => {
    const stream = streamOf(kind, recordOf(raw[kind.field]), name, notes);
    return stream ? [stream] : [];
  });
  const streams = agreeing(found, name, notes);
  const micros = (value: AvroValue | undefined, divisor: number): number[] =>
    numbers(value)
      .map((time) => Math.round(time / divisor))
      .filter(isPlausible);
  const file: EmbraceFile = {
    path,
    serial: text(record.deviceSn),
    subjectCode: text(recordOf(record.enrollment)?.participantID),
    firmware: versionText(recordOf(record.fwVersion) ?? recordOf(record.firmwareVersion)),
    streams,
    peaksUs: micros(recordOf(raw.systolicPeaks)?.peaksTimeNanos, 1000),
    tagsUs: micros(recordOf(raw.tags)?.tagsTimeMicros, 1),
    notes,
  };
  if (streams.length === 0) {
    if (isCut) throw damaged(path, 'it was cut off before its samples.');
    throw empty(path, 'no signal in it has samples.');
  }
  return file;
}

function streamOf(kind: StreamKind, stream: AvroRecord | undefined, name: string, notes: string[]): Stream | null {
  if (!stream) return null;
  const columns =
    kind.dimensions.length === 3 ? ['x', 'y', 'z'].map((axis) => numbers(stream[axis])) : [numbers(stream.values)];
  const count = Math.min(...columns.map((column) => column.length));
  if (count === 0) return null;
  if (columns.some((column) => column.length > count)) {
    notes.push(`${name}: the axes of ${kind.field} differ in length and were cut to ${count} samples.`);
  }
  const startUs = Number(stream.timestampStart);
  const rateHz = Number(stream.samplingFrequency);
  const rule = kind.dimensions.length === 3 ? motionRule(recordOf(stream.imuParams)) : null;
  if (!isPlausible(startUs) || !(rateHz > 0 && rateHz <= MAX_RATE_HZ) || rule === undefined) {
    notes.push(`${name}: ${kind.field} was left out: its start, rate or range cannot be.`);
    return null;
  }
  return { kind, startUs, rateHz, columns: columns.map((column) => column.slice(0, count)), rule };
}

/**
 * The signals whose start and rate agree with the others'. Nothing in the file has a checksum, and a wrong bit in one of these numbers
 * would move every sample.
 */
function agreeing(streams: readonly Stream[], name: string, notes: string[]): Stream[] {
  const startUs = median(streams.map((stream) => stream.startUs));
  const seconds = median(streams.map(secondsOf));
  return streams.filter((stream) => {
    const { kind, rateHz } = stream;
    const isNominal = Math.abs(rateHz / kind.nominalRateHz - 1) <= MAX_RATE_ERROR;
    const isAsLong = Math.abs(secondsOf(stream) / seconds - 1) <= MAX_RATE_ERROR;
    // Of two starts, neither is known to be the wrong one.
    const isFar = streams.length > 2 && Math.abs(stream.startUs - startUs) > MAX_START_US;
    if (isFar) notes.push(`${name}: ${kind.field} was left out: its start is far from that of the other signals.`);
    else if (!isNominal && !isAsLong) {
      notes.push(`${name}: ${kind.field} was left out: its rate of ${Number(rateHz.toPrecision(4))} Hz cannot be.`);
    } else return true;
    return false;
  });
}

const secondsOf = ({ columns, rateHz }: Stream): number => columns[0]!.length / rateHz;

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
}

/** value = low + (count - digital minimum) * span / digital span; undefined when the limits cannot be. */
function motionRule(params: AvroRecord | undefined): ExactValueRule | undefined {
  const [physicalMin, physicalMax, digitalMin, digitalMax] = [
    'physicalMin',
    'physicalMax',
    'digitalMin',
    'digitalMax',
  ].map((field) => Number(params?.[field] ?? Number.NaN)) as [number, number, number, number];
  const span = physicalMax - physicalMin;
  const divisor = digitalMax - digitalMin;
  if (!(span > 0 && divisor > 0)) return undefined;
  return { origin: digitalMin, divisor, span, low: physicalMin };
}

function recordOf(value: AvroValue | undefined): AvroRecord | undefined {
  const isRecord =
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
  return isRecord ? value : undefined;
}

const numbers = (value: AvroValue | undefined): number[] =>
  Array.isArray(value)
    ? value.map((item) => (typeof item === 'number' && Number.isFinite(item) ? item : Number.NaN))
    : [];

const text = (value: AvroValue | undefined): string => (typeof value === 'string' ? value.trim().slice(0, 100) : '');

function versionText(version: AvroRecord | undefined): string {
  const parts = ['major', 'minor', 'patch'].map((part) => version?.[part]);
  return parts.every((part) => typeof part === 'number') ? parts.join('.') : '';
}

function isPlausible(timeUs: number): boolean {
  try {
    requirePlausibleTime('', timeUs, MICROSECONDS);
    return true;
  } catch {
    return false;
  }
}
