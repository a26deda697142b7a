/** How a study is analysed: the method in words, the versions of its days, and its analysis runs. */
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Analysis, AnalysisRun } from '../../../src-server/api/contract/index.ts';
import { analysisQuery, analysisRunsQuery } from '../../shared/api/analysis-queries.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button } from '../../shared/kit/controls.tsx';
import { type Column, DataTable, Faint } from '../../shared/kit/data-table.tsx';
import { panelClass } from '../../shared/kit/page.tsx';
import { Empty, Notice, QueryView } from '../../shared/kit/state.tsx';
import styles from './analysis.module.css';
import { NewRunDialog, PinDialog } from './dialogs.tsx';
import { useMethodWords } from './method-words.ts';
import { RunState } from './run-state.tsx';
import { RunView } from './run-view.tsx';

function Method({ studyId, analysis }: { studyId: string; analysis: Analysis }) {
  const { t, format } = useWords();
  const can = usePermissions();
  const methodWords = useMethodWords();
  const [isPinning, setPinning] = useState(false);
  const { programVersion, pinnedVersion, parameters, methodHash, versions, waiting } = analysis;
  const days = versions.map(({ algorithmVersion, days: count }) =>
    t('runs.versionDays', { version: algorithmVersion, count }),
  );
  return (
    <section className={`${panelClass} ${styles.panel}`}>
      <div className={styles.head}>
        <h2>{t('runs.methodTitle')}</h2>
        {can('analysis.adopt', studyId) && (
          <Button onPress={() => setPinning(true)}>
            {pinnedVersion === undefined ? t('runs.pinTo', { version: programVersion }) : t('runs.unpin')}
          </Button>
        )}
      </div>
      {waiting && pinnedVersion !== undefined && (
        <Notice tone="warn">
          {t('runs.waiting', { count: waiting.subjects, pinned: pinnedVersion, version: programVersion })}
        </Notice>
      )}
      <dl className={styles.facts}>
        <dt>{t('runs.versionTitle')}</dt>
        <dd>
          {pinnedVersion === undefined
            ? t('runs.follows', { version: programVersion })
            : t('runs.pinned', { pinned: pinnedVersion, version: programVersion })}
        </dd>
        <dt>{t('runs.parameters')}</dt>
        <dd className={styles.method}>
          {methodWords(parameters).map((sentence) => (
            <span key={sentence}>{sentence}</span>
          ))}
          <code className={styles.hash} title={methodHash}>
            {methodHash.slice(0, 12)}…
          </code>
        </dd>
        <dt>{t('runs.daysTitle')}</dt>
        <dd>{days.length === 0 ? t('runs.noDays') : format.list(days)}</dd>
      </dl>
      {isPinning && <PinDialog studyId={studyId} analysis={analysis} onClose={() => setPinning(false)} />}
    </section>
  );
}

function useColumns(studyId: string): Column<AnalysisRun>[] {
  const { t, format, language } = useWords();
  const methodWords = useMethodWords();
  return useMemo(
    () => [
      {
        id: 'name',
        header: t('runs.name'),
        value: ({ name }) => name,
        cell: ({ id, name }) => (
          <Link className={styles.name} to="/studies/$studyId/analysis" params={{ studyId }} search={{ run: id }}>
            {name}
          </Link>
        ),
      },
      { id: 'state', header: t('runs.state'), value: ({ state }) => state, cell: (run) => <RunState run={run} /> },
      {
        id: 'method',
        header: t('runs.method'),
        cell: ({ version, parameters }) => (
          <span className={styles.name}>
            {t('runs.version', { version })}
            <br />
            <Faint>{methodWords(parameters, true).join(language === 'ja' ? '' : ' ')}</Faint>
          </span>
        ),
      },
      {
        id: 'created',
        header: t('runs.started'),
        value: ({ createdTs }) => createdTs,
        cell: ({ createdTs }) => format.dateTime(createdTs),
      },
      {
        id: 'author',
        isSecondary: true,
        header: t('runs.author'),
        value: ({ authorName }) => authorName ?? '',
        cell: ({ authorName }) => authorName ?? '',
      },
    ],
    [t, format, language, methodWords, studyId],
  );
}

export function StudyAnalysis() {
  const { t } = useWords();
  const { studyId } = useParams({ from: '/desk/studies/$studyId/analysis' });
  const { run: runId } = useSearch({ from: '/desk/studies/$studyId/analysis' });
  const navigate = useNavigate();
  const can = usePermissions();
  const analysis = useQuery(analysisQuery(studyId));
  const runs = useQuery(analysisRunsQuery(studyId));
  const columns = useColumns(studyId);
  const [isStarting, setStarting] = useState(false);
  const start = can('analysis.run', studyId) && (
    <Button kind="primary" icon="plus" onPress={() => setStarting(true)}>
      {t('runs.new')}
    </Button>
  );
  return (
    <QueryView query={analysis}>
      {(method) => (
        <div className={styles.page}>
          <Method studyId={studyId} analysis={method} />
          <div className={styles.head}>
            <h2>{t('runs.title')}</h2>
            {start}
          </div>
          <p className={styles.help}>{t('runs.help')}</p>
          <QueryView query={runs}>
            {(items) =>
              items.length === 0 ? (
                <Empty icon="play" title={t('runs.emptyTitle')} help={t('runs.emptyHelp')} />
              ) : (
                <DataTable
                  caption={t('runs.title')}
                  rows={items}
                  columns={columns}
                  rowId={({ id }) => id}
                  initialSort={{ id: 'created', desc: true }}
                />
              )
            }
          </QueryView>
          {runId !== undefined && <RunView studyId={studyId} runId={runId} analysis={method} />}
          {isStarting && (
            <NewRunDialog
              studyId={studyId}
              analysis={method}
              onStarted={(run) =>
                void navigate({ to: '/studies/$studyId/analysis', params: { studyId }, search: { run } })
              }
              onClose={() => setStarting(false)}
            />
          )}
        </div>
      )}
    </QueryView>
  );
}
