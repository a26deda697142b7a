/** One analysis run: its method, what stands against adopting it, its actions and its comparison. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { Analysis, AnalysisRunDetail } from '../../../src-server/api/contract/index.ts';
import { analysisKey, analysisRunQuery } from '../../shared/api/analysis-queries.ts';
import { client } from '../../shared/api/client.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button } from '../../shared/kit/controls.tsx';
import { FormProblem } from '../../shared/kit/form-dialog.tsx';
import { panelClass } from '../../shared/kit/page.tsx';
import { Notice, QueryView } from '../../shared/kit/state.tsx';
import styles from './analysis.module.css';
import { Comparison } from './comparison.tsx';
import { AdoptDialog, DeleteDialog, useIsBeingDeleted } from './dialogs.tsx';
import { useMethodWords } from './method-words.ts';
import { RunState } from './run-state.tsx';

const MOST_NAMED = 5;

function Hindrances({ run }: { run: AnalysisRunDetail }) {
  const { t, format } = useWords();
  const failed = run.subjects.filter(({ state }) => state === 'FAILED' || state === 'CANCELLED');
  const outdated = run.subjects.filter(({ state }) => state === 'OUTDATED' || state === 'MISSING');
  const named = (subjects: AnalysisRunDetail['subjects']) =>
    format.list([
      ...subjects.slice(0, MOST_NAMED).map(({ displayName }) => displayName),
      ...(subjects.length > MOST_NAMED ? [`+${subjects.length - MOST_NAMED}`] : []),
    ]);
  return (
    <>
      {failed.length > 0 && run.state !== 'CANCELLED' && (
        <Notice tone="warn">
          {t('runs.failed', { count: failed.length, names: named(failed) })} {failed[0]?.problem}
        </Notice>
      )}
      {outdated.length > 0 && run.state !== 'CANCELLED' && (
        <Notice tone="info">{t('runs.outdated', { count: outdated.length, names: named(outdated) })}</Notice>
      )}
      {!run.isAvailable && outdated.length > 0 && (
        <Notice tone="info">{t('runs.notAvailable', { version: run.version })}</Notice>
      )}
      {!run.isWholeStudy && <Notice tone="info">{t('runs.partial')}</Notice>}
    </>
  );
}

export function RunView({ studyId, runId, analysis }: { studyId: string; runId: string; analysis: Analysis }) {
  const { t } = useWords();
  const isBeingDeleted = useIsBeingDeleted(runId);
  const query = useQuery({ ...analysisRunQuery(studyId, runId), enabled: !isBeingDeleted });
  const place = useRef<HTMLElement>(null);
  const shownId = query.data?.id;
  useEffect(() => {
    // It is below the list, where a chosen run would show nothing of itself.
    if (shownId !== undefined) place.current?.scrollIntoView({ block: 'start' });
  }, [shownId]);
  return (
    <QueryView query={query}>
      {(run) => (
        <section
          ref={place}
          className={`${styles.run} ${styles.chosen}`}
          aria-label={t('runs.run', { name: run.name })}
        >
          <Facts studyId={studyId} run={run} analysis={analysis} />
          {run.state !== 'ADOPTED' && run.counts.done + run.counts.outdated > 0 && (
            <Comparison
              key={run.id}
              studyId={studyId}
              runId={run.id}
              parameters={[analysis.parameters, run.parameters]}
            />
          )}
        </section>
      )}
    </QueryView>
  );
}

function Facts({ studyId, run, analysis }: { studyId: string; run: AnalysisRunDetail; analysis: Analysis }) {
  const { t, format } = useWords();
  const can = usePermissions();
  const queries = useQueryClient();
  const methodWords = useMethodWords();
  const navigate = useNavigate();
  const [isAdopting, setAdopting] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const params = { studyId, runId: run.id };
  const onSuccess = () => queries.invalidateQueries({ queryKey: analysisKey(studyId) });
  const cancel = useMutation({ mutationFn: () => client.call('cancelAnalysisRun', { params }), onSuccess });
  const refresh = useMutation({ mutationFn: () => client.call('refreshAnalysisRun', { params }), onSuccess });
  const isReady = run.counts.total > 0 && run.counts.done === run.counts.total && run.isWholeStudy;
  // Also what this program cannot compute: the site compares first, and data can be as it was.
  const mayRefresh =
    run.state === 'CANCELLED' ||
    (['OUTDATED', 'FAILED', 'REPLACED'].includes(run.state) && run.counts.done < run.counts.total);
  // As the site refuses it: what is or was in use, has the pinned version, or is being computed.
  const mayDelete = run.state !== 'ADOPTED' && run.counts.open === 0 && run.version !== analysis.pinnedVersion;
  return (
    <div className={`${panelClass} ${styles.panel}`}>
      <div className={styles.head}>
        <h2>{run.name}</h2>
        <div className={styles.actions}>
          {run.state === 'RUNNING' && can('analysis.run', studyId) && (
            <Button isPending={cancel.isPending} onPress={() => cancel.mutate()}>
              {t('runs.cancel')}
            </Button>
          )}
          {mayRefresh && can('analysis.run', studyId) && (
            <Button isPending={refresh.isPending} onPress={() => refresh.mutate()}>
              {t('runs.refresh')}
            </Button>
          )}
          {mayDelete && can('analysis.delete', studyId) && (
            <Button onPress={() => setDeleting(true)}>{t('runs.delete')}</Button>
          )}
          {run.state !== 'ADOPTED' && run.state !== 'CANCELLED' && can('analysis.adopt', studyId) && (
            <Button kind="primary" isDisabled={!isReady} onPress={() => setAdopting(true)}>
              {t('runs.adopt')}
            </Button>
          )}
        </div>
      </div>
      <FormProblem error={cancel.error ?? refresh.error} />
      <Hindrances run={run} />
      <dl className={styles.facts}>
        <dt>{t('runs.state')}</dt>
        <dd>
          <RunState run={run} />
        </dd>
        <dt>{t('runs.method')}</dt>
        <dd className={styles.method}>
          <span>{t('runs.version', { version: run.version })}</span>
          {methodWords(run.parameters).map((sentence) => (
            <span key={sentence}>{sentence}</span>
          ))}
          <code className={styles.hash} title={run.methodHash}>
            {run.methodHash.slice(0, 12)}…
          </code>
        </dd>
        <dt>{t('runs.reason')}</dt>
        <dd>{run.reason}</dd>
        <dt>{t('runs.started')}</dt>
        <dd>{[format.dateTime(run.createdTs), run.authorName].filter(Boolean).join(' · ')}</dd>
        {run.adoptedTs !== undefined && (
          <>
            <dt>{t('runs.adopted')}</dt>
            <dd>{[format.dateTime(run.adoptedTs), run.adoptedByName, run.adoptReason].filter(Boolean).join(' · ')}</dd>
          </>
        )}
      </dl>
      {isDeleting && (
        <DeleteDialog
          studyId={studyId}
          run={run}
          onDeleted={() => void navigate({ to: '/studies/$studyId/analysis', params: { studyId }, search: {} })}
          onClose={() => setDeleting(false)}
        />
      )}
      {isAdopting && <AdoptDialog studyId={studyId} run={run} analysis={analysis} onClose={() => setAdopting(false)} />}
    </div>
  );
}
