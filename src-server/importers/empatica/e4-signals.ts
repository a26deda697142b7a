/** The signals of an E4 session, one CSV each. No gap inside a signal can be seen. */
import type { SignalChannel, SignalPage } from '../../signals/types.ts';
import { EvenPager } from '../even-values.ts';
import { damaged, throwIfAborted } from '../refusals.ts';
import { linesOf, type SetMember } from '../set-members.ts';
import { requirePlausibleTime } from '../units.ts';
import { ValueGrid } from '../value-grid.ts';
import { baseName, numberOf, SECONDS } from './e4-members.ts';

export interface SignalKind {
  file: string;
  type: string;
  dimensions: string[];
  unit: string;
  /** Units of the file per stored unit. */
  perUnit: number;
}

export const SIGNALS: readonly SignalKind[] = [
  { file: 'acc.csv', type: 'ACCEL', dimensions: ['x', 'y', 'z'], unit: 'g', perUnit: 64 },
  { file: 'bvp.csv', type: 'PPG', dimensions: ['v'], unit: 'adu', perUnit: 1 },
  { file: 'eda.csv', type: 'EDA', dimensions: ['v'], unit: 'uS', perUnit: 1 },
  { file: 'temp.csv', type: 'TEMPERATURE', dimensions: ['v'], unit: 'degC', perUnit: 1 },
  { file: 'hr.csv', type: 'HR', dimensions: ['v'], unit: '/min', perUnit: 1 },
];

const MAX_RATE_HZ = 10_000;

export interface ScannedSignal {
  member: SetMember;
  channel: SignalChannel;
  startUs: number;
  stepsPerValue: number[];
}

/** Rows of a signal after its two lines of header; a row that holds no numbers is all NaN and keeps its place in time. */
async function* rowsOf(
  member: SetMember,
  columns: number,
  onBytes?: (bytes: number) => void,
): AsyncGenerator<{ startUs: number; rateHz: number; rows: Float64Array[]; broken: number; isCut: boolean }> {
  const header: number[] = [];
  for await (const { lines, isCut } of linesOf(member, onBytes)) {
    const rows: Float64Array[] = [];
    let broken = 0;
    for (const line of lines) {
      if (header.length < 2) {
        header.push(numberOf(line.split(',')[0]!));
        continue;
      }
      if (line.trim() === '') continue;
      const cells = line.split(',');
      const row = new Float64Array(columns);
      for (let c = 0; c < columns; c++) row[c] = cells.length === columns ? numberOf(cells[c]!) : Number.NaN;
      if (row.some(Number.isNaN)) {
        // A last row that was cut in the middle is no row.
        if (isCut) continue;
        broken++;
      }
      rows.push(row);
    }
    if (header.length < 2) continue;
    yield { startUs: header[0]! * 1e6, rateHz: header[1]!, rows, broken, isCut };
  }
}

export async function scanSignal(
  member: SetMember,
  kind: SignalKind,
  notes: string[],
  signal: AbortSignal | undefined,
): Promise<ScannedSignal | null> {
  const name = baseName(member);
  const grids = kind.dimensions.map(() => new ValueGrid());
  let start: { startUs: number; rateHz: number } | undefined;
  let samples = 0;
  let brokenRows = 0;
  let isCutOff = false;
  for await (const { startUs, rateHz, rows, broken, isCut } of rowsOf(member, grids.length)) {
    throwIfAborted(signal);
    if (!start) {
      if (!(rateHz > 0 && rateHz <= MAX_RATE_HZ)) throw damaged(name, 'its second line is not a sampling rate.');
      if (Number.isNaN(startUs)) throw damaged(name, 'its first line is not a time.');
      requirePlausibleTime(name, startUs, SECONDS);
      start = { startUs: Math.round(startUs), rateHz };
    }
    for (const row of rows) for (const [d, grid] of grids.entries()) grid.scan(row[d]!);
    samples += rows.length;
    brokenRows += broken;
    isCutOff ||= isCut;
  }
  if (!start || samples === brokenRows) {
    notes.push(`${name} was left out: it has no samples.`);
    return null;
  }
  if (brokenRows > 0) notes.push(`${name}: ${brokenRows} rows are not numbers and are gaps.`);
  if (isCutOff) notes.push(`${name}: the last row has no line end; the file may have been cut there.`);
  const found = grids.map((grid) => grid.finish(kind.perUnit));
  if (found.some(({ isExact }) => !isExact))
    notes.push(`${name}: values were rounded to about a billionth of the largest.`);
  const channel: SignalChannel = {
    type: kind.type,
    dimensions: kind.dimensions,
    unit: kind.unit,
    nominalRateHz: start.rateHz,
    scale: found.map(({ rule }) => 1 / rule.divisor),
    offset: found.map(() => 0),
    sampleBits: found.some(({ sampleBits }) => sampleBits === 32) ? 32 : 16,
    exact: found.map(({ rule }) => rule),
  };
  return { member, channel, startUs: start.startUs, stepsPerValue: found.map(({ stepsPerValue }) => stepsPerValue) };
}

export async function* signalPages(
  { member, channel, startUs, stepsPerValue }: ScannedSignal,
  index: number,
  signal: AbortSignal | undefined,
  onBytes: (bytes: number) => void,
): AsyncGenerator<SignalPage> {
  const { nominalRateHz, sampleBits } = channel;
  const pager = new EvenPager({ channel: index, startUs, periodUs: 1e6 / nominalRateHz, sampleBits, stepsPerValue });
  for await (const { rows } of rowsOf(member, stepsPerValue.length, onBytes)) {
    throwIfAborted(signal);
    for (const row of rows) yield* pager.push(row);
  }
  yield* pager.flush();
}
