import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useRef, useState } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import type { Site } from '../../../src-server/api/contract/index.ts';
import { liveState } from '../../shared/api/live.ts';
import { jobsQuery, siteQuery, statusQuery } from '../../shared/api/queries.ts';
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

function Database({ database }: { database: Site['database'] }) {
  const { t, format } = useWords();
  const isHealthy = database.state === 'healthy';
  return (
    <div
      data-tone={isHealthy ? undefined : 'bad'}
      title={t('strip.schema', { version: database.schemaVersion, size: format.bytes(database.sizeBytes) })}
    >
      {isHealthy ? <span className={styles.dot} /> : <Icon name="alert" size={14} />}
      {t('strip.database')} {t(isHealthy ? 'strip.healthy' : 'strip.readOnly')}
      <span className={styles.wide}>· {format.bytes(database.sizeBytes)}</span>
    </div>
  );
}

function Disk({ disk }: { disk: Site['disk'] }) {
  const { t, format } = useWords();
  return (
    <div data-tone={disk.isLow ? 'warn' : undefined} title={disk.isLow ? t('strip.diskLowHelp') : undefined}>
      {disk.isLow && <Icon name="alert" size={14} />}
      {t(disk.isLow ? 'strip.diskLow' : 'strip.disk', {
        free: format.bytes(disk.freeBytes),
        total: format.bytes(disk.totalBytes),
      })}
    </div>
  );
}

const hostOf = (address: string) => new URL(address).host;

/** What stands behind the screen: the site, its server, database and disk, and whether changes arrive by themselves. */
export function StatusStrip() {
  const { t } = useWords();
  const status = useQuery(statusQuery());
  const { data: site, isError: isSiteUnknown } = useQuery(siteQuery());
  const live = useStore(liveState);
  const server = status.error ? 'unreachable' : status.data ? 'reachable' : 'checking';
  return (
    <footer className={styles.strip}>
      {site && (
        <div className={styles.siteName}>
          <span>{t('strip.site')}</span>
          <strong>{site.displayName}</strong>
        </div>
      )}
      <div>
        <span className={styles.dot} data-state={server} />
        {t('strip.server')} {t(`strip.${server}`)}
      </div>
      {site && !isSiteUnknown && server === 'reachable' && (
        <>
          <Database database={site.database} />
          <Disk disk={site.disk} />
          <div className={styles.medium}>
            {t('strip.address')} {site.addresses.map(hostOf).join(', ')}
          </div>
        </>
      )}
      {status.data && <div className={styles.wide}>{t('strip.version', { version: status.data.version })}</div>}
      <div className={styles.end} role="status" title={t(`strip.${live}Help`)}>
        <span className={styles.dot} data-state={live} />
        {t(`strip.${live}`)}
      </div>
      <Jobs />
    </footer>
  );
}
