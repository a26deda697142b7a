/**
 * The audit entry of an update, written by the first start that opens a site with it: versions, who prepared it, its self-test and the backup
 * before it. The way back has one too. That another version serves a site is an entry of the site's own, by whatever means it came.
 */
import { userInfo } from 'node:os';
import { type Change, SYSTEM } from '../../src-server/db/index.ts';
import type { SiteFolder } from '../../src-server/site/folder.ts';
import type { FieldChanges } from '../../src-server/study/changes.ts';
import type { UpdateAttempt } from './attempt.ts';

/** Newest entries about the site that are searched for the same one; between them lie one start and its crash. */
const SEARCHED = 50;

/** The name that the computer knows the person by; a program may run as a user without one. */
export function computerUser(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}

interface UpdateEntry {
  action: 'site.update' | 'site.update-return';
  change: Change;
  changes: FieldChanges;
}

const selfTestText = ({ selfTest }: UpdateAttempt): string | undefined =>
  selfTest === undefined || selfTest === 'passed' ? selfTest : selfTest.failed;

function entryOf(attempt: Readonly<UpdateAttempt>): UpdateEntry | undefined {
  const { from, to, stage, atMs, backup, by, returnedBy, problem } = attempt;
  const isReturn = stage === 'returned';
  if (stage !== 'trial' && !isReturn) return undefined;
  const facts = {
    selfTest: selfTestText(attempt),
    backup: backup && 'id' in backup ? backup.id : undefined,
    computerUser: isReturn ? returnedBy : by,
    problem: isReturn ? problem : undefined,
    preparedTs: atMs,
  };
  const known = Object.entries(facts).filter(([, value]) => value !== undefined);
  const declined = backup && 'declined' in backup && !isReturn ? { reason: backup.declined } : {};
  return {
    action: isReturn ? 'site.update-return' : 'site.update',
    change: { ...SYSTEM, ...declined },
    changes: {
      programVersion: isReturn ? { old: to, new: from } : { old: from, new: to },
      ...Object.fromEntries(known.map(([name, value]) => [name, { new: value }])),
    },
  };
}

/** Writes the entry of an update that the running version completes, or of a way back, once. To be called before the record moves on. */
export async function auditUpdate(
  { store, site }: Pick<SiteFolder, 'store' | 'site'>,
  attempt: Readonly<UpdateAttempt> | undefined,
): Promise<void> {
  const entry = attempt && entryOf(attempt);
  if (!entry) return;
  const about = { entityType: 'site', entityId: site.id } as const;
  const isWritten = (await store.audit.list({ ...about, limit: SEARCHED })).some(
    ({ action, changes }) => action === entry.action && changes.preparedTs?.new === attempt.atMs,
  );
  const { action, change, changes } = entry;
  if (!isWritten) await store.audit.note(change, { ...about, action, changes });
}
