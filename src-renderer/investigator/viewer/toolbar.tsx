/** Scale, filter and modes of the viewer, and a way to any time in the recording. */
import { useState } from 'react';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, Field, IconButton, Segments } from '../../shared/kit/controls.tsx';
import { FormDialog } from '../../shared/kit/form-dialog.tsx';
import { useSelected } from '../../shared/store.ts';
import { DISPLAY_FILTERS } from './data/filter.ts';
import type { ViewerModel } from './data/model.ts';
import { CARD_WIDTH_MM, GAINS_MM_PER_MV, lengthAtSpeed, SPEEDS_MM_PER_S, speedOf } from './drawing/grid.ts';
import { usePxPerMm } from './drawing/screen-size.ts';
import { LaneMenu, RangeChoice } from './lane-menu.tsx';
import type { Lanes } from './use-lanes.ts';
import { movedBy, parseGoTo, zoomedTo } from './view.ts';
import styles from './viewer.module.css';
import { zoomCommands } from './zoom.ts';

function GoTo({ model, timeZone, onClose }: { model: ViewerModel; timeZone: string; onClose: () => void }) {
  const { t } = useWords();
  const [text, setText] = useState('');
  const [isWrong, setWrong] = useState(false);
  return (
    <FormDialog
      title={t('viewer.goTo')}
      intro={t('viewer.goToHelp', { zone: timeZone })}
      submitLabel={t('viewer.goToSubmit')}
      onSubmit={() => {
        const { show, around } = zoomCommands(model);
        const ms = parseGoTo(text, around(), model.extent, timeZone);
        setWrong(ms === null);
        if (ms === null) return;
        show(ms);
        onClose();
      }}
      onClose={onClose}
    >
      <Field
        label={t('viewer.goToTime')}
        value={text}
        onChange={(next) => {
          setText(next);
          setWrong(false);
        }}
        error={isWrong ? t('viewer.goToWrong') : undefined}
      />
    </FormDialog>
  );
}

/** A bank card held against the screen tells its true millimetres. */
function Calibrate({ onClose }: { onClose: () => void }) {
  const { t, format } = useWords();
  const { pxPerMm, calibrate } = usePxPerMm();
  const [value, setValue] = useState(pxPerMm);
  return (
    <FormDialog
      title={t('viewer.calibrate')}
      intro={t('viewer.calibrateHelp')}
      submitLabel={t('viewer.calibrateSave')}
      onSubmit={() => {
        calibrate(value);
        onClose();
      }}
      onClose={onClose}
    >
      <div className={styles.card} style={{ width: value * CARD_WIDTH_MM, height: value * 54 }} aria-hidden="true" />
      <label className={styles.range}>
        {t('viewer.cardWidth', { value: format.number(value * CARD_WIDTH_MM) })}
        <input
          type="range"
          min={2}
          max={12}
          step={0.01}
          value={value}
          onChange={(event) => setValue(event.currentTarget.valueAsNumber)}
        />
      </label>
      <div>
        <Button
          onPress={() => {
            calibrate(null);
            onClose();
          }}
        >
          {t('viewer.calibrateReset')}
        </Button>
      </div>
    </FormDialog>
  );
}

export function Toolbar({
  model,
  lanes,
  widthPx,
  timeZone,
  mayEdit,
  isGoingTo,
  onGoTo,
}: {
  model: ViewerModel;
  lanes: Lanes;
  widthPx: number;
  timeZone: string;
  mayEdit: boolean;
  isGoingTo: boolean;
  onGoTo: (open: boolean) => void;
}) {
  const { t } = useWords();
  const { pxPerMm } = usePxPerMm();
  const gain = useSelected(model.state, (state) => state.gain);
  const filter = useSelected(model.state, (state) => state.filter);
  const mode = useSelected(model.state, (state) => state.mode);
  const speed = useSelected(model.state, (state) => speedOf(widthPx, state.view.lengthMs, pxPerMm).standard);
  const [isCalibrating, setCalibrating] = useState(false);
  const zoom = zoomCommands(model);
  const move = (part: number) => {
    const { view } = model.state.get();
    model.setView(movedBy(view, model.extent, view.lengthMs * part));
  };
  return (
    <div className={styles.tools} role="toolbar" aria-label={t('viewer.tools')}>
      <div className={styles.steps}>
        <IconButton kind="quiet" icon="left" label={t('viewer.windowBack')} onPress={() => move(-1)} />
        <IconButton kind="quiet" icon="right" label={t('viewer.windowForward')} onPress={() => move(1)} />
        <IconButton kind="quiet" icon="clock" label={t('viewer.goTo')} onPress={() => onGoTo(true)} />
        <IconButton kind="quiet" icon="plus" label={t('viewer.zoomIn')} onPress={zoom.zoomIn} />
        <IconButton kind="quiet" icon="minus" label={t('viewer.zoomOut')} onPress={zoom.zoomOut} />
        <IconButton kind="quiet" icon="fit" label={t('viewer.zoomReset')} onPress={zoom.reset} />
      </div>
      {model.lead && (
        <>
          <Segments
            label={t('viewer.speedLabel')}
            unit="mm/s"
            value={String(speed ?? '') as '12.5' | '25' | '50'}
            options={SPEEDS_MM_PER_S.map((one) => ({ id: String(one) as '12.5' | '25' | '50', label: String(one) }))}
            onChange={(next) => {
              const { view } = model.state.get();
              model.setView(zoomedTo(view, model.extent, zoom.around(), lengthAtSpeed(widthPx, Number(next), pxPerMm)));
            }}
          />
          <Segments
            label={t('viewer.gainLabel')}
            unit="mm/mV"
            value={String(gain) as '5' | '10' | '20' | 'auto'}
            options={[
              ...GAINS_MM_PER_MV.map((one) => ({ id: String(one) as '5' | '10' | '20', label: String(one) })),
              { id: 'auto' as const, label: t('viewer.auto') },
            ]}
            onChange={(next) => model.set({ gain: next === 'auto' ? 'auto' : Number(next) })}
          />
          <label className={styles.select}>
            <span className="visually-hidden">{t('viewer.filter')}</span>
            <select
              value={filter}
              onChange={(event) =>
                model.set({ filter: DISPLAY_FILTERS.find((one) => one === event.currentTarget.value) ?? 'off' })
              }
            >
              {DISPLAY_FILTERS.map((one) => (
                <option key={one} value={one}>
                  {t(`viewer.filters.${one}`)}
                </option>
              ))}
            </select>
          </label>
        </>
      )}
      {!model.lead && lanes.all.some(({ channel }) => channel.type === 'ACCEL') && <RangeChoice model={model} />}
      <Button
        aria-pressed={mode === 'measure'}
        kind={mode === 'measure' ? 'primary' : 'plain'}
        onPress={() => model.set({ mode: mode === 'measure' ? 'view' : 'measure' })}
      >
        {t(mode === 'measure' ? 'viewer.measuring' : 'viewer.measure')}
      </Button>
      {mayEdit && (
        <Button
          aria-pressed={mode === 'label'}
          kind={mode === 'label' ? 'primary' : 'plain'}
          onPress={() => model.set({ mode: mode === 'label' ? 'view' : 'label' })}
        >
          {t(mode === 'label' ? 'viewer.labelling' : 'viewer.label')}
        </Button>
      )}
      <span className={styles.spacer} />
      <div className={styles.steps}>
        <LaneMenu model={model} lanes={lanes} />
        <IconButton kind="quiet" icon="ruler" label={t('viewer.calibrate')} onPress={() => setCalibrating(true)} />
      </div>
      {isGoingTo && <GoTo model={model} timeZone={timeZone} onClose={() => onGoTo(false)} />}
      {isCalibrating && <Calibrate onClose={() => setCalibrating(false)} />}
    </div>
  );
}
