/** Troubleshooting for a device that does not find this computer. Opens automatically once the device is overdue. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Pairing } from '../../../../src-server/api/contract/index.ts';
import { networkQuery } from '../../../shared/api/equipment-queries.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { panelClass } from '../../../shared/kit/page.tsx';
import { Notice } from '../../../shared/kit/state.tsx';
import { CheckNetwork } from '../../site/network/check.tsx';
import styles from './pair.module.css';

/** Longer than it takes people to open the app, scan the code and connect. */
const OVERDUE_AFTER_MS = 45_000;

export function NotFoundHelp({ pairing }: { pairing: Pairing | undefined }) {
  const { t, format } = useWords();
  const { data: network } = useQuery(networkQuery());
  const [isOpen, setOpen] = useState(false);
  const [isOverdue, setOverdue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => {
      setOverdue(true);
      setOpen(true);
    }, OVERDUE_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  const call = network?.lastCall;
  const hasCalled = call !== undefined && pairing !== undefined && call.ts >= pairing.createdTs;
  return (
    <>
      <div role="status">
        {isOverdue && (
          <Notice tone="warn">
            {hasCalled ? t('pairing.reachedOnly', { address: call.address }) : t('pairing.overdue')}
          </Notice>
        )}
      </div>
      <details
        className={`${panelClass} ${styles.help}`}
        open={isOpen}
        onToggle={(event) => setOpen(event.currentTarget.open)}
      >
        <summary>{t('pairing.notFound')}</summary>
        <ol>
          <li>
            <p>{t('pairing.sameNetwork')}</p>
            {network && (
              <dl className={styles.facts}>
                <dt>{t('network.computer')}</dt>
                <dd>{network.computerName}</dd>
                {network.name !== undefined && (
                  <>
                    <dt>{t('network.name')}</dt>
                    <dd>{network.name}</dd>
                  </>
                )}
                <dt>{t('network.addresses')}</dt>
                <dd>
                  {network.urls.map((url) => (
                    <div key={url} className={styles.mono}>
                      {url}
                    </div>
                  ))}
                </dd>
                <dt>{t('pairing.lastCall')}</dt>
                <dd>
                  {call
                    ? t('pairing.lastCallAt', { time: format.moment(call.ts), address: call.address })
                    : t('pairing.noCall')}
                </dd>
              </dl>
            )}
          </li>
          <li>
            <p>{t('pairing.sameNumbers')}</p>
          </li>
          <li>
            <p>{t('pairing.firewall')}</p>
            <CheckNetwork />
          </li>
        </ol>
      </details>
    </>
  );
}
