/** Sleep and wear that a person corrected, marked on the lanes that show them. */

import type { Correction } from '../../../../src-server/api/contract/index.ts';
import { isSpanCorrection, type SpanCorrectionKind } from '../../../../src-server/vocabulary/corrections.ts';
import { CANVAS_FACES } from '../../../shared/charts/fonts.ts';
import { toPx } from '../../../shared/charts/scale.ts';
import type { Lane } from '../../../shared/charts/timeline/types.ts';
import type { Translate } from '../../../shared/i18n/i18n.ts';
import type { Span } from './day-data.ts';

/** A span of sleep or wear as a person corrected it. */
export interface PersonEdit extends Span {
  kind: SpanCorrectionKind;
  authorName: string | undefined;
}

/** The edits of sleep and wear in force, in the order of their making: of two over one instant the later one counts. */
export const personEdits = (corrections: readonly Correction[]): PersonEdit[] =>
  corrections.flatMap(({ kind, isInForce, startTs, stopTs, authorName }) =>
    isInForce && isSpanCorrection(kind) ? [{ kind, startMs: startTs, stopMs: stopTs, authorName }] : [],
  );

const LANE_OF: Record<SpanCorrectionKind, 'activity' | 'wear'> = {
  ASLEEP: 'activity',
  AWAKE: 'activity',
  WORN: 'wear',
  NOT_WORN: 'wear',
};

const BAR_PX = 5;
/** Ends of a shorter one would hide what it stands on. */
const LEAST_FRAMED_PX = 16;
const NAME_FONT = `600 10px ${CANVAS_FACES}`;
const NAME_PX = 13;

/** The lane with its edits: a bar with ends below each, and whose edit it is in the reading. */
export function withEdits(lane: Lane, edits: readonly PersonEdit[], t: Translate): Lane {
  const own = edits.filter(({ kind }) => LANE_OF[kind] === lane.id);
  if (own.length === 0) return lane;
  return {
    ...lane,
    read: (ms) => {
      const value = lane.read(ms);
      const edit = own.findLast(({ startMs, stopMs }) => ms >= startMs && ms < stopMs);
      if (!edit) return value;
      const by = edit.authorName ? 'edits.byName' : 'edits.byPerson';
      return `${value} · ${t(by, { kind: t(`edits.kinds.${edit.kind}`), name: edit.authorName ?? '' })}`;
    },
    draw: (context, scale, heightPx, colors) => {
      lane.draw(context, scale, heightPx, colors);
      context.font = NAME_FONT;
      context.textBaseline = 'middle';
      for (const { startMs, stopMs, kind } of own) {
        const left = Math.max(0, toPx(scale, startMs));
        const right = Math.min(scale.widthPx, toPx(scale, stopMs));
        if (right <= left) continue;
        context.fillStyle = colors('accent');
        context.fillRect(left, heightPx - BAR_PX, right - left, BAR_PX);
        if (right - left < LEAST_FRAMED_PX) continue;
        for (const x of [left, right - 2]) context.fillRect(x, 0, 2, heightPx);
        const name = t('edits.byPerson', { kind: t(`edits.kinds.${kind}`) });
        const widthPx = context.measureText(name).width + 8;
        if (widthPx > right - left) continue;
        context.fillStyle = colors('surface');
        context.fillRect(left + 2, heightPx - BAR_PX - NAME_PX, widthPx, NAME_PX);
        context.fillStyle = colors('accent');
        context.fillText(name, left + 6, heightPx - BAR_PX - NAME_PX / 2);
      }
    },
  };
}
