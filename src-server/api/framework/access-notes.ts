/**
 * What the access log notes of a request that was admitted: reads that show who a subject is or what a subject said, and everything that
 * leaves the site as a file. Derived from the contract, so that a new route is noted without a line of its own.
 */
import type { AccessDetail } from '../../vocabulary/access-log.ts';
import type { RouteContract } from '../contract/route.ts';
import type { AccessLogPort } from '../deps.ts';
import type { Caller } from './authenticate.ts';
import type { Scope } from './authorize.ts';
import type { Rights } from './guards.ts';

/** Which page reads of a tag belong to. */
const PAGES: Readonly<Record<string, AccessDetail>> = {
  Subjects: 'SUBJECT',
  Messages: 'MESSAGES',
  Notes: 'NOTES',
  Participation: 'PARTICIPATION',
  Recordings: 'RECORDINGS',
  Analytics: 'RESULTS',
  Adherence: 'RESULTS',
  'Data quality': 'RESULTS',
  'Analysis runs': 'RESULTS',
  Annotations: 'RECORDS',
  Corrections: 'RECORDS',
  Queries: 'RECORDS',
  Events: 'RECORDS',
  Signatures: 'RECORDS',
  Equipment: 'EQUIPMENT',
  Audit: 'HISTORY',
  Search: 'SEARCH',
};
/** Lists of these show subjects by name, also where the path names none. */
const LISTS: ReadonlySet<string> = new Set(['Subjects', 'Messages', 'Notes', 'Participation', 'Search']);

/** What leaves the site, by operation. Absent: not an export. */
const EXPORTS: Readonly<Record<string, AccessDetail>> = {
  'study.export': 'STUDY',
  'subject.copy': 'SUBJECT',
  'recording.export': 'RECORDING',
  'analytics.export': 'RESULTS',
  'annotation.export': 'RECORDS',
  'audit.export': 'HISTORY',
};
/** By tag, for signed addresses of files that are no exports. */
const FILES: Readonly<Record<string, AccessDetail>> = {
  Participation: 'DOCUMENT',
  Messages: 'IMAGE',
  Audit: 'HISTORY',
};

const isFile = ({ media }: RouteContract): boolean => media !== undefined && media !== 'text/event-stream';

interface Access {
  caller: Caller;
  scope: Scope;
  /** As it came: a subject in it is checked when the entry is stored. */
  query: unknown;
  address: string;
}

export function noteAccess(log: AccessLogPort, route: RouteContract, { caller, scope, query, address }: Access): void {
  const { user } = caller;
  const exported = exportOf(route);
  const subjectId = scope.subject?.id ?? subjectIn(query);
  const place = {
    accountId: user.accountId,
    userId: user.id,
    address,
    ...(scope.study && { studyId: scope.study.id }),
    ...(scope.study && subjectId !== undefined && { subjectId }),
  };
  if (exported) {
    log.note({ kind: route.method === 'GET' && isFile(route) ? 'DOWNLOAD' : 'EXPORT', detail: exported, ...place });
    return;
  }
  if (route.method !== 'GET') return;
  const isOfSubject = 'subjectId' in place;
  if (!isOfSubject && !LISTS.has(route.tag)) return;
  const page = PAGES[route.tag] ?? 'OTHER';
  log.note({ kind: 'READ', detail: page === 'SUBJECT' && !isOfSubject ? 'SUBJECTS' : page, ...place });
}

/** Lists of exports and their states are no exports. */
function exportOf(route: RouteContract): AccessDetail | undefined {
  const { operation, method, tag, path } = route;
  if (operation === undefined) return undefined;
  const detail = EXPORTS[operation];
  // What only leads to a file, or lists files, is not one yet.
  const isCall = method === 'DELETE' || (method === 'GET' && !isFile(route));
  if (detail !== undefined) return isCall ? undefined : path.endsWith('/access/csv') ? 'ACCESS' : detail;
  if (operation !== 'site.manage' || tag !== 'Audit' || (method === 'GET' && !isFile(route))) return undefined;
  return path.endsWith('/access/csv') ? 'ACCESS' : 'HISTORY';
}

/** A file was taken by its signed address. Images that a phone shows to its own subject are not noted. */
export function noteSigned(
  log: AccessLogPort,
  route: RouteContract,
  { rights, accountId }: { rights: Rights; accountId?: string },
  address: string,
): void {
  if (rights.kind === 'DEVICE') return;
  const { userId, operation, studyId, subjectId } = rights;
  log.note({
    kind: 'DOWNLOAD',
    detail: EXPORTS[operation] ?? FILES[route.tag] ?? 'OTHER',
    ...(accountId !== undefined && { accountId }),
    userId,
    address,
    ...(studyId !== undefined && { studyId }),
    ...(subjectId !== undefined && { subjectId }),
  });
}

function subjectIn(query: unknown): string | undefined {
  const subjectId = (query as Record<string, unknown>).subjectId;
  return typeof subjectId === 'string' && subjectId !== '' ? subjectId : undefined;
}
