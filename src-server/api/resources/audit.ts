/** The audit as the interface shows it. */
import type { AuditFilter, AuditRecord } from '../../db/index.ts';
import { findingOf } from '../../findings.ts';
import type { AuditEntry } from '../contract/index.ts';
import type { auditRoutes } from '../contract/resources/audit.ts';
import type { QueryOf } from '../contract/route.ts';
import type { ApiDeps } from '../deps.ts';
import { invalidField } from '../framework/errors.ts';
import type { Handlers } from '../framework/mount.ts';

const PAGE = 100;
/** The repositories keep secrets out of the audit; should one ever slip in, it goes no further. */
const SECRET = /password|secret|token|signingkey|privatekey|credential/i;

function withoutSecrets(name: string, value: unknown): unknown {
  if (value === null || value === undefined) return undefined;
  if (SECRET.test(name) && typeof value === 'string') return 'hidden';
  if (typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(name, item) ?? null);
  return Object.fromEntries(
    Object.entries(value).map(([member, inner]) => [member, withoutSecrets(member, inner) ?? null]),
  );
}

function toEntry(row: AuditRecord, names: ReadonlyMap<string, string>): AuditEntry {
  const { actor, changes, previousHash: _previousHash, ...facts } = row;
  const finding = facts.reason === undefined ? undefined : findingOf(facts.reason);
  const displayName = actor.id === undefined ? undefined : names.get(actor.id);
  return {
    ...Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)),
    ...(finding?.code !== undefined && { finding }),
    actor: { ...actor, ...(displayName !== undefined && { displayName }) },
    changes: Object.entries(changes).map(([field, change]) => {
      const old = withoutSecrets(field, change.old);
      const next = withoutSecrets(field, change.new);
      return { field, ...(old !== undefined && { old }), ...(next !== undefined && { new: next }) };
    }),
  } as AuditEntry;
}

type Query = QueryOf<(typeof auditRoutes)['listStudyAudit']>;

export function auditHandlers(deps: ApiDeps): Handlers<typeof auditRoutes> {
  const { audit } = deps.store;
  async function page(path: string, place: Pick<AuditFilter, 'studyId' | 'accountId'>, query: Query) {
    const { from, to, before, userId, limit = PAGE, ...rest } = query;
    if (from !== undefined && to !== undefined && from > to) throw invalidField('from', 'must not be after `to`');
    const rows = await audit.list({
      ...rest,
      ...place,
      actorId: userId,
      fromTs: from,
      toTs: to,
      beforeSequence: before,
      limit: limit + 1,
    });
    const shown = rows.slice(0, limit);
    const names = await audit.actorNames(shown);
    const next = new URLSearchParams(
      Object.entries({ ...query, limit, before: shown.at(-1)?.sequence })
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => [name, String(value)]),
    );
    return {
      items: shown.map((row) => toEntry(row, names)),
      size: shown.length,
      ...(rows.length > limit && { links: [{ href: `/v1${path}?${next}`, rel: 'next' }] }),
    };
  }
  return {
    listStudyAudit: ({ params: { studyId }, query }) => page(`/studies/${studyId}/audit`, { studyId }, query),
    listAccountAudit: ({ params: { accountId }, query }) => page(`/accounts/${accountId}/audit`, { accountId }, query),
  };
}
