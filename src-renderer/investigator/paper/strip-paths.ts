/**
 * Shapes of one line of a strip as SVG path data in millimetres: grid, trace, gaps, and marks of samples beyond the paper.
 * Origin is the top left corner of the paper's first second. Pure.
 */
import { SECOND_MS } from '../../../src-server/durations.ts';
import { firstAtOrAfter } from '../viewer/data/measure.ts';
import { type ChannelSamples, GAP_PERIODS } from '../viewer/data/samples.ts';
import type { Extent } from '../viewer/view.ts';
import { levelOf, MM_PER_MV, MM_PER_S, PAPER_MM, ZERO_MM } from './strip-layout.ts';

/** Finer than a printer prints; columns of this width carry the extremes of faster samples. */
const COLUMN_MM = 0.02;
/** Marks of samples beyond the paper are this wide. */
const CLIP_MM = 0.5;

/** Three decimals: a thousandth of a millimetre. */
const mm = (value: number) => String(Math.round(value * 1000) / 1000);

export const xOf = (ms: number, line: Extent) => ((ms - line.startMs) / SECOND_MS) * MM_PER_S;
export const yOf = (mv: number, levelMv: number) => ZERO_MM - (mv - levelMv) * MM_PER_MV;

/** Lines every `stepMm` over a rectangle whose sides are multiples of it. */
export function gridPath(fromMm: number, toMm: number, heightMm: number, stepMm: number): string {
  const parts: string[] = [];
  for (let x = fromMm; x <= toMm + 1e-9; x += stepMm) parts.push(`M${mm(x)} 0V${mm(heightMm)}`);
  for (let y = 0; y <= heightMm + 1e-9; y += stepMm) parts.push(`M${mm(fromMm)} ${mm(y)}H${mm(toMm)}`);
  return parts.join('');
}

/** The trace of runs over a line, interrupted between runs. Includes the samples beside the line's ends, for the clip. */
export function tracePath(runs: readonly ChannelSamples[], line: Extent, levelMv: number): string {
  const parts: string[] = [];
  for (const { timesMs, values, periodMs } of runs) {
    const column = values[0];
    const from = Math.max(0, firstAtOrAfter(timesMs, line.startMs) - 1);
    const to = Math.min(timesMs.length, firstAtOrAfter(timesMs, line.stopMs) + 1);
    if (!column || to <= from || timesMs[to - 1]! < line.startMs || timesMs[from]! > line.stopMs) continue;
    const isFast = (periodMs / SECOND_MS) * MM_PER_S < COLUMN_MM / 2;
    const points = isFast ? extremes(timesMs, column, from, to, line) : indexes(from, to);
    let command = 'M';
    for (const i of points) {
      parts.push(`${command}${mm(xOf(timesMs[i]!, line))} ${mm(yOf(column[i]!, levelMv))}`);
      command = 'L';
    }
  }
  return parts.join('');
}

const indexes = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);

/** First, lowest, highest and last sample of each column, in the order of time. */
function extremes(timesMs: Float64Array, values: Float32Array, from: number, to: number, line: Extent): number[] {
  const kept: number[] = [];
  let i = from;
  while (i < to) {
    const column = Math.floor(xOf(timesMs[i]!, line) / COLUMN_MM);
    const first = i;
    let low = i;
    let high = i;
    for (; i < to && Math.floor(xOf(timesMs[i]!, line) / COLUMN_MM) === column; i++) {
      if (values[i]! < values[low]!) low = i;
      if (values[i]! > values[high]!) high = i;
    }
    kept.push(...new Set([first, Math.min(low, high), Math.max(low, high), i - 1]));
  }
  return kept;
}

/** Spans of a strip without samples, from the last sample before to the first one after. */
export function gapsBetween(runs: readonly ChannelSamples[], strip: Extent): Extent[] {
  const gaps: Extent[] = [];
  let reachedMs = strip.startMs;
  let isEdge = true;
  for (const { timesMs, periodMs } of runs) {
    const [firstMs, lastMs] = [timesMs[0]!, timesMs[timesMs.length - 1]!];
    if (lastMs < strip.startMs) continue;
    if (firstMs > strip.stopMs) break;
    // The first sample may come up to a period after the strip's start.
    if (firstMs - reachedMs > (isEdge ? 1 : GAP_PERIODS) * periodMs) gaps.push({ startMs: reachedMs, stopMs: firstMs });
    reachedMs = Math.max(reachedMs, lastMs);
    isEdge = false;
  }
  const periodMs = runs.at(-1)?.periodMs ?? 0;
  if (isEdge || strip.stopMs - reachedMs > GAP_PERIODS * periodMs)
    gaps.push({ startMs: reachedMs, stopMs: strip.stopMs });
  return gaps;
}

/** Bars at the edges of the paper where samples lie beyond it, as the viewer marks them; empty where none does. */
export function clipPath(runs: readonly ChannelSamples[], line: Extent, levelMv: number): string {
  const marks = new Set<string>();
  for (const { timesMs, values } of runs) {
    const to = firstAtOrAfter(timesMs, line.stopMs);
    for (let i = firstAtOrAfter(timesMs, line.startMs); i < to; i++) {
      const y = yOf(values[0]![i]!, levelMv);
      if (y >= 0 && y <= PAPER_MM) continue;
      const x = Math.floor(xOf(timesMs[i]!, line) / CLIP_MM) * CLIP_MM;
      marks.add(`M${mm(x)} ${y < 0 ? mm(0.4) : mm(PAPER_MM - 0.4)}h${CLIP_MM}`);
    }
  }
  return [...marks].join('');
}

/** Diagonal hatching of a rectangle from the top of the paper to its bottom, cut at the sides. */
export function hatchPath(fromMm: number, toMm: number): string {
  const parts: string[] = [];
  for (let x = Math.floor((fromMm - PAPER_MM) / 2.5) * 2.5; x < toMm; x += 2.5) {
    const left = Math.max(x, fromMm);
    const right = Math.min(x + PAPER_MM, toMm);
    if (right > left)
      parts.push(`M${mm(left)} ${mm(PAPER_MM - (left - x))}L${mm(right)} ${mm(PAPER_MM - (right - x))}`);
  }
  return parts.join('');
}

export interface LineDrawing {
  line: Extent;
  /** Voltage at the zero line. */
  levelMv: number;
  trace: string;
  /** Empty where the whole signal is on the paper. */
  beyond: string;
}

export function drawLine(runs: readonly ChannelSamples[], line: Extent): LineDrawing {
  const levelMv = levelOf(medianMv(runs, line));
  return { line, levelMv, trace: tracePath(runs, line, levelMv), beyond: clipPath(runs, line, levelMv) };
}

/** Median of the samples of a line, mV; undefined without any. */
function medianMv(runs: readonly ChannelSamples[], line: Extent): number | undefined {
  const inLine = runs.flatMap(({ timesMs, values }) => [
    ...values[0]!.subarray(firstAtOrAfter(timesMs, line.startMs), firstAtOrAfter(timesMs, line.stopMs)),
  ]);
  return inLine.length === 0 ? undefined : inLine.sort((a, b) => a - b)[inLine.length >> 1];
}
