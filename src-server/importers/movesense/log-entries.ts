/** What a Movesense log holds, in the order of the file, for both layouts that its converters write. */
import { fileChunks } from '../csv/mc10-source.ts';
import { throwIfAborted } from '../refusals.ts';
import { JsonElements } from './json-elements.ts';

export type LogSignalType = 'ECG' | 'ACCEL' | 'GYRO' | 'MAGNETOMETER' | 'TEMPERATURE';

/**
 * `isGrouped` where the log lists its streams one after the other (`{"Meas": {"ECG": [...], "HR": [...]}}`): the order of its entries then says nothing of
 * when those of other streams were written.
 */
interface Ordered {
  isGrouped: boolean;
}

/** Samples of one signal in one notification: one row per sample, one number per dimension. */
export interface LogSamples {
  type: LogSignalType;
  rows: number[][];
}

export type LogEntry =
  | ({ kind: 'SAMPLES'; stream: string; stampMs: number; signals: LogSamples[] } & Ordered)
  | ({ kind: 'BEATS'; stampMs: number; average: number; intervalsMs: number[] } & Ordered)
  /** Milliseconds of the sensor's counter, and the UTC that it was set to, in microseconds. */
  | ({ kind: 'UTC'; relativeMs: number; utcUs: number } & Ordered)
  | { kind: 'UNKNOWN'; stream: string }
  | { kind: 'BROKEN' };

const AXES: readonly (readonly [string, LogSignalType])[] = [
  ['arrayacc', 'ACCEL'],
  ['arraygyro', 'GYRO'],
  ['arraymagn', 'MAGNETOMETER'],
];
/** What the converter adds, and a log has of itself. */
const OF_NO_INTEREST = /^(?:time|info|system|battery|state|sensor|metadata)/i;

export interface LogState {
  broken: number;
  isWhole: boolean;
}

export async function* logEntries(
  path: string,
  name: string,
  state: LogState,
  signal: AbortSignal | undefined,
  onBytes?: (bytes: number) => void,
): AsyncGenerator<LogEntry[]> {
  const elements = new JsonElements(name);
  for await (const batch of elements.read(fileChunks(path, onBytes))) {
    throwIfAborted(signal);
    yield batch.flatMap(({ path: keys, value }) => entriesOf(keys, value));
  }
  state.broken = elements.broken;
  state.isWhole = elements.isWhole;
}

function entriesOf(keys: readonly string[], value: unknown): LogEntry[] {
  const [root = '', stream] = keys;
  if (/^meas$/i.test(root) && stream !== undefined && keys.length === 2) return [entryOf(stream, value, true)];
  if (/^samples$/i.test(root) && keys.length === 1 && isObject(value)) {
    return Object.entries(value).flatMap(([name, held]) => {
      if (/^meas$/i.test(name) && isObject(held))
        return Object.entries(held).map(([of, one]) => entryOf(of, one, false));
      return [entryOf(name.replace(/^meas(?=[a-z])/i, ''), held, false)];
    });
  }
  return [];
}

function entryOf(stream: string, value: unknown, isGrouped: boolean): LogEntry {
  if (!isObject(value)) return OF_NO_INTEREST.test(stream) ? { kind: 'UNKNOWN', stream: '' } : { kind: 'BROKEN' };
  const fields = new Map(Object.entries(value).map(([name, held]) => [name.toLowerCase(), held]));
  const number = (name: string): number => {
    const held = fields.get(name);
    return typeof held === 'number' && Number.isFinite(held) ? held : Number.NaN;
  };
  if (/^timedetailed$/i.test(stream)) {
    return { kind: 'UTC', relativeMs: number('relativetime'), utcUs: number('utctime'), isGrouped };
  }
  const stampMs = number('timestamp');
  const intervals = fields.get('rrdata');
  if (Array.isArray(intervals) || fields.has('average')) {
    const intervalsMs = Array.isArray(intervals) ? intervals.map((ms) => Math.round(Number(ms))) : [];
    return { kind: 'BEATS', stampMs, average: number('average'), intervalsMs, isGrouped };
  }
  const signals: LogSamples[] = [];
  for (const [name, type] of AXES) {
    const vectors = fields.get(name);
    if (vectors === undefined) continue;
    const rows = vectorsOf(vectors);
    if (!rows) return { kind: 'BROKEN' };
    signals.push({ type, rows });
  }
  const samples = fields.get('samples');
  if (/ecg/i.test(stream) && samples !== undefined) {
    if (!Array.isArray(samples) || !samples.every((one) => Number.isFinite(one))) return { kind: 'BROKEN' };
    signals.push({ type: 'ECG', rows: samples.map((one: number) => [plain(one)]) });
  }
  if (/temp/i.test(stream) && fields.has('measurement')) {
    const kelvin = number('measurement');
    if (Number.isNaN(kelvin)) return { kind: 'BROKEN' };
    signals.push({ type: 'TEMPERATURE', rows: [[kelvin]] });
  }
  if (signals.length === 0) return { kind: 'UNKNOWN', stream: OF_NO_INTEREST.test(stream) ? '' : stream };
  if (Number.isNaN(stampMs) || signals.every(({ rows }) => rows.length === 0)) return { kind: 'BROKEN' };
  return { kind: 'SAMPLES', stream, stampMs, signals, isGrouped };
}

function vectorsOf(vectors: unknown): number[][] | null {
  if (!Array.isArray(vectors)) return null;
  const rows = vectors.map((vector: Record<string, unknown> | null) => [vector?.x, vector?.y, vector?.z]);
  return rows.every((row) => row.every((one) => Number.isFinite(one))) ? (rows as number[][]) : null;
}

/** `0.018000000000000002`, as a converter prints 18 uV in mV. */
function plain(value: number): number {
  const rounded = Math.round(value * 1e6) / 1e6;
  return Math.abs(rounded - value) <= 4e-16 * Math.abs(value) ? rounded : value;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
