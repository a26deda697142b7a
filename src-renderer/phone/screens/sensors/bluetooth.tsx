/** What Bluetooth does for one sensor on this phone; where the browser cannot, a sentence that says so. */
import { ButtonLink } from '../../kit/button.tsx';
import { Notice } from '../../kit/notice.tsx';
import { pathOf } from '../../kit/route.ts';
import { usePhone } from '../../kit/use-phone.ts';
import type { PhoneSensor } from '../../model.ts';
import { canRecordLive } from '../../sensors/live-hardware.ts';
import { useWords } from '../../words/words.ts';

export function BluetoothPanel({ sensor }: { sensor: PhoneSensor }) {
  const { t } = useWords();
  const { reach } = usePhone();
  if (!canRecordLive(sensor)) return null;
  if (reach.bluetooth !== 'YES') return <Notice icon="bluetooth">{t(`reach.bluetooth.${reach.bluetooth}`)}</Notice>;
  return (
    <ButtonLink icon="bluetooth" to={pathOf('record', sensor.serial)}>
      {t('record.open')}
    </ButtonLink>
  );
}
