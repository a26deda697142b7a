import type { Migration } from './types.ts';

/**
 * Whether the data of a run's subject changed since it was analysed is kept with the subject, so that a list of runs reads neither
 * recordings nor corrections. Triggers, so that no writer can forget it: they cost a look at an index for a subject of no run.
 * Also the mark of a run whose deletion has begun.
 */
export const analysisRunChanges: Migration = {
  version: 530,
  name: 'analysis-run-changes',
  sql: `
ALTER TABLE analysisRun ADD COLUMN deletedTs INTEGER;
ALTER TABLE analysisRunSubject ADD COLUMN isChanged INTEGER NOT NULL DEFAULT 0 CHECK (isChanged IN (0, 1));
-- What changed before is not known: bringing a run up to date compares, and computes only what differs.
UPDATE analysisRunSubject SET isChanged = 1;
${onChange('recording', 'INSERT', "new.status = 'COMPLETE'")}
${onChange(
  'recording',
  'UPDATE OF subjectId, startUs, stopUs, sha256, status, fileState, setupId',
  `(old.subjectId, old.startUs, old.stopUs, old.sha256, old.status, old.fileState, old.setupId)
    IS NOT (new.subjectId, new.startUs, new.stopUs, new.sha256, new.status, new.fileState, new.setupId)`,
)}
${onChange('recording', 'DELETE')}
${onChange('correction', 'INSERT')}
${onChange('correction', 'UPDATE')}
${onChange('correction', 'DELETE')}
${onChange('subjectZone', 'INSERT')}
${onChange('subjectZone', 'UPDATE')}
${onChange('subjectZone', 'DELETE')}
${onChange('annotation', 'INSERT', isCalibration('new'))}
${onChange('annotation', 'UPDATE', `${isCalibration('old')} OR ${isCalibration('new')}`)}
${onChange('annotation', 'DELETE', isCalibration('old'))}
`,
};

function onChange(table: string, event: string, when = '1'): string {
  const [word] = event.split(' ') as [string];
  const rows = { INSERT: 'new.subjectId', DELETE: 'old.subjectId', UPDATE: 'old.subjectId, new.subjectId' };
  return `CREATE TRIGGER "analysisRunSubject ${table} ${word}" AFTER ${event} ON ${table} WHEN ${when} BEGIN
  UPDATE analysisRunSubject SET isChanged = 1
  WHERE subjectId IN (${rows[word as keyof typeof rows]}) AND isChanged = 0;
END;`;
}

/** Labels of postures; a test compares the beginning with the names that analyses use. */
function isCalibration(row: 'new' | 'old'): string {
  return `lower(trim(${row}.displayName)) LIKE 'calibration:%'`;
}
