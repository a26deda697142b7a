/** The last restore of a backup: its progress, where the restored site lies, and how to open it. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Job } from '../../../../src-server/api/contract/index.ts';
import { client } from '../../../shared/api/client.ts';
import { lastRestoreQuery } from '../../../shared/api/queries.ts';
import { backupStatusQuery, backupsQuery } from '../../../shared/api/site-queries.ts';
import { desktopProgram } from '../../../shared/desktop.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { ConfirmDialog } from '../../../shared/kit/confirm-dialog.tsx';
import { Button } from '../../../shared/kit/controls.tsx';
import { CopyButton } from '../../../shared/kit/forms.tsx';
import { panelClass } from '../../../shared/kit/page.tsx';
import { ProgressBar } from '../../../shared/kit/progress.tsx';
import { Notice } from '../../../shared/kit/state.tsx';
import { useStep } from '../../jobs/job-state.ts';
import styles from '../site.module.css';
import { useRestoreProblem } from './restore-problem.ts';

/** The result of a restore, which the contract of jobs leaves open. */
interface Restored {
  folder: string;
  createdTs: number;
  recordings: number;
  sizeBytes: number;
  lost: { file: string; state: 'MISSING' | 'DAMAGED' }[];
  countLost: number;
}

const SHOWN_FILES = 10;

function LostFiles({ lost, countLost }: Pick<Restored, 'lost' | 'countLost'>) {
  const { t } = useWords();
  const shown = lost.slice(0, SHOWN_FILES);
  return (
    <>
      <ul className={styles.problems}>
        {shown.map(({ file, state }) => (
          <li key={file}>
            <span className={styles.mono}>{file}</span> – {t(`restores.lost.${state}`)}
          </li>
        ))}
      </ul>
      {countLost > shown.length && <p>{t('restores.moreLost', { count: countLost - shown.length })}</p>}
      <p className={styles.hint}>{t('restores.lostHelp')}</p>
    </>
  );
}

/** In the desktop program, one press; elsewhere, the command with the real path. */
function HowToOpen({ folder }: { folder: string }) {
  const { t } = useWords();
  const program = desktopProgram();
  const open = useMutation({
    mutationFn: async () => {
      const outcome = await program?.openSite(folder);
      // The page is about to be replaced. A failure is a sentence in the language of the program.
      if (outcome && !outcome.ok) throw new Error(outcome.message);
    },
  });
  if (program) {
    return (
      <>
        <div className={styles.actions}>
          <Button kind="primary" isDisabled={open.isPending || open.isSuccess} onPress={() => open.mutate()}>
            {t(open.isPending || open.isSuccess ? 'restores.opening' : 'restores.open')}
          </Button>
        </div>
        {open.error && <Notice tone="bad">{open.error.message}</Notice>}
      </>
    );
  }
  const command = `npm run -s outpost -- serve --data "${folder}"`;
  return (
    <div className={styles.command}>
      <p>{t('restores.serve')}</p>
      <p className={styles.mono}>{command}</p>
      <CopyButton text={command} label={t('restores.copyCommand')} />
    </div>
  );
}

function Done({ job, restored }: { job: Job; restored: Restored }) {
  const { t, format } = useWords();
  const { folder, lost, countLost } = restored;
  const facts = {
    time: format.moment(restored.createdTs),
    recordings: format.number(restored.recordings),
    size: format.bytes(restored.sizeBytes),
  };
  return (
    <>
      {countLost === 0 ? (
        <Notice tone="good">{t('restores.done', facts)}</Notice>
      ) : (
        <Notice tone="warn">{t('restores.incomplete', { ...facts, count: countLost })}</Notice>
      )}
      {countLost > 0 && <LostFiles lost={lost} countLost={countLost} />}
      <dl className={styles.facts}>
        <dt>{t('restores.where')}</dt>
        <dd className={styles.mono}>{folder}</dd>
        {job.finishedTs !== undefined && (
          <>
            <dt>{t('restores.finished')}</dt>
            <dd>{format.moment(job.finishedTs)}</dd>
          </>
        )}
      </dl>
      <p className={styles.hint}>{t('restores.next')}</p>
      <HowToOpen folder={folder} />
    </>
  );
}

function Running({ job, onCancel }: { job: Job; onCancel: () => void }) {
  const { t } = useWords();
  const step = useStep();
  const { state, progress } = job;
  return (
    <>
      <p>{t(state === 'queued' ? 'restores.waiting' : 'restores.running')}</p>
      {progress && state === 'running' && (
        <>
          <ProgressBar label={t('restores.progress')} done={progress.done} total={progress.total} />
          <small>{step(progress)}</small>
        </>
      )}
      <div className={styles.actions}>
        <Button icon="close" onPress={onCancel}>
          {t('restores.cancel')}
        </Button>
      </div>
    </>
  );
}

function LastRestore({ job }: { job: Job }) {
  const { t } = useWords();
  const problemOf = useRestoreProblem();
  const [isCancelling, setCancelling] = useState(false);
  const isOpen = job.state === 'queued' || job.state === 'running';
  return (
    <>
      {/* Progress changes every second and is not announced; how the restore ends is. */}
      {isOpen && <Running job={job} onCancel={() => setCancelling(true)} />}
      <div role="status" className={styles.column}>
        {job.state === 'done' && <Done job={job} restored={job.result as unknown as Restored} />}
        {(job.state === 'failed' || job.state === 'parked') && (
          <Notice tone="bad">
            {t('restores.failed', { problem: problemOf(job.error ?? { code: 'INTERNAL', message: '' }) })}
          </Notice>
        )}
        {job.state === 'cancelled' && <p>{t('restores.cancelled')}</p>}
      </div>
      {isCancelling && isOpen && (
        <ConfirmDialog
          title={t('restores.cancelTitle')}
          effect={t('restores.cancelEffect')}
          submitLabel={t('restores.cancel')}
          run={() => client.call('cancelJob', { params: { jobId: job.id } })}
          changes={['job']}
          onClose={() => setCancelling(false)}
        />
      )}
    </>
  );
}

/** Without this site there is no desk: another computer restores with the command line. */
function WithoutDesk() {
  const { t } = useWords();
  const scheduled = useQuery(backupStatusQuery()).data?.directory;
  // Of the newest own backup that can be restored: it may be in another folder than that of the schedule.
  const newest = useQuery(backupsQuery()).data?.items.find(({ isOwn, state }) => isOwn && state === 'complete');
  const directory = newest?.directory ?? scheduled;
  const command = `npm run -s outpost -- restore --from "${directory ?? ''}" --data "${t('backups.restoreTarget')}"`;
  return (
    <details>
      <summary>{t('backups.restoreWithout')}</summary>
      <ol className={styles.numbered}>
        <li>
          {t('backups.restoreRun')}
          <p className={styles.mono}>{command}</p>
          <CopyButton text={command} label={t('form.copy')} />
        </li>
        <li>{t('backups.restoreOpen')}</li>
      </ol>
    </details>
  );
}

export function Restores() {
  const { t } = useWords();
  const [last] = useQuery(lastRestoreQuery()).data?.items ?? [];
  return (
    <section className={`${panelClass} ${styles.card}`} aria-label={t('backups.restoreTitle')}>
      <h2>{t('backups.restoreTitle')}</h2>
      <p className={styles.hint}>{t('backups.restoreHelp')}</p>
      {last && <LastRestore job={last} />}
      <WithoutDesk />
    </section>
  );
}
