/** The addresses under which phones' browsers open the site, and what to do about one that the site no longer has. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { PhoneAddress } from '../../../../src-server/api/contract/index.ts';
import { phoneAddressesQuery } from '../../../shared/api/equipment-queries.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Pill } from '../../../shared/kit/controls.tsx';
import { panelClass } from '../../../shared/kit/page.tsx';
import { Notice } from '../../../shared/kit/state.tsx';
import styles from '../site.module.css';

function Address({ address: { host, isGone, phones } }: { address: PhoneAddress }) {
  const { t, format } = useWords();
  return (
    <>
      <dt className={styles.mono}>{host}</dt>
      <dd>
        <Pill tone={isGone ? 'bad' : 'good'}>{t(isGone ? 'network.phones.gone' : 'network.phones.present')}</Pill>
        <ul className={styles.plainList}>
          {phones.map(({ studyId, subjectId, subjectName, lastTs }) => (
            <li key={subjectId}>
              <Link to="/studies/$studyId/subjects/$subjectId" params={{ studyId, subjectId }}>
                {subjectName}
              </Link>{' '}
              <small>{t('network.phones.last', { time: format.moment(lastTs) })}</small>
            </li>
          ))}
        </ul>
      </dd>
    </>
  );
}

/** Nothing until a phone has opened the site in a browser. */
export function PhoneAddresses({ nameUrl }: { nameUrl: string | undefined }) {
  const { t } = useWords();
  const { data } = useQuery(phoneAddressesQuery());
  const items = data?.items ?? [];
  if (items.length === 0) return null;
  const gone = items.filter(({ isGone }) => isGone).map(({ host }) => host);
  return (
    <section className={`${panelClass} ${styles.card}`} aria-label={t('network.phones.title')}>
      <h2>{t('network.phones.title')}</h2>
      <p className={styles.hint}>{t('network.phones.help')}</p>
      {gone.length > 0 && (
        <Notice tone="bad">
          <p>{t('network.phones.goneHelp', { hosts: gone.join(', ') })}</p>
          <p>{t('network.phones.otherwise')}</p>
        </Notice>
      )}
      <dl className={styles.facts}>
        {items.map((address) => (
          <Address key={address.host} address={address} />
        ))}
      </dl>
      {nameUrl !== undefined && <p className={styles.hint}>{t('network.phones.name', { url: nameUrl })}</p>}
    </section>
  );
}
