/** Records of further sensors (gyroscope, magnetometer, temperature of a GT9X Link): a schema names the columns of the data records. */
import type { SignalChannel } from '../../signals/types.ts';
import { PARAMETER, type ParameterId, sspFloat } from './parameters.ts';

const HEAD_BYTES = 6;
const COLUMN_BYTES = 23;
const MAX_COLUMNS = 64;
const MAX_SAMPLES = 4096;
/** The reading of the Link's thermometer at zero, where the parameters do not state it. */
const USUAL_TEMPERATURE_OFFSET = 21;

interface SensorColumn {
  label: string;
  isBigEndian: boolean;
  isSigned: boolean;
  bytes: number;
  scale: number;
}

export interface SensorSchema {
  id: number;
  samplesPerRecord: number;
  columns: SensorColumn[];
  rowBytes: number;
}

/** Null where the schema has columns of another width than the maker's own reader takes. */
export function readSchema(bytes: Uint8Array, start: number, size: number): SensorSchema | null {
  if (size < HEAD_BYTES) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset + start, size);
  const columnCount = view.getUint16(2, true);
  const samplesPerRecord = view.getUint16(4, true);
  if (columnCount === 0 || columnCount > MAX_COLUMNS || size < HEAD_BYTES + columnCount * COLUMN_BYTES) return null;
  if (samplesPerRecord === 0 || samplesPerRecord > MAX_SAMPLES) return null;
  const columns: SensorColumn[] = [];
  for (let i = 0; i < columnCount; i++) {
    const at = HEAD_BYTES + i * COLUMN_BYTES;
    const bits = view.getUint8(at + 2);
    if (bits !== 8 && bits !== 16) return null;
    const flags = view.getUint8(at);
    columns.push({
      label: Buffer.from(bytes.subarray(start + at + 7, start + at + COLUMN_BYTES))
        .toString('latin1')
        .replaceAll('\0', ' ')
        .trim(),
      isBigEndian: (flags & 1) !== 0,
      isSigned: (flags & 2) !== 0,
      bytes: bits / 8,
      scale: sspFloat(view.getUint32(at + 3, true)) || 1,
    });
  }
  return {
    id: view.getUint16(0, true),
    samplesPerRecord,
    columns,
    rowBytes: columns.reduce((sum, column) => sum + column.bytes, 0),
  };
}

/** One channel of a schema, and the columns that are its dimensions. */
export interface SensorChannel {
  channel: SignalChannel;
  columns: number[];
}

const KINDS: Record<string, { type: string; unit: string }> = {
  // The main accelerometer is `ACCEL`.
  accelerometer: { type: 'ACCEL_2', unit: 'g' },
  gyroscope: { type: 'GYRO', unit: 'dps' },
  magnetometer: { type: 'MAGNETOMETER', unit: 'uT' },
  temperature: { type: 'TEMPERATURE', unit: 'degC' },
};
const LABEL = /^(accelerometer|gyroscope|magnetometer|temperature)(?:[\s_-]*([xyz]))?$/i;

/** The channels of a schema; columns without a name are padding. */
export function channelsOfSchema(schema: SensorSchema, parameters: ReadonlyMap<ParameterId, number>): SensorChannel[] {
  const channels: SensorChannel[] = [];
  schema.columns.forEach((column, index) => {
    if (column.label === '') return;
    const known = LABEL.exec(column.label);
    const kind = KINDS[known?.[1]?.toLowerCase() ?? ''];
    const type = kind?.type ?? (column.label.toUpperCase().replace(/[^A-Z0-9]+/g, '_') || 'SIGNAL');
    const dimension = known?.[2]?.toLowerCase() ?? 'v';
    const stored = parameters.get(PARAMETER.TEMPERATURE_OFFSET);
    const zero = stored === undefined ? USUAL_TEMPERATURE_OFFSET : sspFloat(stored);
    const scale = 1 / column.scale;
    const offset = type === 'TEMPERATURE' ? zero : 0;
    const found = channels.find(({ channel }) => channel.type === type && !channel.dimensions.includes(dimension));
    if (found) {
      found.channel.dimensions.push(dimension);
      found.channel.scale.push(scale);
      found.channel.offset.push(offset);
      found.columns.push(index);
      return;
    }
    channels.push({
      channel: {
        type,
        dimensions: [dimension],
        unit: kind?.unit ?? 'adu',
        nominalRateHz: schema.samplesPerRecord,
        scale: [scale],
        offset: [offset],
        sampleBits: 32,
      },
      columns: [index],
    });
  });
  return channels;
}

/** Reads one column of a data record, whose payload begins with the schema's id; null when the record is too short. */
export function sensorColumns(
  schema: SensorSchema,
  bytes: Uint8Array,
  start: number,
  size: number,
): Int32Array[] | null {
  const { samplesPerRecord, rowBytes, columns } = schema;
  if (size < 2 + samplesPerRecord * rowBytes) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset + start + 2, size - 2);
  const values = columns.map(() => new Int32Array(samplesPerRecord));
  let at = 0;
  for (let i = 0; i < samplesPerRecord; i++) {
    for (const [c, column] of columns.entries()) {
      values[c]![i] = valueAt(view, at, column);
      at += column.bytes;
    }
  }
  return values;
}

function valueAt(view: DataView, at: number, { bytes, isSigned, isBigEndian }: SensorColumn): number {
  if (bytes === 1) return isSigned ? view.getInt8(at) : view.getUint8(at);
  return isSigned ? view.getInt16(at, !isBigEndian) : view.getUint16(at, !isBigEndian);
}
