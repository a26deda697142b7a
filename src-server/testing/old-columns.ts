/** Sites as older versions left them: second columns in the rows of the database. */
import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { columnPath } from '../files/column-files.ts';

/** Puts the columns of a closed site back into its database, and removes the files. Returns how many rows have them. */
export function putColumnsInRows(databasePath: string): number {
  const siteDir = dirname(databasePath);
  const database = new BetterSqlite3(databasePath, { fileMustExist: true });
  const rows = database
    .prepare<[], { subjectId: string; date: string; sha256: string }>(
      'SELECT subjectId, date, columnsSha256 AS sha256 FROM analyticsWindow WHERE columnsSha256 IS NOT NULL',
    )
    .all();
  const put = database.prepare(
    'UPDATE analyticsWindow SET columns = ?, columnsSha256 = NULL, columnsBytes = NULL WHERE subjectId = ? AND date = ?',
  );
  database.transaction(() => {
    for (const { subjectId, date, sha256 } of rows) {
      put.run(readFileSync(join(siteDir, columnPath(sha256))), subjectId, date);
    }
  })();
  database.close();
  rmSync(join(siteDir, 'columns'), { recursive: true, force: true });
  return rows.length;
}
