/** The audit trail of the site, a study, a subject or one record on paper: who changed what, when and why, with each entry's hash. */
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { useSession } from '../../../shared/api/session.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Button, buttonClass } from '../../../shared/kit/controls.tsx';
import { localDate } from '../../../shared/time/local-day.ts';
import { aboutText, recordText } from '../../history/history-words.ts';
import type { Content } from '../contents.tsx';
import styles from '../paper.module.css';
import { type Loaded, moment, ReportScreen, ReportSheets } from '../report.tsx';
import { MOST_SIGNATURES } from '../signatures/load-signatures.ts';
import { signaturesTable } from '../signatures/signatures-table.ts';
import { useAuditTable } from './audit-table.tsx';
import { type AuditPart, type AuditReport, type AuditScope, loadAudit, MOST_ENTRIES } from './load-audit.ts';

const OF_STUDY = '/print/studies/$studyId/history' as const;
const OF_SITE = '/print/history' as const;

function AuditSheets({ loaded }: { loaded: Loaded<AuditReport> }) {
  const { t, format } = useWords();
  const navigate = useNavigate();
  const { study, subject, filter, entries, signatures, before, older } = loaded.data;
  const timeZone = subject?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const table = useAuditTable(entries, timeZone, study === undefined);
  const contents = useMemo((): Content[] => {
    if (entries.length === 0) return [{ id: 'none', block: <p>{t('history.emptyTitle')}</p> }];
    const value = format.number(MOST_ENTRIES);
    return [
      ...(before === undefined ? [] : [{ id: 'part', block: <p>{t('paper.audit.older', { before })}</p> }]),
      ...(older === undefined ? [] : [{ id: 'cut', block: <p>{t('paper.audit.cut', { value })}</p> }]),
      ...(signatures.isCut
        ? [{ id: 'signed', block: <p>{t('paper.signatures.cut', { value: format.number(MOST_SIGNATURES) })}</p> }]
        : []),
      ...signaturesTable(signatures.items, timeZone, t, format),
      { id: 'entries', table },
    ];
  }, [entries, signatures, before, older, table, timeZone, t, format]);
  const [newest, oldest] = [entries[0], entries.at(-1)];
  const about =
    filter.entityId !== undefined && newest
      ? (aboutText(newest, t, format, timeZone) ?? recordText(newest.entityType, t))
      : undefined;
  const record = filter.entityType === undefined ? undefined : recordText(filter.entityType, t);
  return (
    <>
      {older !== undefined && (
        <div className={styles.tools}>
          <Button
            onPress={() => void navigate({ to: '.', search: (search: object) => ({ ...search, before: older }) })}
          >
            {t('paper.audit.toOlder')}
          </Button>
        </div>
      )}
      <ReportSheets
        title={t('paper.audit.title')}
        fileName={t('paper.fileOf', {
          title: t('paper.audit.title'),
          subject: subject?.displayName ?? study?.displayName ?? loaded.site.displayName,
          date: localDate(loaded.readMs, timeZone),
        })}
        facts={[
          ...(study ? [{ name: t('paper.study'), value: study.displayName }] : []),
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
    </>
  );
}

function AuditScreen({ scope, part, back }: { scope: AuditScope; part: AuditPart; back: ReactNode }) {
  const { t } = useWords();
  return (
    <ReportScreen
      title={t('paper.audit.title')}
      queryKey={['audit', JSON.stringify(scope), JSON.stringify(part)]}
      load={(queries) => loadAudit(queries, scope, part)}
      back={back}
    >
      {(loaded) => <AuditSheets loaded={loaded} />}
    </ReportScreen>
  );
}

const className = buttonClass('quiet');

interface AuditSearch {
  subject?: string;
  user?: string;
  type?: string;
  record?: string;
  start?: number;
  stop?: number;
  before?: number;
}

const partOf = ({ subject, user, type, record, start, stop, before }: AuditSearch): AuditPart => ({
  filter: { subjectId: subject, userId: user, entityType: type, entityId: record, from: start, to: stop },
  ...(before !== undefined && { before }),
});

export function AuditOnPaper() {
  const { t } = useWords();
  const { studyId } = useParams({ from: OF_STUDY });
  const search = useSearch({ from: OF_STUDY });
  const back =
    search.subject === undefined ? (
      <Link to="/studies/$studyId/history" params={{ studyId }} className={className}>
        {t('paper.audit.back')}
      </Link>
    ) : (
      <Link
        to="/studies/$studyId/subjects/$subjectId/history"
        params={{ studyId, subjectId: search.subject }}
        className={className}
      >
        {t('paper.audit.back')}
      </Link>
    );
  return <AuditScreen scope={{ studyId }} part={partOf(search)} back={back} />;
}

/** Of the whole account, for administrators. */
export function SiteAuditOnPaper() {
  const { t } = useWords();
  const { user } = useSession();
  const back = (
    <Link to="/site/audit" className={className}>
      {t('paper.audit.back')}
    </Link>
  );
  return <AuditScreen scope={{ accountId: user.accountId }} part={partOf(useSearch({ from: OF_SITE }))} back={back} />;
}
