/** A narrow strip above the detail: the envelope of a longer window, with the detail's window on it to drag. */
import { useCallback, useRef } from 'react';
import type { Band } from '../../../shared/charts/bands.ts';
import { useWidth } from '../../../shared/charts/use-width.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { useStore } from '../../../shared/store.ts';
import { useIsLowWindow } from '../../../shared/window-size.ts';
import type { Activity } from '../../days/lanes/day-data.ts';
import type { LabelItem } from '../data/labels.ts';
import type { ViewerModel } from '../data/model.ts';
import { usePainting } from '../drawing/use-painting.ts';
import type { GapWords } from '../use-gap-words.ts';
import styles from '../viewer.module.css';
import { StripMarks } from './strip-marks.tsx';
import { type StripKind, stripWindow } from './strip-window.ts';
import { useSpokenStart } from './use-spoken-start.ts';
import { useStripPaint } from './use-strip-paint.ts';
import { useWindowDrag } from './use-window-drag.ts';

/** Lower in a low window, which leaves more room to the detail. */
const LOW_STRIP_PX = 40;
const STRIP_PX: Record<StripKind, number> = { whole: 58, context: 66 };
const ACTIVITY_PX = 12;

const NO_ACTIVITY: readonly Band<Activity | 'unknown'>[] = [];

export function Strip({
  model,
  kind,
  labels,
  activity = NO_ACTIVITY,
  clock,
  gapWords,
}: {
  model: ViewerModel;
  kind: StripKind;
  labels: readonly LabelItem[];
  /** Activities of the subject, as a band below the envelope. */
  activity?: readonly Band<Activity | 'unknown'>[];
  clock: (ms: number) => string;
  gapWords: GapWords;
}) {
  const { t } = useWords();
  const [frame, widthPx] = useWidth();
  const activityPx = activity.length > 0 ? ACTIVITY_PX : 0;
  const isLow = useIsLowWindow();
  const heightPx = (isLow ? LOW_STRIP_PX : STRIP_PX[kind]) + activityPx;
  const edits = useStore(model.edits);
  const paint = useStripPaint({ model, kind, labels, edits, activity, activityPx, clock, gapWords });
  const windowNow = useCallback(() => stripWindow(kind, model.state.get().view, model.extent), [model, kind]);
  const canvas = usePainting(model, widthPx, heightPx, paint, () => {
    if (kind === 'whole') return 0;
    const { startMs, stopMs } = windowNow();
    return `${startMs} ${stopMs} ${model.arrivals.get()}`;
  });
  const input = useWindowDrag(model, kind, widthPx);
  const slider = useRef<HTMLDivElement>(null);
  const startSecond = useSpokenStart(model, slider, (second) => clock(second * 1000));
  const name = t(kind === 'whole' ? 'viewer.whole' : 'viewer.context');
  return (
    <div className={styles.strip}>
      <span className={styles.stripName}>{name}</span>
      <div className={styles.stripPlot} ref={frame} style={{ height: heightPx }}>
        <canvas ref={canvas} className={styles.canvas} />
        <StripMarks model={model} windowNow={windowNow} widthPx={widthPx} />
        <div
          ref={slider}
          role="slider"
          tabIndex={0}
          className={styles.surface}
          aria-label={t('viewer.windowOn', { strip: name })}
          aria-valuemin={Math.round(model.extent.startMs / 1000)}
          aria-valuemax={Math.round(model.extent.stopMs / 1000)}
          aria-valuenow={startSecond}
          {...input}
        />
      </div>
    </div>
  );
}
