/** All jobs of the site: what is running, what failed and why, what can be retried or cancelled. */
import { useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Job } from '../../../src-server/api/contract/index.ts';
import { client } from '../../shared/api/client.ts';
import { type LongList, useLongList } from '../../shared/api/long-list.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { jobPagesQuery, studiesQuery, subjectsQuery } from '../../shared/api/queries.ts';
import { useSession } from '../../shared/api/session.ts';
import { useDiagnosticText } from '../../shared/i18n/diagnostic-text.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { ConfirmDialog } from '../../shared/kit/confirm-dialog.tsx';
import { Button, buttonClass, Pill, Segments } from '../../shared/kit/controls.tsx';
import { type Column, DataTable, Faint } from '../../shared/kit/data-table.tsx';
import { ProgressBar } from '../../shared/kit/progress.tsx';
import { CopyDetails, Empty, errorSentence, QueryView } from '../../shared/kit/state.tsx';
import { oneOf } from '../filters/filter-search.ts';
import { useTableFilter } from '../filters/use-table-filter.ts';
import { SitePage } from '../site/site-page.tsx';
import { JOB_TONES, useStep } from './job-state.ts';
import styles from './jobs.module.css';
import { RetryButton } from './retry-button.tsx';

const SHOWN = ['all', 'open', 'failed', 'done'] as const;
type Shown = (typeof SHOWN)[number];
const FILTER_FIELDS = { state: oneOf(SHOWN, 'all') };

const STATES: Record<Shown, readonly Job['state'][] | null> = {
  all: null,
  open: ['queued', 'running'],
  failed: ['failed', 'parked'],
  done: ['done', 'cancelled'],
};
/** Kinds of jobs that concern the whole site. */
const OF_THE_SITE: readonly Job['kind'][] = ['backup', 'verify', 'restore'];

/**
 * Whether a job ended without a result and its files were deleted, so that it cannot be retried. A restore starts again from its
 * backup, which asks for the passwords.
 */
const areFilesGone = ({ kind, state, actions }: Job) =>
  kind !== 'restore' && (state === 'failed' || state === 'cancelled') && !actions.includes('retry');

function JobState({ job }: { job: Job }) {
  const { t } = useWords();
  const diagnosticText = useDiagnosticText();
  const step = useStep();
  const { progress, error } = job;
  return (
    <div className={styles.state}>
      <Pill tone={JOB_TONES[job.state]}>{t(`jobs.state.${job.state}`)}</Pill>
      {job.state === 'running' && (
        <>
          <ProgressBar label={t(`jobs.kind.${job.kind}`)} done={progress?.done ?? 0} total={progress?.total ?? 0} />
          {progress && <small>{step(progress)}</small>}
        </>
      )}
      {error && (job.state === 'queued' || job.state === 'running') && (
        <small>{t('jobs.triedBefore', { problem: diagnosticText(error) })}</small>
      )}
      {error && (job.state === 'failed' || job.state === 'parked') && (
        <small className={styles.error}>
          {job.state === 'parked' ? t('jobs.parked') : diagnosticText(error)}{' '}
          <span className={styles.code}>{t('state.errorCode', { code: error.code })}</span>
        </small>
      )}
      {areFilesGone(job) && <small>{t('jobs.filesGone')}</small>}
    </div>
  );
}

function CancelJob({ job, onClose }: { job: Job; onClose: () => void }) {
  const { t } = useWords();
  return (
    <ConfirmDialog
      title={t('jobs.cancelTitle', { kind: t(`jobs.kind.${job.kind}`) })}
      effect={t(job.kind === 'import' ? 'jobs.cancelEffectFiles' : 'jobs.cancelEffect')}
      submitLabel={t('jobs.cancel')}
      run={() => client.call('cancelJob', { params: { jobId: job.id } })}
      changes={['job']}
      onClose={onClose}
    />
  );
}

function Actions({ job, onCancel }: { job: Job; onCancel: (job: Job) => void }) {
  const { t, format, language } = useWords();
  const queries = useQueryClient();
  const name = `${t(`jobs.kind.${job.kind}`)}, ${format.moment(job.createdTs)}`;
  const retry = useMutation({
    mutationFn: () => client.call('retryJob', { params: { jobId: job.id } }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['job'] }),
  });
  return (
    <div className={styles.actions}>
      {job.actions.includes('retry') && (
        <RetryButton label={t('jobs.retry')} name={t('jobs.retryOf', { name })} retry={retry} />
      )}
      {job.actions.includes('cancel') && (
        <Button small icon="close" aria-label={t('jobs.cancelOf', { name })} onPress={() => onCancel(job)}>
          {t('jobs.cancel')}
        </Button>
      )}
      {job.error && (job.state === 'failed' || job.state === 'parked') && <CopyDetails error={asError(job)} />}
      {retry.error && <small className={styles.error}>{errorSentence(retry.error, t, language)}</small>}
    </div>
  );
}

/** Wraps a job's failure in an Error, so that its details can be copied like those of any other. */
function asError({ id, kind, error }: Job): Error {
  return new Error(`${kind} ${id}: ${error?.code ?? ''} ${error?.message ?? ''}`);
}

function JobTable({ list, shown, onCancel }: { list: LongList<Job>; shown: Shown; onCancel: (job: Job) => void }) {
  const { items: jobs } = list;
  const can = usePermissions();
  const mayChange = can('job.cancel');
  const { t, format } = useWords();
  const { user } = useSession();
  const studies = useQuery(studiesQuery(user.accountId)).data;
  const studyNames = useMemo(() => new Map(studies?.map((study) => [study.id, study.displayName])), [studies]);
  const studyIds = [...new Set(jobs.flatMap(({ studyId, subjectId }) => (studyId && subjectId ? [studyId] : [])))];
  const subjectNames = useQueries({
    queries: studyIds.map((studyId) => subjectsQuery(studyId)),
    combine: (results) =>
      new Map(
        results.flatMap((result) => result.data?.items ?? []).map((subject) => [subject.id, subject.displayName]),
      ),
  });
  const columns = useMemo(
    (): Column<Job>[] => [
      {
        id: 'created',
        header: t('jobs.created'),
        value: (job) => job.createdTs,
        cell: (job) => <span title={format.dateTime(job.createdTs)}>{format.moment(job.createdTs)}</span>,
      },
      {
        id: 'kind',
        header: t('jobs.what'),
        value: (job) => t(`jobs.kind.${job.kind}`),
        cell: (job) => <strong>{t(`jobs.kind.${job.kind}`)}</strong>,
      },
      {
        id: 'place',
        header: t('jobs.place'),
        value: (job) => (job.studyId ? (studyNames.get(job.studyId) ?? '') : ''),
        cell: ({ kind, studyId, subjectId }) => {
          if (!studyId) return <Faint>{t(OF_THE_SITE.includes(kind) ? 'jobs.wholeSite' : 'exports.byNobody')}</Faint>;
          const study = studyNames.get(studyId) ?? '';
          const subject = subjectId && subjectNames.get(subjectId);
          return subject ? (
            <Link to="/studies/$studyId/subjects/$subjectId" params={{ studyId, subjectId }} title={study}>
              {subject}
            </Link>
          ) : (
            <Link to="/studies/$studyId" params={{ studyId }}>
              {study}
            </Link>
          );
        },
      },
      {
        id: 'state',
        header: t('jobs.stateTitle'),
        value: (job) => job.state,
        cell: (job) => <JobState job={job} />,
      },
      {
        id: 'took',
        header: t('jobs.took'),
        isNumber: true,
        isSecondary: true,
        value: (job) => (job.startedTs && job.finishedTs ? job.finishedTs - job.startedTs : undefined),
        cell: ({ startedTs, finishedTs }) =>
          startedTs && finishedTs ? (
            format.duration((finishedTs - startedTs) / 1000)
          ) : (
            <Faint>{t('jobs.notEnded')}</Faint>
          ),
      },
      ...(mayChange
        ? [
            {
              id: 'actions',
              header: t('exports.actions'),
              cell: (job: Job) => (can('job.cancel', job.studyId) ? <Actions job={job} onCancel={onCancel} /> : ''),
            },
          ]
        : []),
    ],
    [t, format, studyNames, subjectNames, mayChange, can, onCancel],
  );
  return (
    <DataTable
      caption={t('jobs.title')}
      rows={jobs}
      columns={columns}
      rowId={(job) => job.id}
      initialSort={{ id: 'created', desc: true }}
      list={list}
      liveOf={shown}
    />
  );
}

export function Jobs() {
  const { t } = useWords();
  const { values, set, clear } = useTableFilter(FILTER_FIELDS);
  const { state: shown } = values;
  const [cancelling, setCancelling] = useState<Job | null>(null);
  const list = useLongList(jobPagesQuery(STATES[shown]));
  return (
    <SitePage title={t('jobs.title')} summary={t('jobs.summary')}>
      {(shown !== 'all' || list.items.length > 0) && (
        <div>
          <Segments
            label={t('jobs.show')}
            value={shown}
            options={SHOWN.map((id) => ({ id, label: t(`jobs.shown.${id}`) }))}
            onChange={(state) => set({ state })}
          />
        </div>
      )}
      <QueryView query={list.query}>
        {(jobs) =>
          jobs.length > 0 ? (
            <JobTable list={list} shown={shown} onCancel={setCancelling} />
          ) : shown === 'all' ? (
            <Empty icon="rows" title={t('jobs.none')} help={t('jobs.noneHelp')}>
              <Link to="/exports" className={buttonClass('primary')}>
                {t('commands.goExports')}
              </Link>
            </Empty>
          ) : (
            <Empty icon="check" title={t('jobs.noneShown')} help={t('jobs.noneShownHelp')}>
              <Button onPress={clear}>{t('jobs.shown.all')}</Button>
            </Empty>
          )
        }
      </QueryView>
      {cancelling && <CancelJob job={cancelling} onClose={() => setCancelling(null)} />}
    </SitePage>
  );
}
