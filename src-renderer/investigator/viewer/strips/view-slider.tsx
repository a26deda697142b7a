/** The focusable surface of the detail strip: a slider whose value is the start of the view. */
import type { KeyboardEvent, PointerEvent, RefObject } from 'react';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { useSelected } from '../../../shared/store.ts';
import type { ViewerModel } from '../data/model.ts';
import { elapsedText } from '../drawing/axis.ts';
import styles from '../viewer.module.css';
import { useSpokenStart } from './use-spoken-start.ts';

export function ViewSlider({
  model,
  surface,
  timeZone,
  summaryId,
  onPointerEnd,
  ...events
}: {
  model: ViewerModel;
  surface: RefObject<HTMLDivElement | null>;
  timeZone: string;
  summaryId: string;
  onKeyDown: (event: KeyboardEvent) => void;
  onPointerDown: (event: PointerEvent<HTMLDivElement>) => void;
  onPointerMove: (event: PointerEvent<HTMLDivElement>) => void;
  onPointerEnd: (event: PointerEvent<HTMLElement>) => void;
  onPointerLeave: () => void;
}) {
  const { t, format } = useWords();
  const startSecond = useSpokenStart(
    model,
    surface,
    (second) =>
      `${format.dateTime(second * 1000, timeZone)}, ${elapsedText(second * 1000 - model.extent.startMs, 1000)}`,
  );
  useSelected(model.arrivals, model.isWaiting);
  const isWaiting = useSelected(model.state, model.isWaiting);
  return (
    <div
      ref={surface}
      aria-busy={isWaiting}
      role="slider"
      tabIndex={0}
      className={styles.surface}
      aria-label={t('viewer.detail')}
      aria-description={t('viewer.detailHelp')}
      aria-details={summaryId}
      aria-valuemin={Math.round(model.extent.startMs / 1000)}
      aria-valuemax={Math.round(model.extent.stopMs / 1000)}
      aria-valuenow={startSecond}
      onPointerUp={onPointerEnd}
      onPointerCancel={onPointerEnd}
      {...events}
    />
  );
}
