/** The network check: the site connects to itself at each address it gives to devices, and shows each result. */
import { useMutation } from '@tanstack/react-query';
import type { NetworkCheck } from '../../../../src-server/api/contract/index.ts';
import { client } from '../../../shared/api/client.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Button, Pill, type Tone } from '../../../shared/kit/controls.tsx';
import { FormProblem } from '../../../shared/kit/form-dialog.tsx';
import { Notice } from '../../../shared/kit/state.tsx';
import styles from './check.module.css';

type Reach = NetworkCheck['addresses'][number]['result'];

const TONES: Record<Reach, Tone> = { reached: 'good', refused: 'bad', 'no-answer': 'bad', other: 'bad' };

/** Interprets the results as a whole and says what to do next. */
function Meaning({ check }: { check: NetworkCheck }) {
  const { t, format } = useWords();
  const { addresses, lastCall } = check;
  const isReached = (address: NetworkCheck['addresses'][number]) => address.result === 'reached';
  if (addresses.length === 0) return <Notice tone="bad">{t('network.check.notListening')}</Notice>;
  if (!addresses.every(isReached)) {
    return (
      <Notice tone={addresses.some(isReached) ? 'warn' : 'bad'}>
        {t(addresses.some(isReached) ? 'network.check.some' : 'network.check.none')}
      </Notice>
    );
  }
  if (lastCall) {
    const time = format.moment(lastCall.ts);
    return <Notice tone="good">{t('network.check.open', { time, address: lastCall.address })}</Notice>;
  }
  const port = new URL(addresses[0]?.url ?? '').port;
  return <Notice tone="info">{t('network.check.onlyLocal', { port })}</Notice>;
}

export function CheckNetwork() {
  const { t, format } = useWords();
  const check = useMutation({ mutationFn: () => client.call('checkNetwork') });
  return (
    <div className={styles.check}>
      <div className={styles.run}>
        <Button icon="retry" isDisabled={check.isPending} onPress={() => check.mutate()}>
          {t('network.check.run')}
        </Button>
        <small>{t('network.check.help')}</small>
      </div>
      <FormProblem error={check.error} />
      <div role="status">
        {check.isPending && <p>{t('network.check.running')}</p>}
        {check.data && !check.isPending && (
          <div className={styles.check}>
            <ul className={styles.results}>
              {check.data.addresses.map(({ url, interfaceName, result }) => (
                <li key={url}>
                  <Pill tone={TONES[result]}>{t(`network.check.results.${result}`)}</Pill>
                  <span className={styles.url}>{url}</span>
                  {interfaceName !== undefined && <small>{interfaceName}</small>}
                </li>
              ))}
            </ul>
            <Meaning check={check.data} />
            <small>{t('network.check.at', { time: format.clock(check.data.checkedTs) })}</small>
          </div>
        )}
      </div>
    </div>
  );
}
