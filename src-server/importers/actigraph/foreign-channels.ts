/** Channels of the log beside acceleration: battery, light, wear sensor, heart rate, temperature, and the sensors of a schema. */
import type { SignalChannel, SignalPage } from '../../signals/types.ts';
import { TimedPageBuilder } from '../timed-pages.ts';
import type { TemperatureCalibration } from './calibration.ts';
import { type LogRecord, RECORD } from './log-records.ts';
import type { ParameterId } from './parameters.ts';
import { channelsOfSchema, readSchema, type SensorSchema, sensorColumns } from './sensor-schema.ts';

/** What a first reading found of one kind of record. */
export interface KindSeen {
  count: number;
  firstSecond: number;
  lastSecond: number;
}

const NO_LIGHT = 0xffff;
/** Beats are anchored at the record's second again when their sum has left it by more. */
const MAX_BEAT_DRIFT_US = 2_000_000;
/** Schemas beyond are left out: a Link has four sensors. */
const MAX_SCHEMAS = 8;
const THERMOMETERS = ['processor', 'sensor'] as const;

type Rows = { timesUs: number[]; values: number[] };

/** Reads the rows of one record; `second` is its time. */
type RowReader = (record: LogRecord, secondUs: number) => Rows;

interface Series {
  index: number;
  builder: TimedPageBuilder;
  lastUs: number;
}

const NOTHING: Rows = { timesUs: [], values: [] };

export class ForeignChannels {
  readonly channels: SignalChannel[] = [];
  readonly #toUs: (second: number) => number;
  readonly #firstIndex: number;
  readonly #readers = new Map<number, { series: Series; read: RowReader }[]>();
  readonly #schemas = new Map<number, { schema: SensorSchema; parts: { series: Series; columns: number[] }[] }>();
  readonly #all: Series[] = [];

  constructor(
    seen: ReadonlyMap<number, KindSeen>,
    facts: {
      schemas: readonly SensorSchema[];
      parameters: ReadonlyMap<ParameterId, number>;
      temperature: TemperatureCalibration | null;
      thermometers: ReadonlySet<number>;
      hasBeats: boolean;
    },
    /** Index of the first of these channels. */
    firstIndex: number,
    toUs: (second: number) => number,
  ) {
    this.#toUs = toUs;
    this.#firstIndex = firstIndex;
    for (const schema of facts.schemas) this.#addSchema(schema, facts.parameters);
    const add = (type: number, channel: Omit<SignalChannel, 'nominalRateHz'>, read: RowReader) => {
      const kind = seen.get(type);
      if (!kind) return;
      const series = this.#add({ ...channel, nominalRateHz: rateOf(kind) });
      this.#readers.set(type, [...(this.#readers.get(type) ?? []), { series, read }]);
    };
    const plain = { dimensions: ['v'], scale: [1], offset: [0], sampleBits: 32 as const };
    add(RECORD.BATTERY, { ...plain, type: 'BATTERY', unit: 'V', scale: [0.001] }, u16Reader());
    add(RECORD.LUX, { ...plain, type: 'LIGHT', unit: 'lux' }, u16Reader(NO_LIGHT));
    // 1 = worn. Early firmware writes changes alone.
    add(RECORD.WEAR, { ...plain, type: 'WEAR', unit: 'NU' }, ({ bytes, start, size }, us) =>
      size >= 5 ? { timesUs: [us], values: [bytes[start + 4]!] } : NOTHING,
    );
    add(RECORD.HEART_RATE, { ...plain, type: 'HR', unit: '/min' }, ({ bytes, start, size }, us) =>
      size >= 1 && bytes[start] !== 0 ? { timesUs: [us], values: [bytes[start]!] } : NOTHING,
    );
    add(RECORD.HEART_RATE_BLE, { ...plain, type: 'HR', unit: '/min' }, (record, us) => {
      const { rate } = heartRate(record);
      return rate === null ? NOTHING : { timesUs: [us], values: [rate] };
    });
    if (facts.hasBeats) {
      const beats = { ...plain, type: 'RR', dimensions: ['rr'], unit: 's', scale: [1 / 1024] };
      add(RECORD.HEART_RATE_BLE, beats, beatReader());
    }
    for (const [sensor, name] of THERMOMETERS.entries()) {
      if (!facts.thermometers.has(sensor)) continue;
      const line = facts.temperature?.[name];
      const scaling = line ? { unit: 'degC', scale: [line.gain], offset: [line.offset] } : { unit: 'adu' };
      add(RECORD.TEMPERATURE, { ...plain, type: 'TEMPERATURE', ...scaling }, thermometerReader(sensor));
    }
  }

  *push(record: LogRecord): Generator<SignalPage> {
    const us = this.#toUs(record.second);
    if (record.type === RECORD.SENSOR_DATA) {
      yield* this.#sensorData(record, us);
      return;
    }
    for (const { series, read } of this.#readers.get(record.type) ?? []) {
      const { timesUs, values } = read(record, us);
      yield* this.#rows(series, Float64Array.from(timesUs), [Int32Array.from(values)]);
    }
  }

  *end(): Generator<SignalPage> {
    for (const { builder } of this.#all) yield* builder.flush();
  }

  #addSchema(schema: SensorSchema, parameters: ReadonlyMap<ParameterId, number>): void {
    const parts = channelsOfSchema(schema, parameters).map(({ channel, columns }) => ({
      series: this.#add(channel),
      columns,
    }));
    this.#schemas.set(schema.id, { schema, parts });
  }

  #add(channel: SignalChannel): Series {
    const index = this.#firstIndex + this.channels.length;
    const again = this.channels.filter(
      ({ type }) => type === channel.type || type.startsWith(`${channel.type}_`),
    ).length;
    this.channels.push(again === 0 ? channel : { ...channel, type: `${channel.type}_${again + 1}` });
    const { dimensions, sampleBits, nominalRateHz } = channel;
    const builder = new TimedPageBuilder(index, dimensions.length, sampleBits, 1e6 / nominalRateHz);
    const series = { index, builder, lastUs: Number.NEGATIVE_INFINITY };
    this.#all.push(series);
    return series;
  }

  *#sensorData({ bytes, start, size }: LogRecord, secondUs: number): Generator<SignalPage> {
    if (size < 2) return;
    const found = this.#schemas.get(bytes[start]! | (bytes[start + 1]! << 8));
    const columns = found && sensorColumns(found.schema, bytes, start, size);
    if (!columns) return;
    const { samplesPerRecord } = found.schema;
    const times = Float64Array.from({ length: samplesPerRecord }, (_, i) =>
      Math.round(secondUs + (i * 1e6) / samplesPerRecord),
    );
    for (const part of found.parts) {
      yield* this.#rows(
        part.series,
        times,
        part.columns.map((column) => columns[column]!),
      );
    }
  }

  /** Rows of a time that was there already are left out, as for acceleration. */
  *#rows(series: Series, timesUs: Float64Array, columns: Int32Array[]): Generator<SignalPage> {
    const first = timesUs.findIndex((time) => time > series.lastUs);
    if (first < 0) return;
    series.lastUs = timesUs.at(-1)!;
    yield* series.builder.push(
      timesUs.subarray(first),
      columns.map((column) => column.subarray(first)),
      timesUs.length - first,
    );
  }
}

function rateOf({ count, firstSecond, lastSecond }: KindSeen): number {
  const span = lastSecond - firstSecond;
  return count > 1 && span > 0 ? Number(((count - 1) / span).toPrecision(4)) : 1;
}

function u16Reader(absent?: number): RowReader {
  return ({ bytes, start, size }, us) => {
    if (size < 2) return NOTHING;
    const value = bytes[start]! | (bytes[start + 1]! << 8);
    return value === absent ? NOTHING : { timesUs: [us], values: [value] };
  };
}

/** Entries of three bytes: the thermometer, and its reading; that of the processor is unsigned. */
function thermometerReader(sensor: number): RowReader {
  return ({ bytes, start, size }, us) => {
    for (let at = start; at + 3 <= start + size; at += 3) {
      if (bytes[at] !== sensor) continue;
      const value = bytes[at + 1]! | (bytes[at + 2]! << 8);
      return { timesUs: [us], values: [sensor === 0 ? value : (value << 16) >> 16] };
    }
    return NOTHING;
  };
}

/** The Heart Rate Measurement of Bluetooth (0x2A37). The rate is null without skin contact. */
export function heartRate({ bytes, start, size }: LogRecord): { rate: number | null; intervals: number[] } {
  const stop = start + size;
  const flags = bytes[start] ?? 0;
  let at = start + 1;
  const isWide = (flags & 1) !== 0;
  const rate = isWide ? (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) : (bytes[at] ?? 0);
  at += isWide ? 2 : 1;
  if (at > stop) return { rate: null, intervals: [] };
  if ((flags & 8) !== 0) at += 2;
  const hasNoContact = (flags & 6) === 4;
  const intervals: number[] = [];
  if ((flags & 16) !== 0) {
    for (; at + 2 <= stop; at += 2) intervals.push(bytes[at]! | (bytes[at + 1]! << 8));
  }
  return { rate: hasNoContact || rate === 0 ? null : rate, intervals: hasNoContact ? [] : intervals };
}

/** Beats have no time of their own: each follows the one before by its interval, as long as that stays near the record's second. */
function beatReader(): RowReader {
  let lastUs = Number.NaN;
  return (record, secondUs) => {
    const { intervals } = heartRate(record);
    if (intervals.length === 0) return NOTHING;
    const sumUs = intervals.reduce((sum, interval) => sum + (interval * 1e6) / 1024, 0);
    const isNear = Math.abs(lastUs + sumUs - secondUs) <= MAX_BEAT_DRIFT_US;
    let time = isNear ? lastUs : secondUs - sumUs;
    const timesUs = intervals.map((interval) => {
      time += (interval * 1e6) / 1024;
      return Math.round(time);
    });
    lastUs = time;
    return { timesUs, values: intervals };
  };
}

/** Schemas and kinds of foreign records, as a first reading meets them. */
export class ForeignSurvey {
  readonly seen = new Map<number, KindSeen>();
  readonly schemas = new Map<number, SensorSchema>();
  readonly thermometers = new Set<number>();
  hasBeats = false;
  unreadableSchemas = 0;

  take(record: LogRecord): void {
    const { type, second, bytes, start, size } = record;
    const kind = this.seen.get(type);
    if (kind) {
      kind.count++;
      kind.lastSecond = Math.max(kind.lastSecond, second);
    } else this.seen.set(type, { count: 1, firstSecond: second, lastSecond: second });
    if (type === RECORD.SENSOR_SCHEMA) {
      const schema = readSchema(bytes, start, size);
      if (schema && (this.schemas.size < MAX_SCHEMAS || this.schemas.has(schema.id)))
        this.schemas.set(schema.id, this.schemas.get(schema.id) ?? schema);
      else this.unreadableSchemas++;
    } else if (type === RECORD.TEMPERATURE) {
      for (let at = start; at + 3 <= start + size; at += 3) if (bytes[at]! <= 1) this.thermometers.add(bytes[at]!);
    } else if (type === RECORD.HEART_RATE_BLE && !this.hasBeats) {
      this.hasBeats = heartRate(record).intervals.length > 0;
    }
  }
}
