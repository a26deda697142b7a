/** Who changed what, when and why: the audit trail of a subject, a study or a user, in words. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState } from 'react';
import type { AuditEntry } from '../../../src-server/api/contract/index.ts';
import { fileName } from '../../shared/api/download.ts';
import { type HistoryFilter, historyQuery } from '../../shared/api/message-queries.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { jobsQuery, subjectQuery } from '../../shared/api/queries.ts';
import { useDiagnosticText } from '../../shared/i18n/diagnostic-text.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, CsvButton, Pill } from '../../shared/kit/controls.tsx';
import { type Column, DataTable, Faint } from '../../shared/kit/data-table.tsx';
import { Select } from '../../shared/kit/forms.tsx';
import { Empty, QueryView } from '../../shared/kit/state.tsx';
import { About } from './about.tsx';
import styles from './history.module.css';
import { historyCsv } from './history-csv.ts';
import { aboutText, actionText, fieldText, isShown, recordText, valueText } from './history-words.ts';

/** The types of records that a study's history can be narrowed to. */
const RECORDS = [
  'study',
  'membership',
  'subject',
  'equipment',
  'recording',
  'annotation',
  'message',
  'analytics',
  'export',
] as const;

function Actor({ actor }: { actor: AuditEntry['actor'] }) {
  const { t } = useWords();
  if (actor.type === 'SYSTEM') return <Faint>{t('history.actors.SYSTEM')}</Faint>;
  return (
    <>
      {actor.displayName ?? <Faint help={actor.id}>{t(`history.actors.${actor.type}`)}</Faint>}{' '}
      {actor.displayName !== undefined && actor.type !== 'USER' && <small>{t(`history.actors.${actor.type}`)}</small>}
    </>
  );
}

/** Field by field: what it was, what it became. A new record has only what it became. */
function Changes({ entry, timeZone }: { entry: AuditEntry; timeZone: string | undefined }) {
  const { t, format } = useWords();
  const changes = entry.changes.filter(({ field }) => isShown(field));
  if (changes.length === 0) return <Faint>{t('history.noFields')}</Faint>;
  const isNew = changes.every(({ old }) => old === undefined || old === null);
  const list = (
    <dl className={styles.changes}>
      {changes.map(({ field, old, new: next, oldName, newName }) => (
        <div key={field}>
          <dt>{fieldText(field, t)}</dt>
          <dd>
            {!isNew && (
              <>
                <del>{oldName ?? valueText(field, old, t, format, timeZone)}</del>
                <span aria-hidden="true"> → </span>
                <span className="visually-hidden">{t('history.changedTo')}</span>
              </>
            )}
            <ins>{newName ?? valueText(field, next, t, format, timeZone)}</ins>
          </dd>
        </div>
      ))}
    </dl>
  );
  if (changes.length <= 4) return list;
  return (
    <details className={styles.more}>
      <summary>{t('history.fieldCount', { count: changes.length })}</summary>
      {list}
    </details>
  );
}

/** Whether the chain held when the site was last checked as a whole. */
function ChainState() {
  const { t, format } = useWords();
  const can = usePermissions();
  const jobs = useQuery(jobsQuery());
  const checked = jobs.data?.items
    .filter(({ kind, state }) => kind === 'verify' && state === 'done')
    .sort((a, b) => (b.finishedTs ?? 0) - (a.finishedTs ?? 0))[0];
  const audit = checked?.result?.audit as { isIntact?: boolean; message?: string } | undefined;
  return (
    <p className={styles.chain}>
      {audit?.isIntact === undefined ? (
        <Pill>{t('history.chainUnknown')}</Pill>
      ) : audit.isIntact ? (
        <Pill tone="good">{t('history.chainIntact', { time: format.moment(checked?.finishedTs ?? 0) })}</Pill>
      ) : (
        <Pill tone="bad">{t('history.chainBroken', { time: format.moment(checked?.finishedTs ?? 0) })}</Pill>
      )}
      <span>{t('history.chainHelp')}</span>
      {can('site.manage') && <Link to="/site">{t('history.check')}</Link>}
    </p>
  );
}

export function History({
  scope,
  filter,
  timeZone,
  caption,
  children,
}: {
  scope: { studyId: string } | { accountId: string };
  filter: HistoryFilter;
  /** Of the times that it shows; undefined: of this computer. */
  timeZone?: string;
  caption: string;
  /** Instead of the words for a record that nobody has changed. */
  children?: ReactNode;
}) {
  const { t, format } = useWords();
  const diagnosticText = useDiagnosticText();
  const isWide = 'accountId' in scope;
  const mayExport = usePermissions()('study.export', 'studyId' in scope ? scope.studyId : undefined);
  const history = useInfiniteQuery(historyQuery(scope, filter));
  const entries = useMemo(() => history.data?.pages.flatMap(({ items }) => items) ?? [], [history.data]);
  const columns = useMemo(
    (): Column<AuditEntry>[] => [
      {
        id: 'sequence',
        header: t('history.when'),
        value: (entry) => entry.sequence,
        cell: (entry) => (
          <span className={styles.when}>
            <time dateTime={new Date(entry.timeTs).toISOString()} title={format.dateTime(entry.timeTs, timeZone)}>
              {format.moment(entry.timeTs, timeZone)}
            </time>
            <small title={t('history.hash', { hash: entry.hash })}>
              {t('history.entry', { sequence: entry.sequence, hash: entry.hash.slice(0, 8) })}
            </small>
          </span>
        ),
      },
      {
        id: 'actor',
        header: t('history.who'),
        value: (entry) => entry.actor.displayName ?? entry.actor.type,
        cell: (entry) => <Actor actor={entry.actor} />,
      },
      {
        id: 'action',
        header: t('history.what'),
        value: (entry) => actionText(entry.action, t),
        cell: (entry) => (
          <span
            className={styles.action}
            title={`${recordText(entry.entityType, t)} ${entry.entityId}\n${entry.action}`}
          >
            {actionText(entry.action, t)}
          </span>
        ),
      },
      {
        id: 'about',
        header: t('history.aboutWhat'),
        value: (entry) => aboutText(entry, t, format, timeZone),
        cell: (entry) => <About entry={entry} timeZone={timeZone} isWide={isWide} />,
      },
      {
        id: 'changes',
        header: t('history.changes'),
        cell: (entry) => <Changes entry={entry} timeZone={timeZone} />,
      },
      {
        id: 'reason',
        header: t('history.reason'),
        value: (entry) => entry.reason,
        cell: (entry) =>
          entry.reason === undefined ? (
            <Faint>{t('history.noReason')}</Faint>
          ) : (
            <span className={styles.reason}>{entry.diagnostic ? diagnosticText(entry.diagnostic) : entry.reason}</span>
          ),
      },
    ],
    [t, format, timeZone, diagnosticText, isWide],
  );
  return (
    <div className={styles.history}>
      <div className={styles.head}>
        <ChainState />
        {mayExport && entries.length > 0 && (
          <CsvButton
            label={t('history.csv')}
            fileName={fileName(caption, 'history.csv')}
            text={() => historyCsv(entries)}
          />
        )}
      </div>
      <QueryView query={history}>
        {() =>
          entries.length === 0 ? (
            (children ?? <Empty icon="rows" title={t('history.emptyTitle')} help={t('history.emptyHelp')} />)
          ) : (
            <>
              <DataTable
                caption={caption}
                rows={entries}
                columns={columns}
                rowId={(entry) => String(entry.sequence)}
                initialSort={{ id: 'sequence', desc: true }}
              />
              <p className={styles.foot}>
                {t('history.shown', { count: entries.length })}
                {history.hasNextPage && (
                  <Button isDisabled={history.isFetchingNextPage} onPress={() => void history.fetchNextPage()}>
                    {t('history.older')}
                  </Button>
                )}
              </p>
            </>
          )
        }
      </QueryView>
    </div>
  );
}

export function SubjectHistory() {
  const { t } = useWords();
  const { studyId, subjectId } = useParams({ from: '/desk/studies/$studyId/subjects/$subjectId/history' });
  const subject = useQuery(subjectQuery(studyId, subjectId));
  const filter = useMemo(() => ({ subjectId }), [subjectId]);
  return (
    <History scope={{ studyId }} filter={filter} timeZone={subject.data?.timezone} caption={t('history.ofSubject')} />
  );
}

export function StudyHistory() {
  const { t } = useWords();
  const { studyId } = useParams({ from: '/desk/studies/$studyId/history' });
  const [record, setRecord] = useState<(typeof RECORDS)[number] | 'all'>('all');
  const filter = useMemo(() => (record === 'all' ? {} : { entityType: record }), [record]);
  return (
    <>
      <div className={styles.tools}>
        <p>{t('history.studyHelp')}</p>
        <Select
          isCompact
          label={t('history.record')}
          value={record}
          options={[
            { id: 'all' as const, label: t('history.allRecords') },
            ...RECORDS.map((id) => ({ id, label: recordText(id, t) })),
          ]}
          onChange={setRecord}
        />
      </div>
      <History scope={{ studyId }} filter={filter} caption={t('history.ofStudy')} />
    </>
  );
}
