/** Dialogs of the viewer's toolbar: going to a time, and calibrating the display. */
import { useState } from 'react';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, Field } from '../../shared/kit/controls.tsx';
import { FormDialog } from '../../shared/kit/form-dialog.tsx';
import type { ViewerModel } from './data/model.ts';
import { CARD_WIDTH_MM } from './drawing/grid.ts';
import { usePxPerMm } from './drawing/screen-size.ts';
import { parseGoTo } from './view.ts';
import styles from './viewer.module.css';
import { zoomCommands } from './zoom.ts';

/** Asks for a time and centres the view on it. */
export function GoToDialog({
  model,
  timeZone,
  onClose,
}: {
  model: ViewerModel;
  timeZone: string;
  onClose: () => void;
}) {
  const { t } = useWords();
  const [text, setText] = useState('');
  const [isInvalid, setInvalid] = useState(false);
  return (
    <FormDialog
      title={t('viewer.goTo')}
      intro={t('viewer.goToHelp', { zone: timeZone })}
      submitLabel={t('viewer.goToSubmit')}
      onSubmit={() => {
        const { show, around } = zoomCommands(model);
        const ms = parseGoTo(text, around(), model.extent, timeZone);
        setInvalid(ms === null);
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
          setInvalid(false);
        }}
        error={isInvalid ? t('viewer.goToWrong') : undefined}
      />
    </FormDialog>
  );
}

/** Calibrates the display: the user makes a rectangle as wide as a bank card held against the screen. */
export function CalibrateDialog({ onClose }: { onClose: () => void }) {
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
