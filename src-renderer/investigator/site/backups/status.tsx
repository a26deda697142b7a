import { useQuery } from '@tanstack/react-query';
import type { BackupStatus as Status } from '../../../../src-server/api/contract/index.ts';
import { openBackupQuery } from '../../../shared/api/queries.ts';
import { backupStatusQuery, settingsQuery } from '../../../shared/api/site-queries.ts';
import { useDiagnosticText } from '../../../shared/i18n/diagnostic-text.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Faint } from '../../../shared/kit/data-table.tsx';
import { panelClass } from '../../../shared/kit/page.tsx';
import { ProgressBar } from '../../../shared/kit/progress.tsx';
import { Notice, QueryView } from '../../../shared/kit/state.tsx';
import { useStep } from '../../jobs/job-state.ts';
import styles from '../site.module.css';
import { Encryption } from './encryption/encryption.tsx';
import { Unplug } from './unplug.tsx';

const card = `${panelClass} ${styles.card}`;

function driveText(
  { name, isConnected, seenTs }: NonNullable<Status['drive']>,
  t: ReturnType<typeof useWords>['t'],
  format: ReturnType<typeof useWords>['format'],
): string {
  if (isConnected) return t('drives.connected', { name });
  if (seenTs === undefined) return t('drives.awayNever', { name });
  return t('drives.away', { name, when: format.ago(seenTs, Date.now()) });
}

/** The last and the next backup, and the progress of one that is being made. */
export function BackupStatus() {
  const { t, format } = useWords();
  const diagnosticText = useDiagnosticText();
  const step = useStep();
  const status = useQuery(backupStatusQuery());
  const settings = useQuery(settingsQuery()).data;
  const [running] = useQuery(openBackupQuery()).data?.items ?? [];
  return (
    <section className={card} aria-label={t('backups.statusTitle')}>
      <h2>{t('backups.statusTitle')}</h2>
      <QueryView query={status}>
        {(data) => (
          <>
            {data.isOverdue && <Notice tone="warn">{t('backups.overdue')}</Notice>}
            {data.isOnSiteDisk && <Notice tone="warn">{t('backups.sameDisk')}</Notice>}
            {data.diagnostic && (
              <Notice tone="bad">{t('backups.problem', { problem: diagnosticText(data.diagnostic) })}</Notice>
            )}
            <dl className={styles.facts}>
              <dt>{t('backups.last')}</dt>
              <dd>
                {data.lastTs === undefined ? (
                  <Faint>{t('backups.none')}</Faint>
                ) : (
                  t('backups.lastAt', { time: format.moment(data.lastTs), ago: format.ago(data.lastTs, Date.now()) })
                )}
              </dd>
              <dt>{t('backups.next')}</dt>
              <dd>
                {data.isEnabled && data.nextTs !== undefined ? format.moment(data.nextTs) : t('backups.notPlanned')}
              </dd>
              <dt>{t('backups.folder')}</dt>
              <dd className={styles.mono}>{data.directory}</dd>
              {data.drive && (
                <>
                  <dt>{t('drives.label')}</dt>
                  <dd>{driveText(data.drive, t, format)}</dd>
                </>
              )}
              <dt>{t('encryption.label')}</dt>
              <dd>{t(data.encryption ? 'encryption.on' : 'encryption.off')}</dd>
              <dt>{t('site.disk')}</dt>
              <dd>
                {data.disk
                  ? t('site.diskFree', {
                      free: format.bytes(data.disk.freeBytes),
                      total: format.bytes(data.disk.totalBytes),
                    })
                  : t('backups.unreachable')}
              </dd>
            </dl>
            {data.drive && <Unplug drive={data.drive} />}
            <Encryption status={data} isOfSite={settings?.backup.schedule.folder === null} />
          </>
        )}
      </QueryView>
      {running && (
        <div role="status">
          <p>{t('backups.running')}</p>
          {running.progress && (
            <>
              <ProgressBar label={t('jobs.kind.backup')} done={running.progress.done} total={running.progress.total} />
              <small>{step(running.progress)}</small>
            </>
          )}
        </div>
      )}
    </section>
  );
}
