/** The audit log, with names in place of ids and without secrets. */
import { type AuditFilter, type AuditNames, type AuditRecord, entityKey } from '../../db/index.ts';
import { diagnosticOf } from '../../diagnostics.ts';
import type { AuditSelection } from '../../exporters/audit/export-facts.ts';
import type { AuditEntry } from '../contract/index.ts';
import type { auditRoutes } from '../contract/resources/audit.ts';
import type { BodyOf, QueryOf } from '../contract/route.ts';
import type { ApiDeps } from '../deps.ts';
import { changeBy } from '../framework/authenticate.ts';
import { invalidField } from '../framework/errors.ts';
import type { Handlers } from '../framework/mount.ts';
import { auditExportOf, sendAuditExport } from './audit-exports.ts';

const PAGE = 100;
/** Second line of defence: the store already keeps secrets out of the audit log. */
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

function toEntry(row: AuditRecord, actors: ReadonlyMap<string, string>, names: AuditNames): AuditEntry {
  const { actor, changes, previousHash: _previousHash, ...facts } = row;
  const diagnostic = facts.reason === undefined ? undefined : diagnosticOf(facts.reason);
  const displayName = actor.id === undefined ? undefined : actors.get(actor.id);
  const entity = names.entities.get(entityKey(row));
  const studyName = facts.studyId === undefined ? undefined : names.studies.get(facts.studyId);
  const subjectName = facts.subjectId === undefined ? undefined : names.subjects.get(facts.subjectId);
  const nameOf = (value: unknown) =>
    typeof value === 'string' ? (names.subjects.get(value) ?? names.users.get(value)) : undefined;
  return {
    ...Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)),
    ...(entity && { entity }),
    ...(studyName !== undefined && { studyName }),
    ...(subjectName !== undefined && { subjectName }),
    ...(diagnostic?.code !== undefined && { diagnostic }),
    actor: { ...actor, ...(displayName !== undefined && { displayName }) },
    changes: Object.entries(changes).map(([field, change]) => {
      const old = withoutSecrets(field, change.old);
      const next = withoutSecrets(field, change.new);
      const [oldName, newName] = [nameOf(old), nameOf(next)];
      return {
        field,
        ...(old !== undefined && { old }),
        ...(next !== undefined && { new: next }),
        ...(oldName !== undefined && { oldName }),
        ...(newName !== undefined && { newName }),
      };
    }),
  } as AuditEntry;
}

type Query = QueryOf<(typeof auditRoutes)['listStudyAudit']>;

function selectionOf({ from, to, userId, ...rest }: BodyOf<(typeof auditRoutes)['exportStudyAudit']>): AuditSelection {
  if (from !== undefined && to !== undefined && from > to) throw invalidField('from', 'must not be after `to`');
  const bounds = { ...(from !== undefined && { fromTs: from }), ...(to !== undefined && { toTs: to }) };
  return { ...rest, ...(userId !== undefined && { actorId: userId }), ...bounds };
}

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
    const actors = await audit.actorNames(shown);
    const names = await audit.names(shown);
    const next = new URLSearchParams(
      Object.entries({ ...query, limit, before: shown.at(-1)?.sequence })
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => [name, String(value)]),
    );
    return {
      items: shown.map((row) => toEntry(row, actors, names)),
      size: shown.length,
      ...(rows.length > limit && { links: [{ href: `/v1${path}?${next}`, rel: 'next' }] }),
    };
  }
  return {
    listStudyAudit: ({ params: { studyId }, query }) => page(`/studies/${studyId}/audit`, { studyId }, query),
    listAccountAudit: ({ params: { accountId }, query }) => page(`/accounts/${accountId}/audit`, { accountId }, query),
    exportStudyAudit: async ({ params: { studyId }, body, caller, request }) =>
      await auditExportOf(deps, request, { ...selectionOf(body), studyId }, changeBy(caller)),
    exportAccountAudit: async ({ params: { accountId }, body, caller, request }) => {
      // The chain is the site's. Only where the account is alone may its administrator see all of it.
      const isAlone = (await deps.store.accounts.list()).length === 1;
      const selection = { ...selectionOf(body), ...(isAlone ? {} : { accountId }) };
      return await auditExportOf(deps, request, selection, changeBy(caller));
    },
    downloadAuditExport: async ({ params: { auditExportId }, response }) =>
      await sendAuditExport(deps, auditExportId, response),
  };
}
