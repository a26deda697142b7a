/** The text files beside the data of an MC10 export: `*-errors.csv` as marks and `annotations.csv` as labels. */
import { parse } from 'csv-parse';
import type { SignalMark } from '../../signals/types.ts';
import { fromSpreadsheetCell } from '../../study/spreadsheet-cells.ts';
import { damaged, unsupported } from '../refusals.ts';
import type { ImportedLabel } from '../types.ts';
import { requirePlausibleTime, type TimeUnit, timeUnit, unknownTimeUnit } from '../units.ts';
import type { CsvMember } from './csv-signal.ts';

/** Limit of faults or annotations in the side file of a recording. */
const MAX_ROWS = 1_000_000;
const MAX_FIELD_CHARACTERS = 1 << 20;

const ANNOTATION_COLUMNS = [
  'Timestamp (ms)',
  'AnnotationId',
  'EventType',
  'AuthorId',
  'Start Timestamp (ms)',
  'Stop Timestamp (ms)',
  'Value',
];

async function* rowsOf(member: CsvMember): AsyncGenerator<string[]> {
  const parser = parse({
    bom: true,
    relax_column_count: true,
    relax_quotes: true,
    max_record_size: MAX_FIELD_CHARACTERS,
  });
  let problem: unknown;
  const feed = async (): Promise<void> => {
    try {
      for await (const chunk of member.open()) {
        if (!parser.write(chunk)) await new Promise((resolve) => parser.once('drain', resolve));
      }
      parser.end();
    } catch (thrown) {
      problem = thrown;
      parser.destroy();
    }
  };
  const feeding = feed();
  let rows = 0;
  try {
    for await (const row of parser) {
      if (++rows > MAX_ROWS) throw unsupported(member.name, `it has more than ${MAX_ROWS} rows.`);
      yield row as string[];
    }
  } catch (thrown) {
    if (problem) throw problem;
    if (thrown instanceof Error && 'code' in thrown && String(thrown.code).startsWith('CSV_')) {
      throw damaged(member.name, `row ${rows + 1} is not a row of a CSV file.`);
    }
    throw thrown;
  }
  await feeding;
  if (problem) throw problem;
}

const MILLISECONDS: TimeUnit = { kind: 'number', power: 3 };

/** Converts a time cell to microseconds, in the unit of the header. */
function timeUs(member: CsvMember, cell: string, unit: TimeUnit, row: number): number {
  const time = unit.kind === 'number' ? Number(cell) * 10 ** unit.power : Date.parse(cell) * 1000;
  if (cell.trim() === '' || !Number.isFinite(time)) throw damaged(member.name, `row ${row} has no time.`);
  requirePlausibleTime(member.name, time, unit);
  return Math.round(time);
}

/** Reads the faults of one channel. */
export async function readErrorMarks(member: CsvMember, channel: number): Promise<SignalMark[]> {
  const marks: SignalMark[] = [];
  let unit: TimeUnit | undefined;
  for await (const [time = '', reason] of rowsOf(member)) {
    if (!unit) {
      const unitName = /^timestamp \((.+)\)$/i.exec(time)?.[1];
      if (unitName === undefined) throw damaged(member.name, 'its first line is not "Timestamp (...),Reason".');
      unit = timeUnit(unitName);
      if (!unit) throw unknownTimeUnit(member.name, time, unitName);
      continue;
    }
    marks.push({
      channel,
      timeUs: timeUs(member, time, unit, marks.length + 1),
      reason: fromSpreadsheetCell(reason ?? ''),
    });
  }
  return marks;
}

/** Reads annotations.csv as labels: name, time span, and the answer as the value. */
export async function readAnnotationLabels(member: CsvMember): Promise<ImportedLabel[]> {
  const labels: ImportedLabel[] = [];
  let isHeader = true;
  for await (const row of rowsOf(member)) {
    if (isHeader) {
      isHeader = false;
      if (row.join(',') !== ANNOTATION_COLUMNS.join(','))
        throw damaged(member.name, 'its header is not that of an annotations file.');
      continue;
    }
    const [reported = '', annotationId = '', eventType, , start, stop, value] = row;
    const number = labels.length + 1;
    if (row.length !== ANNOTATION_COLUMNS.length)
      throw damaged(member.name, `row ${number} has ${row.length} cells instead of 7.`);
    const startUs = timeUs(member, start || reported, MILLISECONDS, number);
    const stopUs = timeUs(member, stop || start || reported, MILLISECONDS, number);
    const label: ImportedLabel = { startUs, stopUs, displayName: fromSpreadsheetCell(eventType || annotationId) };
    if (value) label.value = fromSpreadsheetCell(value);
    labels.push(label);
  }
  return labels;
}
