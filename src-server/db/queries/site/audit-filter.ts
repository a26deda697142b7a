/** Which rows of the audit trail a list or an export holds. */
import { type SelectQueryBuilder, sql } from 'kysely';
import type { Tables } from '../../schema.ts';
import type { AuditRow, Session } from '../../session.ts';

export interface AuditFilter {
  entityType?: string;
  entityId?: string;
  studyId?: string;
  /** All studies of an account, its users and equipment, and what belongs to the whole site. */
  accountId?: string;
  subjectId?: string;
  actorId?: string;
  /** Epoch ms, both inclusive. */
  fromTs?: number;
  toTs?: number;
  beforeSequence?: number;
  limit?: number;
}

/** The rows that a filter selects, in no order; without its cursor and limit. */
export function filteredAudit(session: Session, filter: AuditFilter): SelectQueryBuilder<Tables, 'audit', AuditRow> {
  let query = session.db.selectFrom('audit').selectAll();
  if (filter.entityType !== undefined) query = query.where('entityType', '=', filter.entityType);
  if (filter.entityId !== undefined) query = query.where('entityId', '=', filter.entityId);
  if (filter.studyId !== undefined) query = query.where('studyId', '=', filter.studyId);
  if (filter.subjectId !== undefined) query = query.where('subjectId', '=', filter.subjectId);
  if (filter.actorId !== undefined) query = query.where('actorId', '=', filter.actorId);
  if (filter.fromTs !== undefined) query = query.where('timeTs', '>=', filter.fromTs);
  if (filter.toTs !== undefined) query = query.where('timeTs', '<=', filter.toTs);
  const { accountId } = filter;
  if (accountId !== undefined) {
    query = query.where((eb) =>
      eb.or([
        // Nearly every row belongs to the account, so a walk from the end of the log is fastest. The unary plus keeps SQLite from
        // collecting all rows by study and sorting them for one page.
        eb(sql`+"studyId"`, 'in', eb.selectFrom('study').select('study.id').where('study.accountId', '=', accountId)),
        eb.and([
          eb('studyId', 'is', null),
          eb.or([
            eb('entityType', 'not in', ['account', 'user', 'equipment']),
            eb('entityId', '=', accountId),
            eb('entityId', 'in', eb.selectFrom('user').select('user.id').where('user.accountId', '=', accountId)),
            eb(
              'entityId',
              'in',
              eb.selectFrom('equipment').select('equipment.id').where('equipment.accountId', '=', accountId),
            ),
          ]),
        ]),
      ]),
    );
  }
  return query;
}
