import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useRef, useState } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import { liveState } from '../../shared/api/live.ts';
import { jobsQuery, statusQuery } from '../../shared/api/queries.ts';
import { useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Icon } from '../../shared/kit/icon.tsx';
import { useStore } from '../../shared/store.ts';
import styles from './frame.module.css';

const JobTray = lazy(() => import('./job-tray.tsx'));

function Jobs() {
  const { t } = useWords();
  const { data } = useQuery(jobsQuery());
  const trigger = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const jobs = data?.items ?? [];
  const active = jobs.filter((job) => job.state === 'running' || job.state === 'queued').length;
  const failed = jobs.filter((job) => job.state === 'failed' || job.state === 'parked').length;
  const text =
    active > 0
      ? t('strip.jobs', { count: active })
      : failed > 0
        ? t('strip.jobsFailed', { count: failed })
        : t('strip.jobsNone');
  return (
    <>
      <AriaButton
        ref={trigger}
        className={styles.jobsButton}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onPress={() => setOpen(!isOpen)}
      >
        {active > 0 ? <span className={styles.spinner} /> : <Icon name={failed > 0 ? 'alert' : 'check'} size={14} />}
        {text}
      </AriaButton>
      <Suspense>{isOpen && <JobTray jobs={jobs} trigger={trigger} onClose={() => setOpen(false)} />}</Suspense>
    </>
  );
}

/** What stands behind the screen: which site, whether its server answers, whether changes arrive by themselves. */
export function StatusStrip() {
  const { t } = useWords();
  const { user } = useSession();
  const status = useQuery(statusQuery());
  const live = useStore(liveState);
  const siteName = user.accounts.find((account) => account.id === user.accountId)?.displayName;
  const server = status.error ? 'unreachable' : status.data ? 'reachable' : 'checking';
  return (
    <footer className={styles.strip}>
      {siteName !== undefined && (
        <div>
          <span>{t('strip.site')}</span>
          <strong>{siteName}</strong>
        </div>
      )}
      <div>
        <span className={styles.dot} data-state={server} />
        {t('strip.server')} {t(`strip.${server}`)}
      </div>
      <div>
        {t('strip.address')} {location.host}
      </div>
      {status.data && <div>{t('strip.version', { version: status.data.version })}</div>}
      <div className={styles.end} role="status" title={t(`strip.${live}Help`)}>
        <span className={styles.dot} data-state={live} />
        {t(`strip.${live}`)}
      </div>
      <Jobs />
    </footer>
  );
}
