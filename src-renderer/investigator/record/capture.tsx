/** The controls of a recording: which sensor, the browser's or the program's chooser, and what runs. */
import { useEffect, useState } from 'react';
import type { FleetItem } from '../../../src-server/api/contract/index.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button } from '../../shared/kit/controls.tsx';
import { RadioChoice } from '../../shared/kit/forms.tsx';
import { Notice } from '../../shared/kit/state.tsx';
import { type BluetoothLike, DEVICE_REQUEST, type GattDevice } from '../../shared/sensors/bluetooth/gatt.ts';
import { isThatSensor } from '../../shared/sensors/pick.ts';
import { useStore } from '../../shared/store.ts';
import { useCommands } from '../commands/commands.ts';
import { LiveView } from './live-view.tsx';
import styles from './record.module.css';
import type { DeskRecordings } from './recordings.ts';
import { useCodeWords } from './words.ts';

type Reach = 'yes' | 'noBluetooth' | 'notSecure' | 'bluetoothOff';

const bluetooth = () => (navigator as { bluetooth?: BluetoothLike & EventTarget }).bluetooth;

/** Whether this computer reaches Bluetooth devices now; its adapter may come and go. */
function useReach(): Reach {
  const [isOn, setOn] = useState(true);
  const own = bluetooth();
  useEffect(() => {
    const ask = () => void own?.getAvailability?.().then(setOn, () => undefined);
    ask();
    own?.addEventListener?.('availabilitychanged', ask);
    return () => own?.removeEventListener?.('availabilitychanged', ask);
  }, [own]);
  if (!own) return isSecureContext ? 'noBluetooth' : 'notSecure';
  return isOn ? 'yes' : 'bluetoothOff';
}

/** The code of a failure that the browser's chooser names in its own way. */
function codeOf(error: unknown): string {
  const { name, code } = error as { name?: string; code?: unknown };
  if (name === 'NotFoundError') return 'NOTHING_CHOSEN';
  if (name === 'NotAllowedError' || name === 'SecurityError') return 'NOT_ALLOWED';
  return typeof code === 'string' ? code : String(name);
}

interface Props {
  recordings: DeskRecordings;
  sensors: readonly FleetItem[];
  subject: { studyId: string; subjectId: string };
}

export function Capture({ recordings, sensors, subject }: Props) {
  const { t } = useWords();
  const words = useCodeWords();
  const reach = useReach();
  const { live } = useStore(recordings.state);
  const [chosen, setChosen] = useState('');
  const [busy, setBusy] = useState<'connecting' | 'stopping'>();
  const [failure, setFailure] = useState<string>();
  const [other, setOther] = useState<GattDevice>();
  const own = live.filter(({ place }) => place?.subjectId === subject.subjectId);
  const free = sensors.filter(({ id }) => !own.some(({ serial }) => serial === id));
  const sensor = free.find(({ id }) => id === chosen) ?? free[0];

  const act = async (kind: 'connecting' | 'stopping', work: () => Promise<void>) => {
    setBusy(kind);
    setFailure(undefined);
    try {
      await work();
    } catch (error) {
      setFailure(codeOf(error));
    } finally {
      setBusy(undefined);
    }
  };
  const use = async (device: GattDevice, { id: serial, displayName, hardwareId = '' }: FleetItem) => {
    setOther(undefined);
    await recordings.start(device, { serial, displayName, hardwareId }, subject);
  };
  const connect = () =>
    act('connecting', async () => {
      const adapter = bluetooth();
      if (!sensor || !adapter) return;
      setOther(undefined);
      const device = await adapter.requestDevice(DEVICE_REQUEST);
      if (isThatSensor(device.name ?? '', { serial: sensor.id, displayName: sensor.displayName }))
        await use(device, sensor);
      else setOther(device);
    });
  const stop = (serial: string) => act('stopping', () => recordings.stop(serial));
  const canConnect = reach === 'yes' && sensor !== undefined && busy === undefined;
  useCommands([
    { id: 'live.connect', label: t('live.connect'), scope: 'page', isEnabled: canConnect, run: () => void connect() },
    ...own.map(({ serial }) => ({
      id: `live.stop.${serial}`,
      label: t('live.stop'),
      scope: 'page' as const,
      isEnabled: busy === undefined,
      run: () => void stop(serial),
    })),
  ]);

  return (
    <div className={styles.capture}>
      {reach !== 'yes' && <Notice tone="warn">{t(`live.${reach}`)}</Notice>}
      {own.map((one) => (
        <LiveView
          key={one.serial}
          live={one}
          name={sensors.find(({ id }) => id === one.serial)?.displayName ?? one.serial}
          isBusy={busy !== undefined}
          onStop={() => void stop(one.serial)}
        />
      ))}
      {sensor && own.length < 2 && (
        <div className={styles.start}>
          <RadioChoice
            label={t('live.sensors')}
            value={sensor.id}
            options={free.map(({ id, displayName, hardwareId }) => ({
              id,
              label: displayName,
              help: [hardwareId, id].filter(Boolean).join(' · '),
            }))}
            onChange={setChosen}
          />
          {own.length === 0 && (
            <ol className={styles.steps}>
              <li>{t('live.step1')}</li>
              <li>{t('live.step2')}</li>
              <li>{t('live.step3')}</li>
            </ol>
          )}
          <div role="alert">{failure !== undefined && <Notice tone="warn">{words.problem(failure)}</Notice>}</div>
          {other ? (
            <Notice
              tone="warn"
              actions={
                <span className={styles.buttons}>
                  <Button kind="primary" isDisabled={!canConnect} onPress={() => void connect()}>
                    {t('live.again')}
                  </Button>
                  <Button isDisabled={!canConnect} onPress={() => void act('connecting', () => use(other, sensor))}>
                    {t('live.anyway')}
                  </Button>
                </span>
              }
            >
              {t('live.otherSensor', { device: other.name ?? '', name: sensor.displayName, serial: sensor.id })}
            </Notice>
          ) : (
            <div className={styles.buttons}>
              <Button
                kind={own.length === 0 ? 'primary' : 'plain'}
                isDisabled={!canConnect}
                onPress={() => void connect()}
              >
                {t(busy === 'connecting' ? 'live.connecting' : 'live.connect')}
              </Button>
            </div>
          )}
        </div>
      )}
    </div>
  );
}
