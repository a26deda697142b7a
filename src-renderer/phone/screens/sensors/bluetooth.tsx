/** What Bluetooth does for one sensor on this phone; where the browser cannot, a sentence that says so. */
import { ButtonLink } from '../../kit/button.tsx';
import { Notice, type Tone } from '../../kit/notice.tsx';
import { pathOf } from '../../kit/route.ts';
import { TrustLink } from '../../kit/trust-link.tsx';
import { usePhone } from '../../kit/use-phone.ts';
import type { PhoneSensor } from '../../model.ts';
import { canRecordLive } from '../../sensors/live-hardware.ts';
import { useWords } from '../../words/words.ts';

export function BluetoothPanel({ sensor }: { sensor: PhoneSensor }) {
  const { t } = useWords();
  const { reach } = usePhone();
  if (!canRecordLive(sensor)) return null;
  if (reach.bluetooth !== 'YES') return <NoBluetooth reason={reach.bluetooth} />;
  return (
    <ButtonLink icon="bluetooth" to={pathOf('record', sensor.serial)}>
      {t('record.open')}
    </ButtonLink>
  );
}

export function NoBluetooth({ reason, tone = 'info' }: { reason: 'NOT_SECURE' | 'NOT_IN_THIS_BROWSER'; tone?: Tone }) {
  const { t } = useWords();
  return (
    <Notice tone={tone} icon="bluetooth" action={reason === 'NOT_SECURE' && <TrustLink />}>
      {t(`reach.bluetooth.${reason}`)}
    </Notice>
  );
}
