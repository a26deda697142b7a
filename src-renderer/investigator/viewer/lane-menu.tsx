/** Menu of the lanes that the viewer shows. The choice is stored and applies to every recording. */
import { Dialog, DialogTrigger, Popover } from 'react-aria-components';
import { useWords } from '../../shared/i18n/i18n.ts';
import kit from '../../shared/kit/controls.module.css';
import { IconButton, Segments } from '../../shared/kit/controls.tsx';
import { Checkbox } from '../../shared/kit/forms.tsx';
import { preferences, setPreference } from '../../shared/preferences.ts';
import { useSelected } from '../../shared/store.ts';
import { MOTION_RANGES_G, type ViewerModel } from './data/model.ts';
import { LABELS_LANE, type Lanes } from './use-lanes.ts';
import styles from './viewer.module.css';

export function toggleSignal(id: string): void {
  const { hiddenSignals } = preferences.get();
  const others = hiddenSignals.filter((hidden) => hidden !== id);
  setPreference('hiddenSignals', others.length < hiddenSignals.length ? others : [...hiddenSignals, id]);
}

/** Full scale of the acceleration lanes. Samples beyond it are clipped and marked. */
export function RangeChoice({ model }: { model: ViewerModel }) {
  const { t } = useWords();
  const rangeG = useSelected(model.state, (state) => state.rangeG);
  return (
    <Segments
      label={t('viewer.range')}
      value={String(rangeG)}
      options={MOTION_RANGES_G.map((g) => ({ id: String(g), label: `±${g}` }))}
      onChange={(next) => model.set({ rangeG: Number(next) })}
    />
  );
}

export function LaneMenu({ model, lanes }: { model: ViewerModel; lanes: Lanes }) {
  const { t } = useWords();
  const hasMotion = lanes.all.some(({ channel }) => channel.type === 'ACCEL');
  const rows = [
    ...lanes.all.map(({ id, name }) => ({ id, name, isShown: lanes.shown.some((lane) => lane.id === id) })),
    { id: LABELS_LANE, name: t('viewer.labelsLane'), isShown: lanes.showsLabels },
  ];
  return (
    <DialogTrigger>
      <IconButton kind="quiet" icon="rows" label={t('viewer.lanes')} />
      <Popover className={kit.popover} placement="bottom end">
        <Dialog aria-label={t('viewer.lanes')} className={styles.laneMenu}>
          <h3>{t('viewer.lanes')}</h3>
          {rows.map(({ id, name, isShown }) => (
            <Checkbox key={id} label={name} isSelected={isShown} onChange={() => toggleSignal(id)} />
          ))}
          {hasMotion && (
            <>
              <Checkbox
                label={t('viewer.showMagnitude')}
                isSelected={lanes.showsMagnitude}
                onChange={(on) => setPreference('showsMagnitude', on)}
              />
              <h3>{t('viewer.range')}</h3>
              <RangeChoice model={model} />
            </>
          )}
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}
