/** The days of subjects as CSV, with tasks and wear as separate measures. */
import { csvText } from '../../shared/csv.ts';
import type { DayFacts } from './day-state.ts';

export function adherenceCsv(rows: readonly { subject: { id: string; displayName: string }; day: DayFacts }[]): string {
  const header = ['SUBJECT', 'SUBJECT_ID', 'DATE', 'STATE', 'TASKS_DUE', 'TASKS_COMPLETED', 'WORN (seconds)'];
  const lines = rows.map(({ subject, day }) => [
    subject.displayName,
    subject.id,
    day.date,
    day.state.toUpperCase(),
    day.assigned,
    day.completed,
    day.wearSeconds,
  ]);
  return csvText(header, lines);
}
