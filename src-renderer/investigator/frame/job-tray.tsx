import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { RefObject } from 'react';
import { Dialog, Popover } from 'react-aria-components';
import type { Job } from '../../../src-server/api/contract/index.ts';
import { recentJobsQuery } from '../../shared/api/queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import kit from '../../shared/kit/controls.module.css';
import { Pill } from '../../shared/kit/controls.tsx';
import { ProgressBar } from '../../shared/kit/progress.tsx';
import { QueryView } from '../../shared/kit/state.tsx';
import { JOB_TONES, useStep } from '../jobs/job-state.ts';
import styles from './frame.module.css';

function JobList({ jobs }: { jobs: Job[] }) {
  const { t, format } = useWords();
  const step = useStep();
  if (jobs.length === 0) {
    return (
      <>
        <h2>{t('jobs.none')}</h2>
        <p>{t('jobs.noneHelp')}</p>
      </>
    );
  }
  return (
    <>
      <h2>{t('jobs.title')}</h2>
      <p>{t('jobs.recent')}</p>
      <ol>
        {jobs.map((job) => (
          <li key={job.id} className={styles.job}>
            <span>{t(`jobs.kind.${job.kind}`)}</span>
            <Pill tone={JOB_TONES[job.state]}>{t(`jobs.state.${job.state}`)}</Pill>
            <small>
              {format.clock(job.createdTs)}
              {job.progress && job.state === 'running' ? ` · ${step(job.progress)}` : ''}
            </small>
            {job.error && <small className={styles.wide}>{job.error.message}</small>}
            {job.state === 'running' && (
              <span className={styles.wide}>
                <ProgressBar
                  label={t(`jobs.kind.${job.kind}`)}
                  done={job.progress?.done ?? 0}
                  total={job.progress?.total ?? 0}
                />
              </span>
            )}
          </li>
        ))}
      </ol>
    </>
  );
}

/** The popover with the recent jobs of the site, above its button in the status strip. */
export default function JobTray({
  trigger,
  onClose,
}: {
  trigger: RefObject<HTMLButtonElement | null>;
  onClose: () => void;
}) {
  const { t } = useWords();
  const jobs = useQuery(recentJobsQuery());
  return (
    <Popover
      className={kit.popover}
      placement="top end"
      triggerRef={trigger}
      isOpen
      onOpenChange={(open) => !open && onClose()}
    >
      <Dialog className={styles.jobs} aria-label={t('jobs.title')}>
        <QueryView query={jobs}>{({ items }) => <JobList jobs={items} />}</QueryView>
        <p>
          <Link to="/site/jobs" onClick={onClose}>
            {t('jobs.all')}
          </Link>
        </p>
      </Dialog>
    </Popover>
  );
}
