/** Texts beside the strips: the times of the window, the values at the cursor, and a summary of the window. */
import { useEffect, useState } from 'react';
import { useWords } from '../../shared/i18n/i18n.ts';
import { useSelected, useStore } from '../../shared/store.ts';
import { preciseClock } from '../../shared/time/local-day.ts';
import { rateAround } from './data/measure.ts';
import type { ViewerModel } from './data/model.ts';
import { type Quality, summaryOf } from './data/summary.ts';
import { elapsedText } from './drawing/axis.ts';
import { TimeField } from './time-field.tsx';
import type { GapWords } from './use-gap-words.ts';
import { type DetailView, SHORTEST_MS } from './view.ts';
import styles from './viewer.module.css';

const SETTLED_MS = 150;
/** Gaps described below the strip; the table lists all of them. */
const MAX_GAPS = 3;
const QUALITIES: readonly Quality[] = ['good', 'noisy', 'unreadable', 'noContact'];

/** The view, debounced: numbers that change every frame cannot be read. */
export function useSettledView(model: ViewerModel): DetailView {
  const [view, setView] = useState(model.state.get().view);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const unsubscribe = model.state.subscribe(() => {
      clearTimeout(timer);
      timer = setTimeout(() => setView(model.state.get().view), SETTLED_MS);
    });
    return () => {
      clearTimeout(timer);
      unsubscribe();
    };
  }, [model]);
  return view;
}

/** Start and end of the window as typed times: moves and resizes the window without dragging. */
export function WindowFields({ model, timeZone }: { model: ViewerModel; timeZone: string }) {
  const { t } = useWords();
  const { startMs, lengthMs } = useSettledView(model);
  const stopMs = startMs + lengthMs;
  return (
    <div className={styles.windowFields}>
      <TimeField
        label={t('viewer.windowStart')}
        ms={startMs}
        fromMs={startMs}
        extent={model.extent}
        timeZone={timeZone}
        onTime={(ms) => model.setView({ startMs: ms, lengthMs: ms < stopMs - SHORTEST_MS ? stopMs - ms : lengthMs })}
      />
      <TimeField
        label={t('viewer.windowStop')}
        ms={stopMs}
        fromMs={startMs}
        extent={model.extent}
        timeZone={timeZone}
        onTime={(ms) =>
          model.setView(
            ms > startMs + SHORTEST_MS ? { startMs, lengthMs: ms - startMs } : { startMs: ms - lengthMs, lengthMs },
          )
        }
      />
    </div>
  );
}

/** Local time, elapsed time, value and rate at the cursor. */
export function Readout({ model, timeZone }: { model: ViewerModel; timeZone: string }) {
  const { t, format } = useWords();
  const cursorMs = useSelected(model.state, (state) => state.cursorMs);
  useStore(model.arrivals);
  if (cursorMs === null) return <p className={styles.readout}>{t('viewer.cursorHelp')}</p>;
  const { clock, offset } = preciseClock(cursorMs, timeZone);
  const value = model.isRaw() ? model.leadMvAt(cursorMs) : undefined;
  const nearby = { startMs: cursorMs - 3000, stopMs: cursorMs + 3000 };
  const rate = model.isRaw() ? rateAround(model.beats(nearby).beats, cursorMs) : undefined;
  return (
    <p className={styles.readout} data-testid="readout">
      <strong>
        {clock} {offset}
      </strong>
      <span>{elapsedText(cursorMs - model.extent.startMs, 100)}</span>
      {value !== undefined && <span>{t('viewer.mv', { value: format.number(value, 2) })}</span>}
      {rate !== undefined && <span>{t('viewer.perMinute', { value: format.number(rate, 0) })}</span>}
    </p>
  );
}

/** Summary of the window, and its first gaps with their causes. */
export function WindowSummary({
  model,
  timeZone,
  gapWords,
  id,
}: {
  model: ViewerModel;
  timeZone: string;
  gapWords: GapWords;
  id: string;
}) {
  const { t, format } = useWords();
  const { startMs, lengthMs } = useSettledView(model);
  useStore(model.arrivals);
  const window = { startMs, stopMs: startMs + lengthMs };
  const times = t('viewer.inView', {
    from: preciseClock(window.startMs, timeZone).clock.slice(0, 8),
    to: preciseClock(window.stopMs, timeZone).clock.slice(0, 8),
    zone: timeZone,
  });
  const sensor = model.leadSensor ?? model.sensor;
  const gaps = (sensor.lead ?? sensor.channels[0])?.gaps ?? [];
  const inView = gaps.filter(({ startTs, stopTs }) => stopTs > window.startMs && startTs < window.stopMs);
  const isRaw = model.isRaw();
  const { beats, quality, unresolved } = isRaw ? model.beats(window) : { beats: [], quality: [], unresolved: [] };
  const summary = summaryOf(window, beats, quality, gaps, unresolved);
  const parts = [
    summary.beats > 0 && t('viewer.beatsInView', { count: summary.beats, number: format.number(summary.beats) }),
    summary.perMinute !== undefined && t('viewer.perMinute', { value: format.number(summary.perMinute) }),
    ...QUALITIES.map(
      (quality) =>
        summary.quality[quality] >= 0.5 &&
        t(`viewer.qualities.${quality}`, { seconds: format.number(summary.quality[quality]) }),
    ),
    summary.unresolvedMs > 0 &&
      t('viewer.unresolved', { seconds: format.number(Math.round(summary.unresolvedMs / 1000)) }),
    summary.gapMs > 0 && t('viewer.gap', { length: format.duration(summary.gapMs / 1000) }),
  ].filter((part) => part !== false);
  return (
    <div id={id} className={styles.inView} data-testid="in-view">
      <p className={styles.hint}>{[times, ...parts].join(' · ')}</p>
      {inView.slice(0, MAX_GAPS).map(({ startTs, stopTs }) => (
        <p key={startTs} className={styles.hint}>
          <strong>{gapWords.gap(sensor, startTs, stopTs).at(-2)}</strong> {gapWords.sentence(sensor, startTs, stopTs)}
        </p>
      ))}
    </div>
  );
}
