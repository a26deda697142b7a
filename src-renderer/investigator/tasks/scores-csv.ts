/** Scores of a subject's questionnaires as CSV. */
import type { TaskReport } from '../../../src-server/api/contract/index.ts';
import { csvText } from '../../shared/csv.ts';

export type ReportScore = NonNullable<TaskReport['scores']>[number];

/** A score with the report that it belongs to, and the local date of its start. */
export interface ScoreRow extends ReportScore {
  report: TaskReport;
  date: string;
}

export function scoresCsv(
  subject: { id: string; displayName: string },
  rows: readonly ScoreRow[],
  licenceOf: (questionnaireId: string) => string | undefined,
): string {
  const header = [
    'SUBJECT',
    'SUBJECT_ID',
    'DATE',
    'SURVEY',
    'QUESTIONNAIRE',
    'SCORE',
    'MIN',
    'MAX',
    'ANSWERED',
    'ITEMS',
    'LICENCE',
  ];
  const lines = rows.map(({ report, date, questionnaireId, value, min, max, answered, items }) => [
    subject.displayName,
    subject.id,
    date,
    report.displayName,
    questionnaireId,
    value,
    min,
    max,
    answered,
    items,
    licenceOf(questionnaireId),
  ]);
  return csvText(header, lines);
}
