/** Streams the nine channels in the binary form of `contract/channel-table.ts`, one block per computed piece. */
import { type BinnedChannels, sleepingPostureName } from '../../../analytics/channels.ts';
import { ACTIVITIES, LEAN_FORWARDS, LEAN_SIDES, LYING_POSTURES } from '../../../analytics/types.ts';
import { OutpostError } from '../../../errors.ts';
import {
  CHANNEL_TABLE_ALIGNMENT,
  CHANNEL_TABLE_MAGIC,
  type ChannelTableHead,
  NUMBER_COLUMNS,
  type NumberColumn,
  TEXT_COLUMNS,
  type TextColumn,
} from '../../contract/channel-table.ts';
import type { ByteStream } from '../../framework/byte-stream.ts';
import type { ResultMethod } from './result-method.ts';

/** The steps in which analytics rounds or counts each value. Values on other steps are sent as float64. */
const DIVISORS: Record<NumberColumn, number> = {
  heart_rate: 1000,
  hrv: 1000,
  frequency_hrv_ratio: 1000,
  sleep_respiration: 1000,
  steps: 1,
  combined_act_count: 16,
  'resting_posture.ca': 10,
  'resting_posture.sa': 10,
};

/** A posture asleep is one of the lying ones or lies between two of them. */
const SLEEPING_NAMES = LYING_POSTURES.flatMap((first, i) =>
  LYING_POSTURES.map((second, k) => (first === null && second !== null ? null : sleepingPostureName(i + 16 * k))),
);

const NAMES: Record<TextColumn, (string | null)[]> = {
  activity: [...ACTIVITIES],
  'resting_posture.c': [...LEAN_SIDES],
  'resting_posture.s': [...LEAN_FORWARDS],
  sleeping_posture: [null, ...new Set(SLEEPING_NAMES.filter((name) => name !== null))],
};

const CODES = new Map(
  TEXT_COLUMNS.map((column) => [column, new Map(NAMES[column].map((name, code) => [name, code]))] as const),
);

const aligned = (length: number): number => Math.ceil(length / CHANNEL_TABLE_ALIGNMENT) * CHANNEL_TABLE_ALIGNMENT;

function headOf(intervalMs: number, method: ResultMethod | null): Buffer {
  const head: ChannelTableHead = {
    version: 1,
    intervalMs,
    columns: [
      ...NUMBER_COLUMNS.map((name) => ({ name, divisor: DIVISORS[name] })),
      ...TEXT_COLUMNS.map((name) => ({ name, names: NAMES[name] })),
    ],
    ...method,
  };
  const json = Buffer.from(JSON.stringify(head));
  const bytes = Buffer.alloc(8 + aligned(json.length), ' ');
  bytes.write(CHANNEL_TABLE_MAGIC, 0);
  bytes.writeUInt32LE(aligned(json.length), 4);
  json.copy(bytes, 8);
  return bytes;
}

interface Column {
  width: number;
  write(block: ArrayBuffer, offset: number): void;
}

const INTEGERS = { 1: Int8Array, 2: Int16Array, 4: Int32Array } as const;
const WIDTHS = [1, 2, 4] as const;

/** JSON has no other numbers than finite ones, and no negative zero. */
const jsonNumber = (value: number | null): number =>
  value === null || !Number.isFinite(value) ? Number.NaN : value + 0;

/** Returns the values in steps of `1 / divisor` (NaN for null), or undefined when some value is between two steps. */
function countsOf(values: readonly (number | null)[], divisor: number): Float64Array | undefined {
  const counts = new Float64Array(values.length);
  for (let i = 0; i < counts.length; i++) {
    const value = jsonNumber(values[i]!);
    const count = Math.round(value * divisor);
    if (count / divisor !== value && !Number.isNaN(value)) return undefined;
    counts[i] = count;
  }
  return counts;
}

function numberColumn(values: readonly (number | null)[], divisor: number): Column {
  const counts = countsOf(values, divisor);
  const largest = counts?.reduce((most, count) => (Number.isNaN(count) ? most : Math.max(most, Math.abs(count))), 0);
  const width = WIDTHS.find((bytes) => largest !== undefined && largest < 2 ** (8 * bytes - 1));
  if (counts === undefined || width === undefined) {
    return {
      width: 8,
      write: (block, offset) => new Float64Array(block, offset, values.length).set(values.map(jsonNumber)),
    };
  }
  const none = -(2 ** (8 * width - 1));
  return {
    width,
    write: (block, offset) => {
      const entries = new INTEGERS[width](block, offset, counts.length);
      for (let i = 0; i < counts.length; i++) entries[i] = Number.isNaN(counts[i]!) ? none : counts[i]!;
    },
  };
}

function textColumn(name: TextColumn, values: readonly (string | null)[]): Column {
  const codes = CODES.get(name)!;
  return {
    width: 1,
    write: (block, offset) => {
      const entries = new Uint8Array(block, offset, values.length);
      for (let i = 0; i < entries.length; i++) {
        const code = codes.get(values[i]!);
        if (code === undefined) throw new OutpostError('INTERNAL', `The column ${name} has no code for ${values[i]}.`);
        entries[i] = code;
      }
    },
  };
}

function columnsOf({ values }: BinnedChannels): Column[] {
  const posture = values.resting_posture;
  const numbers: Record<NumberColumn, readonly (number | null)[]> = {
    ...values,
    'resting_posture.ca': posture.map((value) => value?.ca ?? null),
    'resting_posture.sa': posture.map((value) => value?.sa ?? null),
  };
  const texts: Record<TextColumn, readonly (string | null)[]> = {
    ...values,
    'resting_posture.c': posture.map((value) => value?.c ?? null),
    'resting_posture.s': posture.map((value) => value?.s ?? null),
  };
  return [
    ...NUMBER_COLUMNS.map((name) => numberColumn(numbers[name], DIVISORS[name])),
    ...TEXT_COLUMNS.map((name) => textColumn(name, texts[name])),
  ];
}

/** Returns a block: its rows, the time of the first one, and the columns. */
function blockOf(rows: number, firstMs: number, columns: readonly Column[]): Uint8Array {
  const start = aligned(16 + columns.length);
  const block = new ArrayBuffer(columns.reduce((end, { width }) => end + aligned(rows * width), start));
  const view = new DataView(block);
  view.setUint32(0, rows, true);
  view.setFloat64(8, firstMs, true);
  let offset = start;
  for (const [c, { width, write }] of columns.entries()) {
    view.setUint8(16 + c, width);
    write(block, offset);
    offset += aligned(rows * width);
  }
  return new Uint8Array(block);
}

const LAST_BLOCK = blockOf(
  0,
  0,
  [...NUMBER_COLUMNS, ...TEXT_COLUMNS].map(() => ({ width: 1, write: () => undefined })),
);

/**
 * Sends each piece as it is computed, so memory does not grow with the window.
 * @param method behind them; null where there is nothing
 */
export async function writeChannelTable(
  stream: ByteStream,
  pieces: AsyncIterable<BinnedChannels>,
  intervalMs: number,
  method: ResultMethod | null,
): Promise<void> {
  await stream.raw(headOf(intervalMs, method));
  for await (const piece of pieces) {
    if (piece.times.length > 0) await stream.raw(blockOf(piece.times.length, piece.times[0]!, columnsOf(piece)));
  }
  await stream.raw(LAST_BLOCK);
  await stream.end();
}
