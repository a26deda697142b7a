/** Records one sensor of the subject with this phone: pick it, see that it sits well, stop. */
import { useEffect, useState } from 'react';
import type { GattDevice } from '../../../shared/sensors/bluetooth/gatt.ts';
import { useStore } from '../../../shared/store.ts';
import { Button } from '../../kit/button.tsx';
import { Notice } from '../../kit/notice.tsx';
import { Page, Stack } from '../../kit/page.tsx';
import { useModel, usePhone } from '../../kit/use-phone.ts';
import type { PhoneSensor } from '../../model.ts';
import { type SensorHost, sensorHost } from '../../sensors/host.ts';
import { useWords } from '../../words/words.ts';
import { NoBluetooth } from './bluetooth.tsx';
import { LiveRecordingView } from './live-recording.tsx';
import { problemText } from './problem-text.ts';
import styles from './record.module.css';

export function RecordScreen({ serial }: { serial: string }) {
  const { t } = useWords();
  const { sensors, reach } = usePhone();
  const model = useModel();
  const sensor = sensors.find((one) => one.serial === serial);
  const [host, setHost] = useState<SensorHost>();
  useEffect(() => {
    // A store that cannot be opened shows on every screen.
    sensorHost(model).then(setHost, () => undefined);
  }, [model]);
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

function Recorder({ host, sensor }: { host: SensorHost; sensor: PhoneSensor }) {
  const words = useWords();
  const { t } = words;
  const { live, unsent } = useStore(host.state);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const [other, setOther] = useState<GattDevice>();
  const running = live.find(({ serial }) => serial === sensor.serial);
  const act = async (action: () => Promise<void>) => {
    setBusy(true);
    setFailure(undefined);
    try {
      await action();
    } catch (error) {
      const { name, code } = error as { name?: string; code?: unknown };
      setFailure(name === 'NotFoundError' ? t('record.nothingPicked') : problemText(words, String(code ?? name)));
    } finally {
      setBusy(false);
    }
  };
  const use = async (device: GattDevice) => {
    setOther(undefined);
    await host.start(device, sensor.serial);
  };
  const pick = () =>
    act(async () => {
      setOther(undefined);
      const { device, isThat } = await host.pick(sensor);
      if (isThat) await use(device);
      else setOther(device);
    });
  const actions = running ? (
    <Button look="danger" aria-disabled={isBusy} onClick={() => void act(() => host.stop(sensor.serial))}>
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
  const refused = unsent.find(({ state, serial }) => state === 'REFUSED' && serial === sensor.serial);
  const waiting = unsent.filter(({ state }) => state === 'FINISHED').length;
  return (
    <Page title={t('record.title')} lead={sensor.displayName} backTo="/sensors" actions={actions}>
      <Stack>
        <div role="alert">{failure !== undefined && <Notice tone="bad">{failure}</Notice>}</div>
        {running ? <LiveRecordingView host={host} live={running} /> : <Before other={other} sensor={sensor} />}
        {waiting > 0 && <p className={styles.small}>{t('record.unsent', { count: waiting })}</p>}
        {refused && (
          <Notice tone="warn">{t('record.refused', { message: refused.message ?? refused.code ?? '' })}</Notice>
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
