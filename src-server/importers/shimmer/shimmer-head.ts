/** Recognises texts that Consensys exports from Shimmer sensors, and parses the lines above their rows. */
import type { FileHead } from '../foreign-format.ts';

const SEPARATOR_LINE = /^\ufeff?"?sep=(.?)"?\s*$/;
const SEPARATORS = ['\t', ';', ','] as const;
export type ShimmerSeparator = (typeof SEPARATORS)[number];
/** `Shimmer_40AC_Accel_WR_X_CAL`. */
const COLUMN = /^(.+)_(CAL|UNCAL|RAW)$/;

export interface ShimmerColumn {
  place: number;
  /** As the file names it. */
  name: string;
  /** Without the ending. */
  stem: string;
  isCalibrated: boolean;
  unit: string;
}

export interface ShimmerHeader {
  separator: ShimmerSeparator;
  /** Cells of a row, without the empty one behind a trailing separator. */
  width: number;
  columns: ShimmerColumn[];
  /** Lines above the rows. */
  lineCount: number;
}

const cellsOf = (line: string, separator: string): string[] => {
  const cells = line.split(separator).map((cell) =>
    cell
      .trim()
      .replace(/^"(.*)"$/, '$1')
      .trim(),
  );
  while (cells.length > 1 && cells.at(-1) === '') cells.pop();
  return cells;
};

/** Parses the first lines; null when they are of another format. */
export function shimmerHeader(lines: readonly string[]): ShimmerHeader | null {
  const stated = SEPARATOR_LINE.exec(lines[0] ?? '')?.[1];
  const namesAt = stated === undefined ? 0 : 1;
  const names = (lines[namesAt] ?? '').replace(/^\ufeff/, '');
  // A program that saved the file again may have left the first line as it was.
  const candidates = SEPARATORS.map((separator) => ({ separator, cells: cellsOf(names, separator) }));
  const fitting = candidates.filter(
    ({ cells }) => cells.length > 1 && cells.filter((cell) => COLUMN.test(cell)).length * 2 > cells.length,
  );
  const found = fitting.find(({ separator }) => separator === stated) ?? fitting.sort(mostCells)[0];
  if (!found) return null;
  if (stated === undefined && !found.cells.some((cell) => /timestamp/i.test(cell))) return null;
  const { separator, cells } = found;
  const units = cellsOf(lines[namesAt + 1] ?? '', separator);
  const hasUnits = !units.some((cell) => /^[-+]?\d/.test(cell));
  return {
    separator,
    width: cells.length,
    lineCount: namesAt + (hasUnits ? 2 : 1),
    columns: cells.flatMap((name, place) => {
      const [, stem, kind] = COLUMN.exec(name) ?? [];
      if (stem === undefined) return [];
      return [{ place, name, stem, isCalibrated: kind === 'CAL', unit: hasUnits ? (units[place] ?? '') : '' }];
    }),
  };
}

const mostCells = (a: { cells: string[] }, b: { cells: string[] }): number => b.cells.length - a.cells.length;

export const isShimmer = ({ text }: FileHead): boolean => shimmerHeader(text.split(/\r?\n/, 3)) !== null;
