/** Pages to blocks and back. Layout: recording-format.md, section 4. */
import type { SampleArray, SignalPage } from '../types.ts';
import { BLOCK_PAGE, type BlockCodec, type BlockHead, FLAG_TIME_RESIDUALS, LIMITS } from './block.ts';
import {
  COLUMN_ENTRY_BYTES,
  type ColumnCoding,
  decodeColumn,
  encodeColumn,
  readColumnEntry,
  writeColumnEntry,
} from './columns.ts';
import type { CodecPlatform } from './platform.ts';

/** Exact time in microseconds of sample `index` of a whole page. */
export function sampleTimeUs(page: SignalPage, index: number): number {
  return Math.round(page.startUs + index * page.periodUs) + (page.timeResidualsUs ? page.timeResidualsUs[index]! : 0);
}

let planeScratch = new Uint8Array(0);

/** Reusable memory for the columns of one page: a decoded page is valid until the next one is decoded. */
export interface ColumnMemory {
  column(index: number, widthBytes: 2 | 4, count: number): SampleArray;
}

export const newColumn = (widthBytes: 2 | 4, count: number): SampleArray =>
  widthBytes === 2 ? new Int16Array(count) : new Int32Array(count);

export function createPageCodec(
  { compressFrame, decompressFrame, detachFrame }: CodecPlatform,
  { encodeBlock }: BlockCodec,
) {
  /** Columns coded together: the column table, and one zstd frame of all planes (empty when every residual is zero). */
  function encodeColumns(columns: SampleArray[], widths: (2 | 4)[]): { parts: Uint8Array[]; rawLength: number } {
    const table = new Uint8Array(columns.length * COLUMN_ENTRY_BYTES);
    const room = columns.reduce((sum, column, i) => sum + column.length * widths[i]!, 0);
    if (planeScratch.length < room) planeScratch = new Uint8Array(Math.max(room, 1 << 17));
    let rawLength = 0;
    columns.forEach((column, i) => {
      const coding = encodeColumn(column, widths[i]!, planeScratch, rawLength);
      writeColumnEntry(coding, table, i * COLUMN_ENTRY_BYTES);
      rawLength += coding.planes * column.length;
    });
    return { parts: [table, compressFrame(planeScratch.subarray(0, rawLength))], rawLength };
  }

  /** The columns of a block's payload, null when the payload does not fit its head. `columnCount` includes residuals. */
  function decodeColumns(
    head: BlockHead,
    payload: Uint8Array,
    columnCount: number,
    memory?: ColumnMemory,
  ): SampleArray[] | null {
    const tableBytes = columnCount * COLUMN_ENTRY_BYTES;
    if (payload.length < tableBytes) return null;
    const codings: ColumnCoding[] = [];
    let rawLength = 0;
    for (let i = 0; i < columnCount; i++) {
      const coding = readColumnEntry(payload, i * COLUMN_ENTRY_BYTES);
      if (coding === null) return null;
      codings.push(coding);
      rawLength += coding.planes * head.count;
    }
    if (rawLength !== head.rawLength) return null;
    // A constant column costs no bytes in the file: bound the decoded size too.
    if (codings.reduce((sum, coding) => sum + coding.widthBytes * head.count, 0) > LIMITS.rawBytes) return null;
    const raw = decompressFrame(payload.subarray(tableBytes), rawLength);
    if (raw === null) return null;
    let at = 0;
    const columns = codings.map((coding, i) => {
      const out = memory?.column(i, coding.widthBytes, head.count) ?? newColumn(coding.widthBytes, head.count);
      decodeColumn(coding, raw, at, out);
      at += coding.planes * head.count;
      return out;
    });
    detachFrame(raw);
    return columns;
  }

  /** One page as a block. The page must be valid (the writer checks). */
  function encodePage(page: SignalPage, sampleBits: 16 | 32, sequence: number): Uint8Array<ArrayBuffer> {
    const columns: SampleArray[] = [...page.columns];
    const widths: (2 | 4)[] = page.columns.map(() => (sampleBits === 16 ? 2 : 4));
    if (page.timeResidualsUs) {
      columns.push(page.timeResidualsUs);
      widths.push(4);
    }
    const { parts, rawLength } = encodeColumns(columns, widths);
    return encodeBlock(
      {
        kind: BLOCK_PAGE,
        flags: page.timeResidualsUs ? FLAG_TIME_RESIDUALS : 0,
        channel: page.channel,
        sequence,
        startUs: page.startUs,
        periodUs: page.periodUs,
        firstUs: sampleTimeUs(page, 0),
        lastUs: sampleTimeUs(page, page.count - 1),
        count: page.count,
        rawLength,
      },
      parts,
    );
  }

  /**
   * The page of a block, null when the payload does not fit its head or the channel's dimensions and sample width.
   *
   * @param memory holds the samples, if not memory of their own
   */
  function decodePage(
    head: BlockHead,
    payload: Uint8Array,
    dimensions: number,
    sampleBits: 16 | 32,
    memory?: ColumnMemory,
  ): SignalPage | null {
    const hasResiduals = (head.flags & FLAG_TIME_RESIDUALS) !== 0;
    const columns = decodeColumns(head, payload, dimensions + (hasResiduals ? 1 : 0), memory);
    if (columns === null) return null;
    const residuals = hasResiduals ? columns.pop() : undefined;
    if (residuals instanceof Int16Array) return null;
    const bytes = sampleBits / 8;
    if (columns.some((column) => column.BYTES_PER_ELEMENT !== bytes)) return null;
    const page: SignalPage = {
      channel: head.channel,
      startUs: head.startUs,
      periodUs: head.periodUs,
      count: head.count,
      columns,
    };
    if (residuals) page.timeResidualsUs = residuals;
    const fits = sampleTimeUs(page, 0) === head.firstUs && sampleTimeUs(page, head.count - 1) === head.lastUs;
    return fits && hasOrderedTimes(page) ? page : null;
  }

  return { encodeColumns, decodeColumns, encodePage, decodePage };
}

/** True if times never decrease; only residuals can violate that. */
export function hasOrderedTimes(page: SignalPage): boolean {
  if (!page.timeResidualsUs) return true;
  let before = -Infinity;
  for (let i = 0; i < page.count; i++) {
    const time = sampleTimeUs(page, i);
    if (time < before) return false;
    before = time;
  }
  return true;
}
