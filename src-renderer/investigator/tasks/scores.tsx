/** Scores of the questionnaires that a subject completed; nothing where there are none. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { fileName } from '../../shared/api/download.ts';
import type { DeskSubject } from '../../shared/api/queries.ts';
import { questionnairesQuery } from '../../shared/api/questionnaire-queries.ts';
import { taskReportsQuery } from '../../shared/api/study-queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { CsvButton } from '../../shared/kit/controls.tsx';
import { type Column, DataTable } from '../../shared/kit/data-table.tsx';
import { localDate } from '../../shared/time/local-day.ts';
import { type ScoreRow, scoresCsv } from './scores-csv.ts';
import styles from './tasks.module.css';

export function Scores({ subject, mayExport }: { subject: DeskSubject; mayExport: boolean }) {
  const { t, format } = useWords();
  const reports = useQuery(taskReportsQuery(subject.studyId, subject.id));
  const rows = useMemo(
    () =>
      (reports.data?.items ?? []).flatMap((report) =>
        (report.scores ?? []).map(
          (score): ScoreRow => ({ ...score, report, date: localDate(report.startTs, subject.timezone) }),
        ),
      ),
    [reports.data, subject.timezone],
  );
  // The licence goes with the scores into a file.
  const library = useQuery({ ...questionnairesQuery(), enabled: rows.length > 0 });
  const columns = useMemo<Column<ScoreRow>[]>(
    () => [
      { id: 'date', header: t('tasks.date'), value: (row) => row.date, cell: (row) => format.date(row.date) },
      {
        id: 'survey',
        header: t('tasks.scoreSurvey'),
        value: (row) => row.report.displayName,
        cell: (row) => row.report.displayName,
      },
      { id: 'name', header: t('tasks.scoreName'), value: (row) => row.name, cell: (row) => row.name },
      {
        id: 'score',
        header: t('tasks.scoreValue'),
        isNumber: true,
        value: (row) => row.value,
        cell: (row) => (row.value === undefined ? t('tasks.scoreNone') : format.number(row.value)),
      },
      {
        id: 'range',
        header: t('tasks.scoreRange'),
        isNumber: true,
        value: (row) => row.max,
        cell: (row) => t('table.range', { low: format.number(row.min), high: format.number(row.max) }),
      },
      {
        id: 'answered',
        header: t('tasks.scoreAnswered'),
        isNumber: true,
        value: (row) => row.answered,
        cell: (row) => t('tasks.doneOf', { completed: row.answered, assigned: row.items }),
      },
    ],
    [t, format],
  );
  if (rows.length === 0) return null;
  const licences = new Map(library.data?.map(({ id, licence }) => [id, licence]));
  return (
    <div className={styles.left}>
      <div className={styles.tools}>
        <h2>{t('tasks.scores')}</h2>
        <p>{t('tasks.scoresHelp')}</p>
        <span className={styles.spacer} />
        {mayExport && library.data && (
          <CsvButton
            label={t('tasks.scoresCsv')}
            fileName={fileName(subject.displayName, 'scores.csv')}
            text={() => scoresCsv(subject, rows, (id) => licences.get(id))}
          />
        )}
      </div>
      <DataTable
        caption={t('tasks.scores')}
        rows={rows}
        columns={columns}
        rowId={(row) => `${row.report.id} ${row.questionnaireId}`}
        initialSort={{ id: 'date', desc: true }}
      />
    </div>
  );
}
