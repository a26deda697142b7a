/** Makes the summaries of rows that a test wrote directly, past the services that keep them. */
import type BetterSqlite3 from 'better-sqlite3';
import { registerFunctions } from '../db/functions.ts';
import { FILL_RECORDING_SUMMARIES } from '../db/migrations/0190-summaries.ts';
import { FILL_CONVERSATIONS } from '../db/migrations/0230-conversations.ts';
import { FILL_TASK_MONTHS } from '../db/migrations/0270-task-months.ts';

/** Replaces all summaries by those of the rows that are there. */
export function fillSummaries(database: BetterSqlite3.Database): void {
  registerFunctions(database);
  database.exec(`BEGIN;
DELETE FROM taskMonth;
DELETE FROM recordingDay;
DELETE FROM subjectSummary;
DELETE FROM conversation;
${FILL_RECORDING_SUMMARIES}
${FILL_TASK_MONTHS}
${FILL_CONVERSATIONS}
COMMIT;`);
}
