/** Backups of the site: the schedule, the existing backups, and whether they passed verification. */
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { Backup } from '../../../../src-server/api/contract/index.ts';
import { backupStatusQuery, backupsQuery, settingsQuery } from '../../../shared/api/site-queries.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Empty, QueryView } from '../../../shared/kit/state.tsx';
import { NewButton } from '../../commands/new-button.tsx';
import styles from '../site.module.css';
import { SitePage } from '../site-page.tsx';
import { DeleteBackup, MakeBackup } from './dialogs.tsx';
import { LostFiles } from './lost-files.tsx';
import { Restores } from './restore.tsx';
import { BackupSchedule } from './schedule.tsx';
import { BackupStatus } from './status.tsx';
import { BackupTable } from './table.tsx';

type Open = { kind: 'make' } | { kind: 'remove' | 'restore'; backup: Backup };

const RestoreBackup = lazy(async () => ({ default: (await import('./restore-dialog.tsx')).RestoreBackup }));

function Content({ onOpen }: { onOpen: (open: Open) => void }) {
  const { t } = useWords();
  const backups = useQuery(backupsQuery());
  const settings = useQuery(settingsQuery());
  const status = useQuery(backupStatusQuery());
  const isAway = status.data !== undefined && status.data.disk === undefined;
  return (
    <>
      <LostFiles />
      <QueryView query={backups}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty
              icon="shield"
              title={t(isAway ? 'backups.unreachableTitle' : 'backups.emptyTitle')}
              help={t(isAway ? 'backups.unreachableHelp' : 'backups.emptyHelp')}
            />
          ) : (
            <BackupTable items={items} onOpen={(kind, backup) => onOpen({ kind, backup })} />
          )
        }
      </QueryView>
      <Restores />
      <div className={styles.cards}>
        <BackupStatus />
        <QueryView query={settings}>
          {(data) => <BackupSchedule key={JSON.stringify(data.backup.schedule)} schedule={data.backup.schedule} />}
        </QueryView>
      </div>
    </>
  );
}

export function Backups() {
  const { t } = useWords();
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  return (
    <SitePage
      title={t('site.backups')}
      summary={t('backups.summary')}
      isForAdministrators
      actions={<NewButton id="backups.make" label={t('backups.make')} onPress={() => setOpen({ kind: 'make' })} />}
    >
      <Content onOpen={setOpen} />
      {open?.kind === 'make' && <MakeBackup onClose={close} />}
      {open?.kind === 'remove' && <DeleteBackup backup={open.backup} onClose={close} />}
      <Suspense>{open?.kind === 'restore' && <RestoreBackup backup={open.backup} onClose={close} />}</Suspense>
    </SitePage>
  );
}
