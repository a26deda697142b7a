/** Recognises a delimited text by its head: the template of the study that fits, or a proposal, with its first rows. */

import type { RecognisedText } from '../../study/recognition.ts';
import { type CsvMapping, type CsvTemplate, matchingTemplates } from '../../vocabulary/csv-mapping.ts';
import { previewOf } from './preview.ts';
import { proposeMapping } from './propose-mapping.ts';
import { cellsOf, tableShape, wholeLines } from './table-shape.ts';
import { textOfHead } from './text-chunks.ts';

const SHOWN_LINES = 12;
const MAX_LINE_CHARACTERS = 400;
const MAX_COLUMNS = 1000;

const linesOf = (head: Uint8Array, isWholeFile: boolean): { bytes: Uint8Array; lines: string[] } | null => {
  const bytes = textOfHead(head);
  return bytes && { bytes, lines: wholeLines(new TextDecoder().decode(bytes), isWholeFile) };
};

const templatesIn = (lines: readonly string[], templates: readonly CsvTemplate[]): CsvTemplate[] =>
  matchingTemplates(templates, { cellsOf: (line, delimiter) => cellsOf(lines[line] ?? '', delimiter) });

/** Of equal ones, the one saved last: a person sees which it is before the import. */
const templateIn = (lines: readonly string[], templates: readonly CsvTemplate[]): CsvTemplate | undefined =>
  templatesIn(lines, templates).at(-1);

/** All templates that read a text differently, where nobody sees which is used. */
export function templatesOfText(head: Uint8Array, templates: readonly CsvTemplate[]): CsvTemplate[] {
  const text = linesOf(head, true);
  const found = text ? templatesIn(text.lines, templates) : [];
  return [...new Map(found.map((template) => [JSON.stringify(template.mapping), template])).values()];
}

export function templateOfText(head: Uint8Array, templates: readonly CsvTemplate[]): CsvTemplate | undefined {
  const text = linesOf(head, true);
  return text ? templateIn(text.lines, templates) : undefined;
}

/** Returns null for bytes that are no table of numbers. */
export function recogniseText(
  head: Uint8Array,
  isWholeFile: boolean,
  { mapping, templates }: { mapping?: CsvMapping; templates: readonly CsvTemplate[] },
): RecognisedText | null {
  const text = linesOf(head, isWholeFile);
  if (!text) return null;
  const shape = tableShape(text.lines);
  const template = templateIn(text.lines, templates);
  const used = mapping ?? template?.mapping ?? (shape ? proposeMapping(shape) : undefined);
  if (!used) return null;
  const header = cellsOf(text.lines[used.skipLines] ?? '', used.delimiter).slice(0, MAX_COLUMNS);
  return {
    lines: text.lines.slice(0, SHOWN_LINES).map((line) => line.slice(0, MAX_LINE_CHARACTERS)),
    columns: used.hasHeader ? header : header.map(() => ''),
    mapping: used,
    origin: mapping ? 'GIVEN' : template ? 'TEMPLATE' : 'PROPOSED',
    ...(template && { templateId: template.id }),
    preview: previewOf(text.bytes, isWholeFile, used),
  };
}
