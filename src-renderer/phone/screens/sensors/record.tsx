/** Records one sensor of the subject with this phone: pick it, see that it sits well, stop. */
import { useContext, useEffect, useRef, useState } from 'react';
import type { GattDevice } from '../../../shared/sensors/bluetooth/gatt.ts';
import { useStore } from '../../../shared/store.ts';
import { Button, ButtonLink } from '../../kit/button.tsx';
import { Notice } from '../../kit/notice.tsx';
import { Page, Stack } from '../../kit/page.tsx';
import { useModel, usePhone } from '../../kit/use-phone.ts';
import type { PhoneSensor } from '../../model.ts';
import { sensorHost } from '../../sensors/host.ts';
import { HostContext, type RecorderHost } from '../../sensors/host-context.ts';
import { useWords } from '../../words/words.ts';
import { NoBluetooth } from './bluetooth.tsx';
import { type Ended, EndedRecording } from './ended-recording.tsx';
import { LiveRecordingView } from './live-recording.tsx';
import { problemText } from './problem-text.ts';
import styles from './record.module.css';

export function RecordScreen({ serial }: { serial: string }) {
  const { t } = useWords();
  const { sensors, reach } = usePhone();
  const model = useModel();
  const sensor = sensors.find((one) => one.serial === serial);
  const otherHost = useContext(HostContext);
  const [host, setHost] = useState<RecorderHost>();
  useEffect(() => {
    // A store that cannot be opened shows on every screen.
    if (otherHost) setHost(otherHost(model));
    else sensorHost(model).then(setHost, () => undefined);
  }, [model, otherHost]);
  if (!sensor || reach.bluetooth !== 'YES') {
    return (
      <Page title={t('record.title')} backTo="/sensors">
        {reach.bluetooth === 'YES' ? (
          <Notice tone="warn" icon="bluetooth">
            {t('record.problems.SENSOR_UNKNOWN')}
          </Notice>
        ) : (
          <NoBluetooth tone="warn" reason={reach.bluetooth} />
        )}
      </Page>
    );
  }
  return host ? (
    <Recorder host={host} sensor={sensor} />
  ) : (
    <Page title={t('record.title')} backTo="/sensors">
      {null}
    </Page>
  );
}

function Recorder({ host, sensor }: { host: RecorderHost; sensor: PhoneSensor }) {
  const words = useWords();
  const { t } = words;
  const { live } = useStore(host.state);
  const recordings = usePhone().waiting.filter(({ serial }) => serial === sensor.serial);
  const [isBusy, setBusy] = useState(false);
  const busy = useRef(false);
  const [ended, setEnded] = useState<Ended>();
  const [failure, setFailure] = useState<string>();
  const [other, setOther] = useState<GattDevice>();
  const running = live.find(({ serial }) => serial === sensor.serial);
  const isRunning = running !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: these change which controls are there
  useEffect(() => {
    // The control that was pressed is gone.
    if (document.activeElement === document.body) document.querySelector('h1')?.focus({ preventScroll: true });
  }, [isRunning, other]);
  const act = async (action: () => Promise<void>) => {
    if (busy.current) return;
    busy.current = true;
    setBusy(true);
    setFailure(undefined);
    try {
      await action();
    } catch (error) {
      const { name, code } = error as { name?: string; code?: unknown };
      setFailure(name === 'NotFoundError' ? t('record.nothingPicked') : problemText(words, String(code ?? name)));
    } finally {
      busy.current = false;
      setBusy(false);
    }
  };
  const use = async (device: GattDevice) => {
    setOther(undefined);
    setEnded(undefined);
    await host.start(device, sensor.serial);
  };
  const stop = () => act(async () => setEnded(await host.stop(sensor.serial)));
  const pick = () =>
    act(async () => {
      setOther(undefined);
      const { device, isThat } = await host.pick(sensor);
      if (isThat) await use(device);
      else setOther(device);
    });
  const actions = running ? (
    <Button look="danger" aria-disabled={isBusy} onClick={() => void stop()}>
      {t(isBusy ? 'record.stopping' : 'record.stop')}
    </Button>
  ) : other ? (
    <>
      <Button look="primary" onClick={() => void pick()}>
        {t('record.otherAgain')}
      </Button>
      <Button look="quiet" onClick={() => void act(() => use(other))}>
        {t('record.otherUse')}
      </Button>
    </>
  ) : (
    <Button look="primary" icon="bluetooth" aria-disabled={isBusy} onClick={() => void pick()}>
      {t(isBusy ? 'record.connecting' : 'record.connect')}
    </Button>
  );
  const hasRefused = recordings.some(({ state }) => state === 'REFUSED');
  const unsent = recordings.filter(({ state }) => state !== 'REFUSED');
  return (
    <Page title={t('record.title')} lead={sensor.displayName} backTo="/sensors" actions={actions}>
      <Stack>
        <div role="alert">{failure !== undefined && <Notice tone="bad">{failure}</Notice>}</div>
        {running ? (
          <LiveRecordingView live={running} sensor={sensor} />
        ) : ended && !other ? (
          <EndedRecording ended={ended} unsent={unsent} hasRefused={hasRefused} />
        ) : (
          <Before other={other} sensor={sensor} />
        )}
        {hasRefused && (
          <Notice
            tone="warn"
            action={
              <ButtonLink look="quiet" to="/waiting">
                {t('record.refusedWhy')}
              </ButtonLink>
            }
          >
            {t('record.refused')}
          </Notice>
        )}
        {!running && !ended && unsent.length > 0 && (
          <p className={styles.small}>{t('record.unsent', { count: unsent.length })}</p>
        )}
      </Stack>
    </Page>
  );
}

function Before({ other, sensor }: { other: GattDevice | undefined; sensor: PhoneSensor }) {
  const { t } = useWords();
  if (other) {
    const { displayName: name, serial } = sensor;
    return (
      <Notice tone="warn" title={t('record.otherTitle')}>
        {t('record.otherText', { device: other.name ?? '', name, serial })}
      </Notice>
    );
  }
  return (
    <>
      <h2 className={styles.heading}>{t('record.beforeTitle')}</h2>
      <ol className={styles.steps}>
        <li>{t('record.before1')}</li>
        <li>{t('record.before2')}</li>
        <li>{t('record.before3')}</li>
      </ol>
      <p className={styles.small}>{t('record.notForNights')}</p>
    </>
  );
}
