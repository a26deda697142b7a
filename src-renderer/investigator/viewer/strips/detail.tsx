/** The detail strip: paper, traces, beats, quality and labels of the view, with calipers and a cursor. */
import { useCallback, useMemo, useRef } from 'react';
import { MINUTE_MS } from '../../../../src-server/durations.ts';
import type { SpanCorrectionKind } from '../../../../src-server/vocabulary/corrections.ts';
import { useWidth } from '../../../shared/charts/use-width.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { useSelected, useStore } from '../../../shared/store.ts';
import { preciseClock } from '../../../shared/time/local-day.ts';
import type { Editing } from '../corrections/editing.ts';
import type { Applied } from '../corrections/overlay.ts';
import type { LabelItem } from '../data/labels.ts';
import type { Interval } from '../data/measure.ts';
import type { ViewerModel } from '../data/model.ts';
import { memoizedText } from '../drawing/axis.ts';
import { detailHeight, detailPaint, lanesTop } from '../drawing/detail-paint.ts';
import { electricPlace, type LaneWords, type SignalLane } from '../drawing/lanes.ts';
import { usePxPerMm } from '../drawing/screen-size.ts';
import { usePainting } from '../drawing/use-painting.ts';
import { intervalWords } from '../panel/interval-words.ts';
import styles from '../viewer.module.css';
import { CaliperHandle, LevelHandle } from './caliper-handle.tsx';
import { useDetailKeys, useDetailPointer, useWheel } from './detail-input.ts';
import { DetailMarks } from './detail-marks.tsx';
import { ViewSlider } from './view-slider.tsx';

const MODE_WORDS = {
  label: 'viewer.labelling',
  measure: 'viewer.measuring',
  correct: 'viewer.correcting',
} as const;

interface DetailProps {
  model: ViewerModel;
  lanes: readonly SignalLane[];
  /** Undefined where the lane of labels is hidden. */
  labels: readonly LabelItem[] | undefined;
  showsMagnitude: boolean;
  timeZone: string;
  words: LaneWords;
  /** Id of the element with the summary of the view. */
  summaryId: string;
  onLabelStep: (direction: -1 | 1) => void;
  onGain: (direction: -1 | 1) => void;
  /** Where the person may correct beats. */
  editing: Editing | undefined;
}

/** The canvas of the detail strip, redrawn when the view, a setting or the data changes. */
function useDetailCanvas(
  { model, lanes, labels, showsMagnitude, timeZone, words }: DetailProps,
  edits: readonly Applied[],
  widthPx: number,
  heightPx: number,
  pxPerMm: number,
) {
  const clockOf = useMemo(
    () => ({
      precise: memoizedText((ms) => preciseClock(ms, timeZone).clock.slice(0, 10)),
      plain: memoizedText((ms) => preciseClock(ms, timeZone).clock.slice(0, 8)),
    }),
    [timeZone],
  );
  const { t } = useWords();
  const editName = useCallback(
    (kind: SpanCorrectionKind) => t('edits.byPerson', { kind: t(`edits.kinds.${kind}`) }),
    [t],
  );
  const paint = useMemo(
    () => detailPaint({ model, lanes, pxPerMm, showsMagnitude, labels, clockOf, words, edits, editName }),
    [model, lanes, pxPerMm, showsMagnitude, labels, clockOf, words, edits, editName],
  );
  return usePainting(model, widthPx, heightPx, paint, () => {
    const { view, gain, rangeG, filter, mode, isMarching, calipers } = model.state.get();
    const march = isMarching ? `${calipers.startMs} ${calipers.stopMs}` : '';
    return `${view.startMs} ${view.lengthMs} ${gain} ${rangeG} ${filter} ${mode} ${march} ${model.arrivals.get()}`;
  });
}

export function Detail(props: DetailProps) {
  const { model, lanes, labels, timeZone, summaryId, onLabelStep, onGain, editing } = props;
  const { t, format } = useWords();
  const intervalText = useCallback((interval: Interval) => intervalWords(interval, t, format).join(' · '), [t, format]);
  const [frame, widthPx] = useWidth();
  const { pxPerMm } = usePxPerMm();
  const mode = useSelected(model.state, (state) => state.mode);
  const edits = useStore(model.edits);
  const heightPx = detailHeight({ lanes, labels, edits });
  const canvas = useDetailCanvas(props, edits, widthPx, heightPx, pxPerMm);
  // Electric lanes come first, so the lead's lane is the first one.
  const lead = lanes.find(({ isElectric }) => isElectric);
  const placeNow = lead && (() => electricPlace(model, lead, lanesTop({ edits }), pxPerMm));
  const surface = useRef<HTMLDivElement>(null);
  useWheel(surface, model, widthPx);
  const onKeyDown = useDetailKeys(model, onLabelStep, onGain, editing && ((direction) => editing.step(direction)));
  const pointer = useDetailPointer(
    model,
    widthPx,
    placeNow,
    mode === 'correct' ? editing && ((ms) => editing.pick(ms)) : undefined,
  );
  return (
    <div className={styles.detail} ref={frame} data-mode={mode} style={{ height: heightPx }}>
      <canvas ref={canvas} className={styles.canvas} />
      {mode !== 'view' && (
        <span className={styles.modeTag} aria-hidden="true">
          {t(MODE_WORDS[mode])}
        </span>
      )}
      <AxisNames model={model} timeZone={timeZone} />
      <DetailMarks model={model} widthPx={widthPx} placeNow={placeNow} intervalText={intervalText} />
      <ViewSlider
        model={model}
        surface={surface}
        timeZone={timeZone}
        summaryId={summaryId}
        onKeyDown={onKeyDown}
        {...pointer}
      />
      {widthPx > 0 && (
        <>
          <CaliperHandle model={model} end="startMs" widthPx={widthPx} timeZone={timeZone} />
          <CaliperHandle model={model} end="stopMs" widthPx={widthPx} timeZone={timeZone} />
          {placeNow && <LevelHandle model={model} end="fromMv" placeNow={placeNow} />}
          {placeNow && <LevelHandle model={model} end="toMv" placeNow={placeNow} />}
        </>
      )}
    </div>
  );
}

/** Names of the two rows of the time axis: the zone of the clock, and elapsed time. */
function AxisNames({ model, timeZone }: { model: ViewerModel; timeZone: string }) {
  const { t, format } = useWords();
  const zoneAt = useMemo(() => memoizedText((minute) => format.zone(minute * MINUTE_MS, timeZone)), [format, timeZone]);
  const zones = useSelected(model.state, ({ view }) => {
    const zoneNames = [view.startMs, view.startMs + view.lengthMs].map((ms) => zoneAt(Math.floor(ms / MINUTE_MS)));
    return [...new Set(zoneNames)].join(' → ');
  });
  return (
    <span className={styles.axisNames} aria-hidden="true">
      <span>{zones}</span>
      <span>{t('viewer.tableElapsed')}</span>
    </span>
  );
}
