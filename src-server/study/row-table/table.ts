/** A table that a person made in a spreadsheet: its header line, what each column means, and its rows. Pure. */
import { parse } from 'csv-parse/sync';
import { type FieldError, OutpostError } from '../../errors.ts';

/** Most rows of one table; a larger one would hold the site's only writer for too long. */
export const MAX_ROWS = 1000;

export interface Column<Member extends string> {
  header: string;
  /** Absent where nothing is known by this header: the column is left out. */
  member?: Member;
}

export interface Row<Member extends string> {
  /** Line of the text, from 1, as an editor counts. */
  line: number;
  /** It has cells beyond the last header, as when a decimal comma divides one: which cell belongs to which column is unknown. */
  isTooWide: boolean;
  /** Trimmed cells that are not empty. */
  cells: Partial<Record<Member, string>>;
}

export interface Table<Member extends string> {
  columns: Column<Member>[];
  rows: Row<Member>[];
}

/** Headers are compared without case, spaces, underscores, hyphens and brackets: `Height (cm)` is `heightcm`. */
export const headerKey = (header: string): string =>
  header
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s_()[\]\-.:*]/g, '');

/** The delimiter of the header line: whichever of tab, semicolon and comma divides it most often. */
function delimiterOf(text: string): string {
  const [head = ''] = text.split(/\r?\n/, 1);
  const count = (delimiter: string) => head.split(delimiter).length;
  return ['\t', ';', ','].reduce((best, next) => (count(next) > count(best) ? next : best));
}

interface Parsed {
  record: string[];
  info: { lines: number };
}

function parsed(text: string): Parsed[] {
  try {
    const options = { bom: true, delimiter: delimiterOf(text), info: true, relaxColumnCount: true, trim: true };
    return parse(text, { ...options, skipRecordsWithEmptyValues: true }) as unknown as Parsed[];
  } catch (error) {
    throw new OutpostError(
      'INVALID_INPUT',
      'The table is not readable as CSV: a quotation mark is missing or in a wrong place.',
      {
        cause: error,
        errors: [{ path: 'csv', message: error instanceof Error ? error.message : String(error) }],
      },
    );
  }
}

/**
 * Reads a table.
 * @param text CSV with a header line; delimited by commas, semicolons or tabs
 * @param known what is known by which header, as {@link headerKey}
 * @param exact what is known by exactly this header, which comes first
 * @param required the member without which no row means anything
 * @throws INVALID_INPUT when the text cannot be read, has no rows or too many, lacks the required column, or has one twice
 */
export function readTable<Member extends string>(
  text: string,
  known: ReadonlyMap<string, Member>,
  required: { member: Member; header: string },
  exact: ReadonlyMap<string, Member> = new Map(),
): Table<Member> {
  const refuse = (message: string) =>
    new OutpostError('INVALID_INPUT', message, { errors: [{ path: 'csv', message }] });
  const [head, ...body] = parsed(text);
  if (!head) throw refuse('The table is empty. Its first line names the columns.');
  const columns = head.record.map((header): Column<Member> => {
    const member = exact.get(header) ?? known.get(headerKey(header));
    return member === undefined ? { header } : { header, member };
  });
  const members = columns.flatMap(({ member }) => member ?? []);
  const twice = columns.find(
    ({ member }, at) => member !== undefined && members.indexOf(member) !== indexIn(columns, at),
  );
  if (twice) throw refuse(`Two columns mean the same: ${twice.header}. Remove one of them.`);
  if (!members.includes(required.member))
    throw refuse(`No column is called “${required.header}”. The first line of the table names its columns.`);
  if (body.length === 0) throw refuse('The table has a header line only.');
  if (body.length > MAX_ROWS)
    throw refuse(`The table has ${body.length} rows. Divide it into tables of at most ${MAX_ROWS}.`);
  const rows = body.map(({ record, info }): Row<Member> => {
    const cells: Partial<Record<Member, string>> = {};
    for (const [at, { member }] of columns.entries()) {
      const cell = record[at]?.trim() ?? '';
      if (member !== undefined && cell !== '') cells[member] = cell;
    }
    const isTooWide = record.slice(columns.length).some((cell) => cell.trim() !== '');
    return { line: info.lines, isTooWide, cells };
  });
  return { columns, rows };
}

/** Why a row that is too wide cannot be taken. */
export const TOO_WIDE: FieldError = {
  path: 'csv',
  message: 'The row has more cells than the header. Put cells with a comma in quotation marks.',
};

/** Place of a column among those that mean something. */
const indexIn = <Member extends string>(columns: readonly Column<Member>[], at: number): number =>
  columns.slice(0, at).filter(({ member }) => member !== undefined).length;
