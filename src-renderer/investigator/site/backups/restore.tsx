import { useQuery } from '@tanstack/react-query';
import { backupStatusQuery, backupsQuery } from '../../../shared/api/site-queries.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { CopyButton } from '../../../shared/kit/forms.tsx';
import { panelClass } from '../../../shared/kit/page.tsx';
import styles from '../site.module.css';

/** Instructions for restoring a backup from the command line: the desk belongs to the site that would be replaced. */
export function HowToRestore() {
  const { t } = useWords();
  const scheduled = useQuery(backupStatusQuery()).data?.directory;
  // Of the newest own backup that can be restored: it may be in another folder than that of the schedule.
  const newest = useQuery(backupsQuery()).data?.items.find(({ isOwn, state }) => isOwn && state === 'complete');
  const directory = newest?.directory ?? scheduled;
  const command = `npm run -s outpost -- restore --from "${directory ?? ''}" --data "${t('backups.restoreTarget')}"`;
  return (
    <section className={`${panelClass} ${styles.card}`} aria-label={t('backups.restoreTitle')}>
      <h2>{t('backups.restoreTitle')}</h2>
      <p className={styles.hint}>{t('backups.restoreHelp')}</p>
      <ol className={styles.numbered}>
        <li>{t('backups.restoreClose')}</li>
        <li>
          {t('backups.restoreRun')}
          <p className={styles.mono}>{command}</p>
          <CopyButton text={command} label={t('form.copy')} />
        </li>
        <li>{t('backups.restoreOpen')}</li>
      </ol>
    </section>
  );
}
