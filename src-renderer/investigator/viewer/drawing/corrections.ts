/** Draws what people corrected over the beats of a lane: types, beats as they were detected, excluded spans. */
import type { Beat } from '../../../../src-server/api/contract/index.ts';
import { isSpanCorrection, type SpanCorrectionKind } from '../../../../src-server/vocabulary/corrections.ts';
import type { Colors } from '../../../shared/charts/palette.ts';
import { categoryFill } from '../../../shared/charts/pattern.ts';
import { type TimeScale, toPx } from '../../../shared/charts/scale.ts';
import type { Surface } from '../../../shared/charts/surface.ts';
import type { Applied, ShownBeats } from '../corrections/overlay.ts';
import { FONT } from './lanes.ts';
import { drawBeats } from './paint.ts';

const PALE = 0.4;

/** The types that people gave, beside the marks of their beats; a plus for an added one. */
export function drawCodes(
  context: CanvasRenderingContext2D,
  beats: readonly Beat[],
  scale: TimeScale,
  yPx: number,
  colors: Colors,
): void {
  context.font = `600 ${FONT}`;
  context.textBaseline = 'middle';
  context.fillStyle = colors('accent');
  for (const { timeUs, correction, code } of beats) {
    if (correction === undefined) continue;
    const x = toPx(scale, timeUs / 1000);
    if (x < -20 || x > scale.widthPx) continue;
    context.fillText(`${correction === 'ADDED' ? '+' : ''}${code ?? '↔'}`, x + 6, yPx);
  }
}

/** Beats as they were detected, pale below the corrected ones: those that are gone are struck through. */
export function drawOriginals(
  context: CanvasRenderingContext2D,
  beats: readonly Beat[],
  gone: ShownBeats['gone'],
  scale: TimeScale,
  yPx: number,
  colors: Colors,
): void {
  const originals = [...beats, ...gone].flatMap(({ originalUs, originalUse }) =>
    originalUs === undefined ? [] : [{ timeUs: originalUs, use: originalUse ?? 'USED', isAfterBreak: false } as const],
  );
  context.globalAlpha = PALE;
  drawBeats(context, originals, scale, yPx, colors);
  context.fillStyle = colors('trace');
  for (const { timeUs } of gone) context.fillRect(toPx(scale, timeUs / 1000) - 6, yPx - 0.5, 12, 1.5);
  context.globalAlpha = 1;
}

/** Rows of sleep and of wear that people corrected, one each. */
export const EDIT_ROW_PX = 18;
const EDIT_ROWS = [
  ['WORN', 'NOT_WORN'],
  ['ASLEEP', 'AWAKE'],
] as const satisfies readonly (readonly SpanCorrectionKind[])[];

/** The rows that some edits need. */
export const editRows = (edits: readonly Applied[]): Applied[][] =>
  EDIT_ROWS.map((kinds) => edits.filter(({ kind }) => (kinds as readonly string[]).includes(kind))).filter(
    (row) => row.length > 0,
  );

/** Bands of corrected sleep or wear, each with what a person said it was; a later one lies over those before it. */
export function drawEdits(
  context: Surface,
  edits: readonly Applied[],
  nameOf: (kind: SpanCorrectionKind) => string,
  scale: TimeScale,
  topPx: number,
  heightPx: number,
  colors: Colors,
): void {
  context.font = `600 ${FONT}`;
  context.textBaseline = 'middle';
  for (const { kind, startTs, stopTs } of edits) {
    const left = Math.max(0, toPx(scale, startTs));
    const right = Math.min(scale.widthPx, toPx(scale, stopTs));
    if (right <= left) continue;
    const width = Math.max(2, right - left);
    // A frame for what was added, filled for what was taken away: the two differ without colour.
    context.fillStyle = colors('accent');
    context.fillRect(left, topPx, width, heightPx);
    const isFilled = kind === 'NOT_WORN' || kind === 'AWAKE';
    if (!isFilled && width > 4 && heightPx > 4) {
      context.fillStyle = colors('surface');
      context.fillRect(left + 1.5, topPx + 1.5, width - 3, heightPx - 3);
    }
    const name = isSpanCorrection(kind) ? nameOf(kind) : '';
    if (heightPx < EDIT_ROW_PX - 4 || context.measureText(name).width > width - 12) continue;
    context.fillStyle = colors(isFilled ? 'surface' : 'accent');
    context.fillText(name, left + 6, topPx + heightPx / 2);
  }
}

/** Hatches a span whose beats a person excluded. The signal stays visible. */
export function drawExcluded(
  context: CanvasRenderingContext2D,
  { startTs, stopTs }: { startTs: number; stopTs: number },
  scale: TimeScale,
  topPx: number,
  heightPx: number,
  colors: Colors,
): void {
  const left = Math.max(0, toPx(scale, startTs));
  const right = Math.min(scale.widthPx, toPx(scale, stopTs));
  if (right <= left) return;
  context.globalAlpha = PALE;
  context.fillStyle = categoryFill(context, 'gap', colors);
  context.fillRect(left, topPx, right - left, heightPx);
  context.globalAlpha = 1;
}
