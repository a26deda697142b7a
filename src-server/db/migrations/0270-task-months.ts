import { zoneAt } from './0190-summaries.ts';
import type { Migration } from './types.ts';

/** Fills the months of tasks from the annotations; the table is empty before. */
export const FILL_TASK_MONTHS = `
INSERT INTO taskMonth (subjectId, month, taskId, days)
SELECT subjectId, substr(date, 1, 7), taskId, sum(DISTINCT 1 << (CAST(substr(date, 9, 2) AS INTEGER) - 1))
FROM (
  SELECT annotation.subjectId, annotation.eventId AS taskId,
    localDate(annotation.startTs, ${zoneAt('annotation.subjectId', 'annotation.startTs')}) AS date
  FROM annotation
  WHERE annotation.type IN ('activity', 'diary') AND annotation.eventId IS NOT NULL
)
GROUP BY 1, 2, 3;
`;

/**
 * One row for each month in which a subject did a task, with a bit per date, instead of one for each date: the adherence of a
 * study is counted from all of them. Jobs of one kind and state are read in the order of their page, and counted as they change.
 */
export const taskMonths: Migration = {
  version: 270,
  name: 'task-months',
  sql: `
CREATE TABLE taskMonth (
  subjectId TEXT NOT NULL REFERENCES subject (id),
  month TEXT NOT NULL,
  taskId TEXT NOT NULL,
  days INTEGER NOT NULL CHECK (days BETWEEN 1 AND 2147483647),
  PRIMARY KEY (subjectId, month, taskId)
) STRICT, WITHOUT ROWID;
${FILL_TASK_MONTHS}DROP TABLE taskDay;

DROP INDEX jobByState;
CREATE INDEX jobByState ON job (state, kind, createdTs, id);

CREATE TABLE jobCount (
  kind TEXT NOT NULL,
  state TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (kind, state)
) STRICT, WITHOUT ROWID;
INSERT INTO jobCount (kind, state, count) SELECT kind, state, count(*) FROM job GROUP BY 1, 2;
CREATE TRIGGER jobCountInsert AFTER INSERT ON job BEGIN
  INSERT INTO jobCount (kind, state, count) VALUES (new.kind, new.state, 1)
  ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER jobCountUpdate AFTER UPDATE OF kind, state ON job WHEN new.kind <> old.kind OR new.state <> old.state BEGIN
  UPDATE jobCount SET count = count - 1 WHERE kind = old.kind AND state = old.state;
  INSERT INTO jobCount (kind, state, count) VALUES (new.kind, new.state, 1)
  ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER jobCountDelete AFTER DELETE ON job BEGIN
  UPDATE jobCount SET count = count - 1 WHERE kind = old.kind AND state = old.state;
END;
`,
};
