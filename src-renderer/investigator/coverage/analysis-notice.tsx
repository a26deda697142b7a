/**
 * The state of a day's analysis while it is not done: interrupted (with Retry), waiting or running. Once shown, the notice
 * stays until another day is opened, also after the analysis has finished, so that the layout does not jump.
 */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { Job } from '../../../src-server/api/contract/index.ts';
import { whyQuery } from '../../shared/api/attention-queries.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { type DeskSubject, jobQuery } from '../../shared/api/queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { ProgressBar } from '../../shared/kit/progress.tsx';
import { Notice } from '../../shared/kit/state.tsx';
import styles from './causes.module.css';
import { RetryJob } from './retry-job.tsx';

type State = 'interrupted' | 'again' | 'running' | 'waiting' | 'done';

const TONES = { interrupted: 'warn', again: 'warn', running: 'info', waiting: 'info', done: 'good' } as const;

function stateOf(isFailed: boolean, isWaiting: boolean, job: Job | undefined): State {
  if (isFailed && job?.state !== 'queued' && job?.state !== 'running') return 'interrupted';
  if (job?.state === 'running') return 'running';
  if (!isFailed && !isWaiting) return 'done';
  return job?.error ? 'again' : 'waiting';
}

export interface AnalysisOfDay {
  state: State;
  jobId: string | undefined;
  job: Job | undefined;
  /** Whether the analysis was still complete when the day was opened. */
  cameLater: boolean;
}

/** Undefined while the analysis is complete and was so when the day was opened. */
export function useAnalysisOfDay(subject: DeskSubject, date: string): AnalysisOfDay | undefined {
  const why = useQuery(whyQuery(subject.studyId, subject.id, date));
  const isKnown = why.data?.date === date;
  const causes = isKnown ? (why.data?.causes ?? []) : [];
  const failed = causes.find(({ code }) => code === 'ANALYSIS_FAILED');
  const waiting = causes.find(({ code }) => code === 'ANALYSIS_WAITING');
  const jobId = (failed ?? waiting)?.evidence.jobId;
  const job = useQuery({ ...jobQuery(jobId ?? ''), enabled: jobId !== undefined }).data;
  const isOpen = failed !== undefined || waiting !== undefined;
  const [first, setFirst] = useState<{ date: string; isOpen: boolean } | null>(null);
  const [saidFor, setSaidFor] = useState<string | null>(null);
  useEffect(() => {
    if (isKnown) setFirst((known) => (known?.date === date ? known : { date, isOpen }));
    if (isOpen) setSaidFor(date);
  }, [isKnown, isOpen, date]);
  const isShown = isOpen || saidFor === date;
  const state = stateOf(failed !== undefined, waiting !== undefined, job);
  const cameLater = first?.date === date && !first.isOpen;
  return useMemo(
    () => (isShown ? { state, jobId, job, cameLater } : undefined),
    [isShown, state, jobId, job, cameLater],
  );
}

export function AnalysisNotice({
  analysis,
  studyId,
  date,
}: {
  analysis: AnalysisOfDay;
  studyId: string;
  date: string;
}) {
  const { t, format } = useWords();
  const can = usePermissions();
  const { state, jobId, job } = analysis;
  const title = t(`analysis.${state}`, { date: format.date(date) });
  const { progress } = job ?? {};
  return (
    <Notice
      tone={TONES[state]}
      actions={
        state === 'interrupted' && can('job.retry', studyId) && jobId !== undefined ? (
          <RetryJob jobId={jobId} about={title} />
        ) : undefined
      }
    >
      <p className={styles.analysis}>
        <strong>{title}</strong>
        {state === 'running' && progress && progress.total > 0 && (
          <ProgressBar label={t('jobs.kind.analyse')} done={progress.done} total={progress.total} />
        )}
        <small>
          {state === 'interrupted' && job?.state === 'parked' ? t('analysis.parked') : t(`analysis.${state}Help`)}
        </small>
      </p>
    </Notice>
  );
}
