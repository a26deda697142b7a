/** The columns of a subject list. */
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Pill } from '../../shared/kit/controls.tsx';
import { type Column, Faint } from '../../shared/kit/data-table.tsx';
import { DayStrip } from '../adherence/marks.tsx';
import { useStripLabel } from '../adherence/strip-label.ts';
import { STATUS_TONES } from '../participation/status-tones.ts';
import type { SubjectRow } from './subject-rows.ts';

function State({ row: { subject } }: { row: SubjectRow }) {
  const { t } = useWords();
  if (subject.isHidden) return <Pill>{t('subjects.hidden')}</Pill>;
  if (subject.isTest) return <Pill tone="warn">{t('subjects.test')}</Pill>;
  const status = subject.summary?.status ?? 'ENROLLED';
  if (status !== 'ENROLLED') return <Pill tone={STATUS_TONES[status]}>{t(`subjectList.status.${status}`)}</Pill>;
  if (subject.summary?.isConsentDue) return <Pill tone="warn">{t('subjectList.consentDue')}</Pill>;
  if (subject.summary?.countRecordings === 0) return <Pill>{t('subjects.enrolled')}</Pill>;
  return <Pill tone="good">{t('subjects.active')}</Pill>;
}

/** Sorts active subjects first, then those without data, test subjects and hidden ones. */
function stateRank({ subject }: SubjectRow): number {
  if (subject.isHidden) return 3;
  if (subject.isTest) return 2;
  return subject.summary?.countRecordings === 0 ? 1 : 0;
}

function LastRecording({ row: { subject } }: { row: SubjectRow }) {
  const { t, format } = useWords();
  if (!subject.summary) return '';
  const { lastDataTs: lastStopMs } = subject.summary;
  if (lastStopMs === undefined) return <Faint>{t('studies.noRecording')}</Faint>;
  return (
    <time dateTime={new Date(lastStopMs).toISOString()} title={format.dateTime(lastStopMs, subject.timezone)}>
      {format.ago(lastStopMs, Date.now())}
    </time>
  );
}

function LastContact({ row: { subject } }: { row: SubjectRow }) {
  const { t, format } = useWords();
  const lastContactMs = subject.summary?.lastContactTs;
  if (lastContactMs === undefined) return <Faint>{t('subjectList.noContact')}</Faint>;
  return <span title={format.dateTime(lastContactMs, subject.timezone)}>{format.ago(lastContactMs, Date.now())}</span>;
}

/**
 * @param hasStudies whether the list spans several studies, so that each row names its own
 * @param hasGroups whether the study has groups or strata
 */
export function useSubjectColumns(hasStudies: boolean, hasGroups: boolean): Column<SubjectRow>[] {
  const { t, format } = useWords();
  const stripLabel = useStripLabel();
  return useMemo(() => {
    const count = (id: 'days' | 'recordings', member: 'countDays' | 'countRecordings'): Column<SubjectRow> => ({
      id,
      isSecondary: true,
      header: t(`subjects.${id}`),
      isNumber: true,
      value: ({ subject }) => subject.summary?.[member],
      cell: ({ subject: { summary } }) => (summary ? format.number(summary[member]) : ''),
    });
    const study: Column<SubjectRow> = {
      id: 'study',
      header: t('subjects.study'),
      value: (row) => row.studyName,
      cell: (row) => row.studyName,
    };
    const groupOf = ({ subject: { summary } }: SubjectRow) =>
      [summary?.group?.displayName, summary?.stratum?.displayName].filter(Boolean).join(' · ');
    const group: Column<SubjectRow> = { id: 'group', header: t('subjectList.group'), value: groupOf, cell: groupOf };
    return [
      {
        id: 'name',
        header: t('subjects.name'),
        value: (row) => row.subject.displayName,
        cell: ({ subject }) => (
          <Link
            to="/studies/$studyId/subjects/$subjectId/days"
            params={{ studyId: subject.studyId, subjectId: subject.id }}
          >
            {subject.displayName}
          </Link>
        ),
      },
      ...(hasStudies ? [study] : []),
      ...(hasGroups ? [group] : []),
      { id: 'state', header: t('subjects.state'), value: stateRank, cell: (row) => <State row={row} /> },
      {
        id: 'last',
        header: t('subjects.lastRecording'),
        isNumber: true,
        value: ({ subject }) => subject.summary?.lastDataTs,
        cell: (row) => <LastRecording row={row} />,
      },
      {
        id: 'hours',
        header: t('subjects.hours'),
        isNumber: true,
        value: ({ subject }) => subject.summary?.coveredMs,
        cell: ({ subject: { summary } }) =>
          summary ? <span title={t('subjects.hoursHelp')}>{format.duration(summary.coveredMs / 1000)}</span> : '',
      },
      {
        id: 'lastDays',
        header: t('subjectList.lastDays'),
        help: t('subjectList.lastDaysHelp'),
        cell: (row) => {
          const days = row.lastDays();
          return days && <DayStrip days={days} label={stripLabel(days)} />;
        },
      },
      {
        id: 'contact',
        header: t('subjectList.contact'),
        help: t('subjectList.contactHelp'),
        isNumber: true,
        isSecondary: true,
        value: ({ subject }) => subject.summary?.lastContactTs,
        cell: (row) => <LastContact row={row} />,
      },
      count('days', 'countDays'),
      count('recordings', 'countRecordings'),
      {
        id: 'zone',
        header: t('subjects.zone'),
        value: (row) => row.subject.timezone,
        cell: (row) => row.subject.timezone,
      },
    ];
  }, [t, format, stripLabel, hasStudies, hasGroups]);
}
