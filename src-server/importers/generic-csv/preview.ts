/** Rows of the head of a file as a mapping reads them, with every row that does not fit. */

import type { CsvPreview } from '../../study/recognition.ts';
import { type CsvMapping, mappingFaults } from '../../vocabulary/csv-mapping.ts';
import { MappedRows, type RowListener } from './mapped-rows.ts';

const SHOWN_ROWS = 20;
const MAX_TEXT = 60;

/** Returns null for a mapping that cannot be used. Of a part of a file, the line that is cut at its end is left out. */
export function previewOf(bytes: Uint8Array, isWholeFile: boolean, mapping: CsvMapping): CsvPreview | null {
  if (mappingFaults(mapping).length > 0) return null;
  const columns = mapping.channels.flatMap((channel) => channel.columns);
  const isFromStart = mapping.time.kind === 'ELAPSED' || mapping.time.kind === 'SAMPLE_NUMBER';
  const rows: CsvPreview['rows'] = [];
  const listener: RowListener = {
    row: (line, timeUs, cell) => {
      if (rows.length >= SHOWN_ROWS) return;
      const values = columns.map((column) => cell(column).slice(0, MAX_TEXT).replace(mapping.decimal, '.'));
      rows.push({ line, time: isFromStart ? elapsed(timeUs) : stamp(timeUs), values });
    },
  };
  const reader = new MappedRows('the file', mapping, { listener });
  const end = isWholeFile ? bytes.byteLength : bytes.lastIndexOf(10) + 1;
  for (const _ of reader.push(bytes.subarray(0, end)));
  for (const _ of reader.end());
  const { rows: rowCount, unreadable, missingCells, faults, offsetMinutes, firstUs } = reader;
  return {
    rows,
    counts: { rows: rowCount, unreadable, missing: missingCells },
    faults,
    clock: isFromStart ? 'FROM_START' : clockOf(mapping, offsetMinutes),
    ...(!isFromStart && Number.isFinite(firstUs) && { start: stamp(firstUs) }),
  };
}

function clockOf({ time }: CsvMapping, offsetMinutes: number | null | undefined): CsvPreview['clock'] {
  if (time.kind === 'UNIX') return 'UTC';
  if (offsetMinutes === null || offsetMinutes === undefined) return 'WALL_CLOCK';
  return offsetMinutes === 0 ? 'UTC' : 'OFFSET_IN_FILE';
}

/** ISO 8601 without an offset. */
function stamp(timeUs: number): string {
  const date = new Date(Math.floor(timeUs / 1000));
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, -1);
}

const elapsed = (timeUs: number): string => `+${(timeUs / 1e6).toFixed(6).replace(/\.?0+$/, '')} s`;
