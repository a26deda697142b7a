import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useRef, useState } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import type { Site } from '../../../src-server/api/contract/index.ts';
import { connectedDevicesQuery } from '../../shared/api/equipment-queries.ts';
import { liveState } from '../../shared/api/live.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { openJobsQuery, siteQuery, statusQuery } from '../../shared/api/queries.ts';
import { useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Icon } from '../../shared/kit/icon.tsx';
import { useStore } from '../../shared/store.ts';
import { DATABASE_WORDS } from './database-words.ts';
import styles from './frame.module.css';

const JobTray = lazy(() => import('./job-tray.tsx'));

function Jobs() {
  const { t } = useWords();
  const { data } = useQuery(openJobsQuery());
  const trigger = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const jobs = data?.items ?? [];
  const active = jobs.filter((job) => job.state === 'running' || job.state === 'queued').length;
  const failed = jobs.filter((job) => job.state === 'failed' || job.state === 'parked').length;
  const text =
    active > 0
      ? t('statusBar.jobs', { count: active })
      : failed > 0
        ? t('statusBar.jobsFailed', { count: failed })
        : t('statusBar.jobsNone');
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
      <Suspense>{isOpen && <JobTray trigger={trigger} onClose={() => setOpen(false)} />}</Suspense>
    </>
  );
}

function Database({ database }: { database: Site['database'] }) {
  const { t, format } = useWords();
  const isHealthy = database.state === 'healthy';
  return (
    <Link
      to="/site"
      data-tone={isHealthy ? undefined : 'bad'}
      title={t('statusBar.schema', { version: database.schemaVersion, size: format.bytes(database.sizeBytes) })}
    >
      {isHealthy ? <span className={styles.dot} /> : <Icon name="alert" size={14} />}
      {t('statusBar.database')} {t(DATABASE_WORDS[database.state])}
    </Link>
  );
}

function Disk({ disk }: { disk: Site['disk'] }) {
  const { t, format } = useWords();
  return (
    <Link
      to="/site"
      data-tone={disk.isLow ? 'warn' : undefined}
      title={disk.isLow ? t('statusBar.diskLowHelp') : undefined}
    >
      {disk.isLow && <Icon name="alert" size={14} />}
      {t(disk.isLow ? 'statusBar.diskLow' : 'statusBar.disk', {
        free: format.bytes(disk.freeBytes),
        total: format.bytes(disk.totalBytes),
      })}
    </Link>
  );
}

/** How many of the paired hubs and phones have contacted the site within a day. */
function Devices() {
  const { t, format } = useWords();
  const { user } = useSession();
  const { data } = useQuery(connectedDevicesQuery(user.accountId));
  if (!data || data.paired === 0) return null;
  return (
    <Link to="/equipment/devices" title={t('statusBar.devicesHelp')}>
      {t('statusBar.devices', { seen: format.number(data.seenLastDay), count: data.paired })}
    </Link>
  );
}

/** The address at which devices reach the site; without a network, the address of the desk. */
function Address({ addresses }: { addresses: readonly string[] }) {
  const { t } = useWords();
  const mayManage = usePermissions()('site.manage');
  const shown = addresses.find((address) => address.startsWith('https:')) ?? addresses[0];
  if (shown === undefined) return null;
  return (
    <Link to={mayManage ? '/site/network' : '/site'} className={styles.medium} title={addresses.join('\n')}>
      {t('statusBar.address')} {new URL(shown).host}
    </Link>
  );
}

/** The status bar: the site, its server, database, disk and devices, live updates, and jobs. */
export function StatusStrip() {
  const { t } = useWords();
  const status = useQuery(statusQuery());
  const { data: site, isError: isSiteUnknown } = useQuery(siteQuery());
  const live = useStore(liveState);
  const server = status.error ? 'unreachable' : status.data ? 'reachable' : 'checking';
  return (
    <footer className={styles.strip}>
      {site && (
        <div className={styles.siteName} title={site.displayName}>
          <span>{t('statusBar.site')}</span>
          <strong>{site.displayName}</strong>
        </div>
      )}
      <Link to="/site" title={status.data && t('statusBar.version', { version: status.data.version })}>
        <span className={styles.dot} data-state={server} />
        {t('statusBar.server')} {t(`statusBar.${server}`)}
      </Link>
      {site && !isSiteUnknown && server === 'reachable' && (
        <>
          <Database database={site.database} />
          <Disk disk={site.disk} />
          <Address addresses={site.addresses} />
          <Devices />
        </>
      )}
      <div className={styles.end} role="status" title={t(`statusBar.${live}Help`)}>
        <span className={styles.dot} data-state={live} />
        {t(`statusBar.${live}`)}
      </div>
      <Jobs />
    </footer>
  );
}
