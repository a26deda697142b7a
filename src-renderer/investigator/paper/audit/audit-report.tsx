/** The audit trail of a study, a subject or one record on paper: who changed what, when and why, with the hash of each entry. */
import type { QueryClient } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { AuditEntry } from '../../../../src-server/api/contract/index.ts';
import { client } from '../../../shared/api/client.ts';
import { nextCursor } from '../../../shared/api/list-queries.ts';
import type { HistoryFilter } from '../../../shared/api/message-queries.ts';
import { studyQuery, subjectQuery } from '../../../shared/api/queries.ts';
import { useDiagnosticText } from '../../../shared/i18n/diagnostic-text.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { buttonClass } from '../../../shared/kit/controls.tsx';
import { localDate, preciseClock } from '../../../shared/time/local-day.ts';
import { aboutText, actionText, fieldText, isShown, recordText, valueText } from '../../history/history-words.ts';
import type { Content, PaperTable } from '../contents.tsx';
import styles from '../paper.module.css';
import { type Loaded, moment, ReportScreen, ReportSheets } from '../report.tsx';

const FROM = '/print/studies/$studyId/history' as const;
/** About sixty pages: an export for an audit holds every entry. */
const MOST_ENTRIES = 1000;
const LARGEST_PAGE = 500;
/** A row is never cut: an entry with more changes takes several rows, each lower than a page. */
const MOST_CHANGES = 8;

type Change = AuditEntry['changes'][number];

/** The newest entries of a selection, up to a bound whatever the site holds. */
async function loadAudit(queries: QueryClient, studyId: string, filter: HistoryFilter) {
  const [study, subject] = await Promise.all([
    queries.fetchQuery(studyQuery(studyId)),
    filter.subjectId === undefined ? undefined : queries.fetchQuery(subjectQuery(studyId, filter.subjectId)),
  ]);
  const entries: AuditEntry[] = [];
  let before: string | undefined;
  do {
    const limit = String(Math.min(LARGEST_PAGE, MOST_ENTRIES - entries.length));
    const page = await client.call('listStudyAudit', {
      params: { studyId },
      query: { ...filter, limit, ...(before !== undefined && { before }) },
    });
    entries.push(...page.items);
    before = nextCursor(page);
  } while (before !== undefined && entries.length < MOST_ENTRIES);
  return { study, subject, filter, entries, isCut: before !== undefined };
}
type AuditReport = Awaited<ReturnType<typeof loadAudit>>;

function useAuditTable(entries: readonly AuditEntry[], timeZone: string): PaperTable {
  const { t, format } = useWords();
  const diagnosticText = useDiagnosticText();
  return useMemo(() => {
    const changeText = ({ field, old, new: next, oldName, newName }: Change, isNew: boolean) =>
      t('table.pair', {
        name: fieldText(field, t),
        value: [
          ...(isNew ? [] : [oldName ?? valueText(field, old, t, format, timeZone)]),
          newName ?? valueText(field, next, t, format, timeZone),
        ].join(' → '),
      });
    const rowsOf = (entry: AuditEntry) => {
      const shown = entry.changes.filter(({ field }) => isShown(field));
      const isNew = shown.every(({ old }) => old === undefined || old === null);
      const parts = Array.from({ length: Math.max(1, Math.ceil(shown.length / MOST_CHANGES)) }, (_, part) =>
        shown.slice(part * MOST_CHANGES, (part + 1) * MOST_CHANGES),
      );
      return parts.map((changes, part) => ({
        id: `${entry.sequence} ${part}`,
        cells: [
          when(entry, part),
          who(entry),
          actionText(entry.action, t),
          what(entry),
          changes.length === 0 ? (
            <span key="none" className={styles.muted}>
              {entry.erasedBy === undefined ? t('history.noFields') : t('history.erased', { sequence: entry.erasedBy })}
            </span>
          ) : (
            changes.map((change) => <div key={change.field}>{changeText(change, isNew)}</div>)
          ),
          entry.reason === undefined
            ? t('history.noReason')
            : entry.diagnostic
              ? diagnosticText(entry.diagnostic)
              : entry.reason,
        ],
      }));
    };
    const when = (entry: AuditEntry, part: number) => {
      const name = t('history.entry', { sequence: entry.sequence, hash: entry.hash.slice(0, 8) });
      return (
        <span key="when">
          {`${localDate(entry.timeTs, timeZone)} ${preciseClock(entry.timeTs, timeZone).clock.slice(0, 8)}`}
          <small>{part > 0 ? t('paper.continued', { name }) : name}</small>
        </span>
      );
    };
    const who = ({ actor }: AuditEntry) => (
      <span key="who">
        {actor.displayName ?? t(`history.actors.${actor.type}`)}
        {actor.displayName !== undefined && actor.type !== 'USER' && <small>{t(`history.actors.${actor.type}`)}</small>}
      </span>
    );
    const what = (entry: AuditEntry) => (
      <span key="what">
        {aboutText(entry, t, format, timeZone) ?? recordText(entry.entityType, t)}
        <small>
          {[recordText(entry.entityType, t), entry.subjectName, entry.entity?.isGone && t('history.deleted')]
            .filter(Boolean)
            .join(' · ')}
        </small>
      </span>
    );
    return {
      caption: t('paper.audit.entries'),
      columns: [
        { id: 'when', label: t('history.when'), share: 6 },
        { id: 'who', label: t('history.who'), share: 5 },
        { id: 'what', label: t('history.what'), share: 6 },
        { id: 'about', label: t('history.aboutWhat'), share: 7 },
        { id: 'changes', label: t('history.changes'), share: 13 },
        { id: 'reason', label: t('history.reason'), share: 6 },
      ],
      rows: entries.flatMap(rowsOf),
    };
  }, [entries, timeZone, t, format, diagnosticText]);
}

function AuditSheets({ loaded }: { loaded: Loaded<AuditReport> }) {
  const { t, format } = useWords();
  const { study, subject, filter, entries, isCut } = loaded.data;
  const timeZone = subject?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const table = useAuditTable(entries, timeZone);
  const contents = useMemo((): Content[] => {
    if (entries.length === 0) return [{ id: 'none', block: <p>{t('history.emptyTitle')}</p> }];
    return [
      ...(isCut ? [{ id: 'cut', block: <p>{t('paper.audit.cut', { value: format.number(MOST_ENTRIES) })}</p> }] : []),
      { id: 'entries', table },
    ];
  }, [entries, isCut, table, t, format]);
  const [newest, oldest] = [entries[0], entries.at(-1)];
  const about =
    filter.entityId !== undefined && newest
      ? (aboutText(newest, t, format, timeZone) ?? recordText(newest.entityType, t))
      : undefined;
  const record = filter.entityType === undefined ? undefined : recordText(filter.entityType, t);
  return (
    <ReportSheets
      title={t('paper.audit.title')}
      fileName={t('paper.fileOf', {
        title: t('paper.audit.title'),
        subject: subject?.displayName ?? study.displayName,
        date: localDate(loaded.readMs, timeZone),
      })}
      facts={[
        { name: t('paper.study'), value: study.displayName },
        ...(subject ? [{ name: t('paper.subject'), value: subject.displayName }] : []),
        ...(record ? [{ name: t('history.aboutWhat'), value: about ? `${record}, ${about}` : record }] : []),
        {
          name: t('paper.audit.span'),
          value:
            newest && oldest
              ? `${moment(oldest.timeTs, timeZone)} – ${moment(newest.timeTs, timeZone)}, ${timeZone}`
              : timeZone,
        },
        { name: t('paper.audit.count'), value: t('history.entries', { count: entries.length }) },
        ...(newest ? [{ name: t('paper.audit.hash'), value: newest.hash, isWide: true }] : []),
      ]}
      {...{ contents, loaded, timeZone }}
    />
  );
}

export function AuditOnPaper() {
  const { t } = useWords();
  const { studyId } = useParams({ from: FROM });
  const { subject, type, record, start, stop } = useSearch({ from: FROM });
  const filter: HistoryFilter = { subjectId: subject, entityType: type, entityId: record, from: start, to: stop };
  const className = buttonClass('quiet');
  return (
    <ReportScreen
      title={t('paper.audit.title')}
      queryKey={['audit', studyId, JSON.stringify(filter)]}
      load={(queries) => loadAudit(queries, studyId, filter)}
      back={
        subject === undefined ? (
          <Link to="/studies/$studyId/history" params={{ studyId }} className={className}>
            {t('paper.audit.back')}
          </Link>
        ) : (
          <Link
            to="/studies/$studyId/subjects/$subjectId/history"
            params={{ studyId, subjectId: subject }}
            className={className}
          >
            {t('paper.audit.back')}
          </Link>
        )
      }
    >
      {(loaded) => <AuditSheets loaded={loaded} />}
    </ReportScreen>
  );
}
