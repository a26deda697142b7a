/** A problem for the study team: its kind, the sensor, words and pictures as far as the subject wants. */
import { useState } from 'react';
import { Button, ButtonLink } from '../../kit/button.tsx';
import { Failure, Notice } from '../../kit/notice.tsx';
import { Page } from '../../kit/page.tsx';
import { useAction } from '../../kit/use-action.ts';
import { useKeptWriting } from '../../kit/use-kept-writing.ts';
import { useActions, usePhone } from '../../kit/use-phone.ts';
import type { ProblemKind } from '../../model.ts';
import { useWords } from '../../words/words.ts';
import { PictureTray, usePictureBlobs, usePictures } from '../messages/pictures.tsx';
import { usePlaceText } from '../sensors/places.ts';
import styles from './problem.module.css';

const KINDS: readonly ProblemKind[] = ['SENSOR_OFF', 'SENSOR_BROKEN', 'SKIN', 'TASK_UNCLEAR', 'APP', 'OTHER'];
const OF_A_SENSOR: readonly ProblemKind[] = ['SENSOR_OFF', 'SENSOR_BROKEN', 'SKIN'];

export function ProblemScreen({ serial }: { serial: string | undefined }) {
  const { t } = useWords();
  const { sensors } = usePhone();
  const actions = useActions();
  const placeText = usePlaceText();
  const { run, isBusy, failure } = useAction();
  const pictures = usePictures();
  const [kind, setKind] = useState<ProblemKind>();
  const [sensorSerial, setSensorSerial] = useState(serial ?? '');
  const [body, setBody] = useState('');
  const [isMissing, setMissing] = useState(false);
  const [isSent, setSent] = useState(false);
  const isOfSensor = kind !== undefined && OF_A_SENSOR.includes(kind) && sensors.length > 0;
  const blobs = usePictureBlobs(pictures);
  useKeptWriting({
    place: 'PROBLEM',
    body,
    kind,
    sensorSerial,
    pictures: blobs,
    isSending: isBusy || isSent,
    restore: (kept) => {
      setBody(kept.body);
      setKind(kept.kind);
      // The sensor whose button was tapped now counts.
      if (serial === undefined) setSensorSerial(kept.sensorSerial ?? '');
      pictures.set(kept.pictures);
    },
  });
  const send = async () => {
    // A picture that is not ready yet would stay behind.
    if (pictures.isPreparing) return;
    setMissing(kind === undefined);
    if (kind === undefined) return;
    await run(async () => {
      await actions.reportProblem({
        kind,
        body,
        ...(isOfSensor && sensorSerial !== '' ? { sensorSerial } : {}),
        pictures: blobs,
      });
      setSent(true);
    });
  };
  if (isSent)
    return (
      <Page
        title={t('problem.title')}
        screen="sent"
        backTo="/more"
        actions={
          <ButtonLink look="primary" to="/today">
            {t('frame.toToday')}
          </ButtonLink>
        }
      >
        <div role="status">
          <Notice tone="good" title={t('problem.keptTitle')}>
            {t('problem.sent')}
          </Notice>
        </div>
      </Page>
    );
  return (
    <Page
      title={t('problem.title')}
      screen="problem"
      backTo="/more"
      actions={
        <Button look="primary" icon="send" aria-disabled={isBusy || pictures.isPreparing} onClick={send}>
          {t('problem.send')}
        </Button>
      }
    >
      <fieldset className={styles.kinds}>
        <legend>{t('problem.lead')}</legend>
        {KINDS.map((choice) => (
          <label key={choice}>
            <input type="radio" name="kind" checked={kind === choice} onChange={() => setKind(choice)} />
            <span>{t(`problem.kinds.${choice}`)}</span>
          </label>
        ))}
      </fieldset>
      {kind === 'SKIN' && <Notice tone="warn">{t('problem.skinHelp')}</Notice>}
      {isOfSensor && (
        <div className={styles.field}>
          <label htmlFor="sensor">{t('problem.sensor')}</label>
          <select id="sensor" value={sensorSerial} onChange={(event) => setSensorSerial(event.target.value)}>
            <option value="">{t('problem.anySensor')}</option>
            {sensors.map((sensor) => (
              <option key={sensor.serial} value={sensor.serial}>
                {placeText(sensor)} ({sensor.displayName})
              </option>
            ))}
          </select>
        </div>
      )}
      <div className={styles.field}>
        <label htmlFor="body">{t('problem.body')}</label>
        <textarea id="body" value={body} maxLength={10_000} onChange={(event) => setBody(event.target.value)} />
      </div>
      <PictureTray pictures={pictures} />
      <Failure text={failure ?? (isMissing && kind === undefined ? t('problem.chooseKind') : undefined)} />
      <p className={styles.muted}>{t('messages.notUrgent')}</p>
    </Page>
  );
}
