/** What Bluetooth does for one sensor on this phone; where the browser cannot, a sentence that says so. */
import { Notice } from '../../kit/notice.tsx';
import { usePhone } from '../../kit/use-phone.ts';
import type { PhoneSensor } from '../../model.ts';
import { useWords } from '../../words/words.ts';

/** Kinds that speak Bluetooth to a phone; the others send their data through a hub. */
const OVER_BLUETOOTH = /POLAR|MOVESENSE|HEART_RATE/i;

export function BluetoothPanel({ sensor }: { sensor: PhoneSensor }) {
  const { t } = useWords();
  const { reach } = usePhone();
  if (!OVER_BLUETOOTH.test(sensor.hardwareId) || reach.bluetooth === 'YES') return null;
  return <Notice icon="bluetooth">{t(`reach.bluetooth.${reach.bluetooth}`)}</Notice>;
}
