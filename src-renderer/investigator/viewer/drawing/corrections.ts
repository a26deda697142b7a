/** Draws what people corrected over the beats of a lane: types, beats as they were detected, excluded spans. */
import type { Beat } from '../../../../src-server/api/contract/index.ts';
import type { Colors } from '../../../shared/charts/palette.ts';
import { categoryFill } from '../../../shared/charts/pattern.ts';
import { type TimeScale, toPx } from '../../../shared/charts/scale.ts';
import type { ShownBeats } from '../corrections/overlay.ts';
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
