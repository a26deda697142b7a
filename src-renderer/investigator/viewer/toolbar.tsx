/** The toolbar of the viewer: moving and zooming, paper speed, gain, filter, modes, lanes. */
import { type ReactNode, useState } from 'react';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, IconButton, Segments } from '../../shared/kit/controls.tsx';
import { useSelected } from '../../shared/store.ts';
import { DISPLAY_FILTERS } from './data/filter.ts';
import type { Mode, ViewerModel } from './data/model.ts';
import { GAINS_MM_PER_MV, lengthAtSpeed, SPEEDS_MM_PER_S, speedOf } from './drawing/grid.ts';
import { usePxPerMm } from './drawing/screen-size.ts';
import { LaneMenu, RangeChoice } from './lane-menu.tsx';
import { CalibrateDialog, GoToDialog } from './toolbar-dialogs.tsx';
import type { Lanes } from './use-lanes.ts';
import { movedBy, zoomedTo } from './view.ts';
import styles from './viewer.module.css';
import { zoomCommands } from './zoom.ts';

function ViewButtons({ model, onGoTo }: { model: ViewerModel; onGoTo: () => void }) {
  const { t } = useWords();
  const zoom = zoomCommands(model);
  const moveByWindow = (direction: -1 | 1) => {
    const { view } = model.state.get();
    model.setView(movedBy(view, model.extent, view.lengthMs * direction));
  };
  return (
    <div className={styles.steps}>
      <IconButton kind="quiet" icon="left" label={t('viewer.windowBack')} onPress={() => moveByWindow(-1)} />
      <IconButton kind="quiet" icon="right" label={t('viewer.windowForward')} onPress={() => moveByWindow(1)} />
      <IconButton kind="quiet" icon="clock" label={t('viewer.goTo')} onPress={onGoTo} />
      <IconButton kind="quiet" icon="plus" label={t('viewer.zoomIn')} onPress={zoom.zoomIn} />
      <IconButton kind="quiet" icon="minus" label={t('viewer.zoomOut')} onPress={zoom.zoomOut} />
      <IconButton kind="quiet" icon="fit" label={t('viewer.zoomReset')} onPress={zoom.reset} />
    </div>
  );
}

/** Paper speed, gain and display filter of electric channels. */
function ElectricScale({ model, widthPx }: { model: ViewerModel; widthPx: number }) {
  const { t } = useWords();
  const { pxPerMm } = usePxPerMm();
  const gain = useSelected(model.state, (state) => state.gain);
  const filter = useSelected(model.state, (state) => state.filter);
  const speed = useSelected(model.state, (state) => speedOf(widthPx, state.view.lengthMs, pxPerMm).standard);
  return (
    <>
      <Segments
        label={t('viewer.speedLabel')}
        unit="mm/s"
        value={String(speed ?? '')}
        options={SPEEDS_MM_PER_S.map((mmPerS) => ({ id: String(mmPerS), label: String(mmPerS) }))}
        onChange={(next) => {
          const { view } = model.state.get();
          const lengthMs = lengthAtSpeed(widthPx, Number(next), pxPerMm);
          model.setView(zoomedTo(view, model.extent, zoomCommands(model).around(), lengthMs));
        }}
      />
      <Segments
        label={t('viewer.gainLabel')}
        unit="mm/mV"
        value={String(gain)}
        options={[
          ...GAINS_MM_PER_MV.map((mmPerMv) => ({ id: String(mmPerMv), label: String(mmPerMv) })),
          { id: 'auto', label: t('viewer.auto') },
        ]}
        onChange={(next) => model.set({ gain: next === 'auto' ? 'auto' : Number(next) })}
      />
      <label className={styles.select}>
        <span className="visually-hidden">{t('viewer.filter')}</span>
        <select
          value={filter}
          onChange={(event) =>
            model.set({ filter: DISPLAY_FILTERS.find((known) => known === event.currentTarget.value) ?? 'off' })
          }
        >
          {DISPLAY_FILTERS.map((id) => (
            <option key={id} value={id}>
              {t(`viewer.filters.${id}`)}
            </option>
          ))}
        </select>
      </label>
    </>
  );
}

/** A button that switches a mode on, and back to plain viewing. */
function ModeButton({ model, mode }: { model: ViewerModel; mode: Exclude<Mode, 'view'> }) {
  const { t } = useWords();
  const isOn = useSelected(model.state, (state) => state.mode === mode);
  const labels = {
    measure: ['viewer.measure', 'viewer.measuring'],
    label: ['viewer.label', 'viewer.labelling'],
    correct: ['viewer.correct', 'viewer.correcting'],
  } as const;
  return (
    <Button
      aria-pressed={isOn}
      kind={isOn ? 'primary' : 'plain'}
      onPress={() => model.set({ mode: isOn ? 'view' : mode })}
    >
      {t(labels[mode][isOn ? 1 : 0])}
    </Button>
  );
}

export function Toolbar({
  model,
  lanes,
  widthPx,
  timeZone,
  mayEdit,
  mayCorrect,
  isGoingTo,
  onGoTo,
  onPrint,
  children,
}: {
  model: ViewerModel;
  lanes: Lanes;
  widthPx: number;
  timeZone: string;
  mayEdit: boolean;
  mayCorrect: boolean;
  isGoingTo: boolean;
  onGoTo: (open: boolean) => void;
  onPrint: () => void;
  /** Further tools, at the end of the row. */
  children?: ReactNode;
}) {
  const { t } = useWords();
  const [isCalibrating, setCalibrating] = useState(false);
  const hasMotion = lanes.all.some(({ channel }) => channel.type === 'ACCEL');
  return (
    <div className={styles.tools} role="toolbar" aria-label={t('viewer.tools')}>
      <ViewButtons model={model} onGoTo={() => onGoTo(true)} />
      {model.lead && <ElectricScale model={model} widthPx={widthPx} />}
      {!model.lead && hasMotion && <RangeChoice model={model} />}
      <ModeButton model={model} mode="measure" />
      {mayEdit && <ModeButton model={model} mode="label" />}
      {mayCorrect && <ModeButton model={model} mode="correct" />}
      <span className={styles.spacer} />
      {children}
      <div className={styles.steps}>
        <LaneMenu model={model} lanes={lanes} />
        {model.lead && <IconButton kind="quiet" icon="page" label={t('viewer.print')} onPress={onPrint} />}
        <IconButton kind="quiet" icon="ruler" label={t('viewer.calibrate')} onPress={() => setCalibrating(true)} />
      </div>
      {isGoingTo && <GoToDialog model={model} timeZone={timeZone} onClose={() => onGoTo(false)} />}
      {isCalibrating && <CalibrateDialog onClose={() => setCalibrating(false)} />}
    </div>
  );
}
