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
const MICROSECONDS = { kind: 'number', power: 0 } as const;

export interface StreamKind {
  field: string;
  type: string;
  dimensions: string[];
  unit: string;
}

export const STREAMS: readonly StreamKind[] = [
  { field: 'accelerometer', type: 'ACCEL', dimensions: ['x', 'y', 'z'], unit: 'g' },
  { field: 'gyroscope', type: 'GYRO', dimensions: ['x', 'y', 'z'], unit: 'dps' },
  { field: 'bvp', type: 'PPG', dimensions: ['v'], unit: 'adu' },
  { field: 'eda', type: 'EDA', dimensions: ['v'], unit: 'uS' },
  { field: 'temperature', type: 'TEMPERATURE', dimensions: ['v'], unit: 'degC' },
  { field: 'steps', type: 'STEPS', dimensions: ['v'], unit: '' },
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
  const streams = STREAMS.flatMap((kind) => {
    const stream = streamOf(kind, recordOf(raw[kind.field]), name, notes);
    return stream ? [stream] : [];
  });
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
