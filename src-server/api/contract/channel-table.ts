/**
 * The binary form of the intraday channels: its format, shared by the server's encoder and the desk, and its decoder. Values are
 * those of the JSON answer exactly, in about a ninth of the bytes, and arrive as typed arrays. An Arrow stream would be
 * three times as long (float64 and a time per row) and its reader 200 kB of script.
 *
 * All integers are little-endian; each part begins at a multiple of 8 bytes.
 *
 * - File: `OPCH`, uint32 length of the head, the head (JSON, padded with spaces), then blocks.
 * - Block: uint32 number of rows, uint32 0, float64 time of the first row (epoch ms; rows follow at `intervalMs`), one byte per
 *   column with the width of its entries, padded with zeros; then the columns, each padded with zeros.
 * - A number column has entries of 1, 2 or 4 bytes (signed integers to be divided by the column's `divisor`; the smallest
 *   integer is null) or of 8 bytes (float64; NaN is null).
 * - A text column has entries of 1 byte: an index into the column's `names`, whose first member is null.
 * - The last block has 0 rows. Without it the answer is incomplete.
 */
import type { AnalysisParameters } from '../../vocabulary/analysis-parameters.ts';
import { CHANNEL_TABLE, CHANNELS, type ChannelType } from './channels.ts';
import type { CallOptions, Client } from './client-core.ts';
import type { Routes } from './index.ts';
import type { IntradayChannel } from './resources/analytics.ts';

export const CHANNEL_TABLE_MAGIC = 'OPCH';
export const CHANNEL_TABLE_ALIGNMENT = 8;

/** Columns of numbers in the order of the file; a resting posture has four columns. */
export const NUMBER_COLUMNS = [
  'heart_rate',
  'hrv',
  'frequency_hrv_ratio',
  'sleep_respiration',
  'steps',
  'combined_act_count',
  'resting_posture.ca',
  'resting_posture.sa',
] as const;
/** Columns of text; they follow the numbers. */
export const TEXT_COLUMNS = ['activity', 'resting_posture.c', 'resting_posture.s', 'sleeping_posture'] as const;
export type NumberColumn = (typeof NUMBER_COLUMNS)[number];
export type TextColumn = (typeof TEXT_COLUMNS)[number];

export interface ChannelTableHead {
  version: 1;
  intervalMs: number;
  columns: ({ name: NumberColumn; divisor: number } | { name: TextColumn; names: (string | null)[] })[];
  libraryConfigId?: string;
  algorithmVersion?: string;
  /** Those that the study had chosen: several where results of several are in the answer. */
  parameters?: AnalysisParameters[];
  /** SHA-256 of all that the values were computed from. */
  inputsHash?: string;
}

/** A column of text: `names[codes[i]]` is the value of row i; `names[0]` is null. */
export interface CodedTexts {
  codes: Uint8Array;
  names: readonly (string | null)[];
}

/** The channels as columns; row i of each belongs to the bin that starts at `times[i]`. */
export interface ChannelTable {
  intervalMs: number;
  times: Float64Array;
  /** NaN where there is no value. */
  numbers: Record<NumberColumn, Float64Array>;
  texts: Record<TextColumn, CodedTexts>;
  libraryConfigId: string | undefined;
  algorithmVersion: string | undefined;
  /** Of all that the values were computed from. */
  inputsHash: string | undefined;
}

const aligned = (offset: number): number => Math.ceil(offset / CHANNEL_TABLE_ALIGNMENT) * CHANNEL_TABLE_ALIGNMENT;

interface Block {
  rows: number;
  firstMs: number;
  widths: Uint8Array;
  /** Byte offset of each column. */
  offsets: number[];
}

function incomplete(): Error {
  return new Error('The channels are incomplete: the connection ended before the last block.');
}

/** Reads the block at `at` and returns it with the offset of the next one. @throws Error when it is cut off */
function blockAt(view: DataView<ArrayBuffer>, at: number, columns: number): [Block, next: number] {
  if (at + 16 + columns > view.byteLength) throw incomplete();
  const rows = view.getUint32(at, true);
  const widths = new Uint8Array(view.buffer, at + 16, columns);
  const offsets: number[] = [];
  let next = aligned(at + 16 + columns);
  for (const width of widths) {
    offsets.push(next);
    next = aligned(next + rows * width);
  }
  if (next > view.byteLength) throw incomplete();
  return [{ rows, firstMs: view.getFloat64(at + 8, true), widths, offsets }, next];
}

/** The integers of an entry width; platforms that run a browser or Node are little-endian, as the format is. */
const INTEGERS = { 1: Int8Array, 2: Int16Array, 4: Int32Array } as const;

function readNumbers(
  target: Float64Array,
  start: number,
  buffer: ArrayBuffer,
  block: Block,
  c: number,
  divisor: number,
) {
  const width = block.widths[c]!;
  const offset = block.offsets[c]!;
  if (width === 8) return target.set(new Float64Array(buffer, offset, block.rows), start);
  const counts = new INTEGERS[width as keyof typeof INTEGERS](buffer, offset, block.rows);
  const none = -(2 ** (8 * width - 1));
  for (let i = 0; i < counts.length; i++) {
    const count = counts[i]!;
    target[start + i] = count === none ? Number.NaN : count / divisor;
  }
}

/** Decodes an answer of type {@link CHANNEL_TABLE}. @throws Error when it is incomplete or of another format */
export function decodeChannelTable(buffer: ArrayBuffer): ChannelTable {
  const view = new DataView(buffer);
  const text = (from: number, length: number) => new TextDecoder().decode(new Uint8Array(buffer, from, length));
  if (buffer.byteLength < 8 || text(0, 4) !== CHANNEL_TABLE_MAGIC) throw new Error('The answer holds no channels.');
  const headLength = view.getUint32(4, true);
  if (8 + headLength > buffer.byteLength) throw incomplete();
  const head = JSON.parse(text(8, headLength)) as ChannelTableHead;
  const blocks: Block[] = [];
  let at = 8 + headLength;
  for (;;) {
    const [block, next] = blockAt(view, at, head.columns.length);
    if (block.rows === 0) break;
    blocks.push(block);
    at = next;
  }
  const rows = blocks.reduce((sum, block) => sum + block.rows, 0);
  const times = new Float64Array(rows);
  const numbers = new Map<string, Float64Array>();
  const texts = new Map<string, CodedTexts>();
  let start = 0;
  for (const block of blocks) {
    for (let i = 0; i < block.rows; i++) times[start + i] = block.firstMs + i * head.intervalMs;
    start += block.rows;
  }
  for (const [c, column] of head.columns.entries()) {
    start = 0;
    if ('names' in column) {
      const codes = new Uint8Array(rows);
      texts.set(column.name, { codes, names: column.names });
      for (const block of blocks) {
        codes.set(new Uint8Array(buffer, block.offsets[c]!, block.rows), start);
        start += block.rows;
      }
    } else {
      const values = new Float64Array(rows);
      numbers.set(column.name, values);
      for (const block of blocks) {
        readNumbers(values, start, buffer, block, c, column.divisor);
        start += block.rows;
      }
    }
  }
  const { intervalMs, libraryConfigId, algorithmVersion, inputsHash } = head;
  return {
    intervalMs,
    times,
    numbers: Object.fromEntries(numbers) as ChannelTable['numbers'],
    texts: Object.fromEntries(texts) as ChannelTable['texts'],
    libraryConfigId,
    algorithmVersion,
    inputsHash,
  };
}

/** Calls Get channels and decodes its binary answer. @throws ApiError as `call` does; Error when the answer is incomplete */
export async function fetchChannelTable(
  client: Client,
  options: Omit<CallOptions<Routes['getChannels']>, 'accept'>,
): Promise<ChannelTable> {
  const response = await client.fetch('getChannels', { ...options, accept: CHANNEL_TABLE });
  return decodeChannelTable(await response.arrayBuffer());
}

const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value);

function cellOf({ numbers, texts }: ChannelTable, type: ChannelType, i: number): IntradayChannel['values'][number] {
  const textAt = ({ codes, names }: CodedTexts) => names[codes[i]!] ?? null;
  if (type === 'activity' || type === 'sleeping_posture') return textAt(texts[type]);
  if (type !== 'resting_posture') return orNull(numbers[type][i]!);
  const c = textAt(texts['resting_posture.c']);
  const s = textAt(texts['resting_posture.s']);
  if (c === null || s === null) return null;
  return { c, ca: numbers['resting_posture.ca'][i]!, s, sa: numbers['resting_posture.sa'][i]! };
}

/** Returns the channels of a table in the shape of the JSON answer. They share one array of times. */
export function channelsOfTable(table: ChannelTable): IntradayChannel[] {
  const times = Array.from(table.times);
  return CHANNELS.map(({ type, units }) => ({
    type,
    units,
    times,
    values: times.map((_, i) => cellOf(table, type, i)),
  }));
}
