/** The caption of the detail strip. */
import { MINUTE_MS } from '../../../src-server/durations.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Pill } from '../../shared/kit/controls.tsx';
import { useSelected } from '../../shared/store.ts';
import type { ViewerModel } from './data/model.ts';
import { speedOf } from './drawing/grid.ts';
import { usePxPerMm } from './drawing/screen-size.ts';
import { LONGEST_RAW_MS } from './view.ts';
import styles from './viewer.module.css';

/** The scale of the detail strip in words: a standard paper speed, or else the length of the window; gain and filter. */
export function ScaleCaption({ model, widthPx }: { model: ViewerModel; widthPx: number }) {
  const { t, format } = useWords();
  const lengthMs = useSelected(model.state, (state) => state.view.lengthMs);
  const gain = useSelected(model.state, (state) => state.gain);
  const filter = useSelected(model.state, (state) => state.filter);
  const { pxPerMm } = usePxPerMm();
  const { standard } = speedOf(widthPx, lengthMs, pxPerMm);
  const parts = [
    standard === undefined
      ? t('viewer.window', {
          length:
            lengthMs < 2 * MINUTE_MS ? `${format.number(lengthMs / 1000, 1)} s` : format.duration(lengthMs / 1000),
        })
      : t('viewer.speed', { value: standard }),
    model.lead && gain !== 'auto' && t('viewer.gain', { value: format.number(gain) }),
  ].filter(Boolean);
  return (
    <span className={styles.caption}>
      <span data-testid="scale">{parts.join(' · ')}</span>
      {gain === 'auto' && model.lead && <Pill tone="warn">{t('viewer.autoGain')}</Pill>}
      {filter !== 'off' && <Pill tone="warn">{t(`viewer.filters.${filter}`)}</Pill>}
      {lengthMs > LONGEST_RAW_MS && <Pill>{t('viewer.envelope')}</Pill>}
    </span>
  );
}
