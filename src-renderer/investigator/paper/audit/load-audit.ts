/** What the audit trail on paper shows: a bounded part of a selection, whatever the site holds, and the signatures of its record. */
import type { QueryClient } from '@tanstack/react-query';
import type { AuditEntry, Signature } from '../../../../src-server/api/contract/index.ts';
import { client } from '../../../shared/api/client.ts';
import { nextCursor } from '../../../shared/api/list-queries.ts';
import type { HistoryFilter } from '../../../shared/api/message-queries.ts';
import { studyQuery, subjectQuery } from '../../../shared/api/queries.ts';
import { newestSignatures, type PrintedSignatures, signaturesOfRecord } from '../signatures/load-signatures.ts';

/** About sixty pages: a longer trail prints in parts, and an export for an audit holds every entry. */
export const MOST_ENTRIES = 1000;
const LARGEST_PAGE = 500;

export type AuditScope = { studyId: string } | { accountId: string };

export interface AuditPart {
  filter: HistoryFilter;
  /** Only entries with a smaller sequence: the last one of the part before. */
  before?: number;
}

const whole = (items: readonly Signature[]): PrintedSignatures => ({ items, isCut: false });
const NONE = whole([]);

/** A recording or export has its own signatures, a subject those of its days and recordings, a study all. */
async function signaturesOf(queries: QueryClient, studyId: string, filter: HistoryFilter): Promise<PrintedSignatures> {
  const { entityType, entityId, subjectId, userId } = filter;
  if (userId !== undefined) return NONE;
  if (entityType === 'recording' && entityId !== undefined)
    return whole(await signaturesOfRecord(queries, studyId, { kind: 'recording', targetId: entityId }));
  if (entityType === 'export' && entityId !== undefined)
    return whole(await signaturesOfRecord(queries, studyId, { kind: 'export', targetId: entityId }));
  if (entityType === 'subject' && entityId !== undefined)
    return await newestSignatures(studyId, { subjectId: entityId });
  if (entityType !== undefined && !(entityType === 'study' && entityId !== undefined)) return NONE;
  return await newestSignatures(studyId, subjectId === undefined ? {} : { subjectId });
}

export async function loadAudit(queries: QueryClient, scope: AuditScope, { filter, before: first }: AuditPart) {
  const { subjectId } = filter;
  const studyId = 'studyId' in scope ? scope.studyId : undefined;
  const [study, subject, signatures] = await Promise.all([
    studyId === undefined ? undefined : queries.fetchQuery(studyQuery(studyId)),
    studyId === undefined || subjectId === undefined ? undefined : queries.fetchQuery(subjectQuery(studyId, subjectId)),
    // Beside the newest part only.
    studyId === undefined || first !== undefined ? NONE : signaturesOf(queries, studyId, filter),
  ]);
  const entries: AuditEntry[] = [];
  let before = first === undefined ? undefined : String(first);
  do {
    const limit = String(Math.min(LARGEST_PAGE, MOST_ENTRIES - entries.length));
    const query = { ...filter, limit, ...(before !== undefined && { before }) };
    const page = await ('studyId' in scope
      ? client.call('listStudyAudit', { params: scope, query })
      : client.call('listAccountAudit', { params: scope, query }));
    entries.push(...page.items);
    before = nextCursor(page);
  } while (before !== undefined && entries.length < MOST_ENTRIES);
  return {
    study,
    subject,
    filter,
    entries,
    signatures,
    /** Of the entries of the part before. */
    before: first,
    /** Where the next, older part begins. */
    older: before === undefined ? undefined : Number(before),
  };
}
export type AuditReport = Awaited<ReturnType<typeof loadAudit>>;
