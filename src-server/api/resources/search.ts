/** The search. Each kind is searched only where the caller may read it, so neither results nor their number tell of anything else. */
import type { EquipmentRecord, FoundRow } from '../../db/index.ts';
import { type Operation, PERMISSIONS } from '../../study/permissions.ts';
import { searchPhrases, snippetOf } from '../../study/search-text.ts';
import { SEARCH_KINDS, type SearchKind } from '../../vocabulary/search.ts';
import type { SearchHit, searchRoutes } from '../contract/resources/search.ts';
import type { ApiDeps } from '../deps.ts';
import type { Caller } from '../framework/authenticate.ts';
import { allowedPlaces, inAllowedPlaces, readableStudies } from '../framework/authorize.ts';
import type { Handlers } from '../framework/mount.ts';

const USUAL_LIMIT = 5;
/** Equipment belongs to the study of its present holder, which the index does not know: found first, then filtered. */
const EQUIPMENT_AT_ONCE = 50;

const READS: Readonly<Record<SearchKind, Operation>> = {
  study: 'study.read',
  subject: 'subject.read',
  equipment: 'equipment.read',
  staff: 'user.read',
  note: 'note.read',
  message: 'message.read',
  query: 'query.read',
  label: 'annotation.read',
  answer: 'annotation.read',
  task: 'study.read',
  event: 'event.read',
};

interface Asked {
  caller: Caller;
  phrases: readonly string[];
  /** One more than is shown. */
  limit: number;
}

export function searchHandlers(deps: ApiDeps): Handlers<typeof searchRoutes> {
  const { search, equipment, subjects } = deps.store;

  const recordsOf = async (accountId: string, rows: readonly FoundRow[]): Promise<Map<string, EquipmentRecord>> => {
    const records = await equipment.listOf(
      accountId,
      rows.map(({ id }) => id),
    );
    return new Map(records.map((one) => [one.id, one]));
  };

  async function equipmentFound({ caller, phrases, limit }: Asked): Promise<FoundRow[]> {
    const { accountId } = caller.user;
    const open: FoundRow[] = [];
    let before: number | undefined;
    while (open.length < limit) {
      const rows = await search.find({
        ...{ kind: 'equipment', phrases, within: { accountId }, limit: EQUIPMENT_AT_ONCE },
        ...(before !== undefined && { before }),
      });
      let items: Map<string, EquipmentRecord> | undefined;
      const allowed = await inAllowedPlaces(deps, caller, 'equipment.read', rows, async ({ id }, places) => {
        items ??= await recordsOf(accountId, rows);
        const item = items.get(id);
        return item ? places.ofEquipment(item) : {};
      });
      open.push(...allowed);
      if (rows.length < EQUIPMENT_AT_ONCE) break;
      before = rows.at(-1)!.entry;
    }
    return open.slice(0, limit);
  }

  async function foundOf(kind: SearchKind, asked: Asked, studyIds: readonly string[]): Promise<FoundRow[]> {
    const { caller, phrases, limit } = asked;
    if (kind === 'equipment') return await equipmentFound(asked);
    const isOpen = await allowedPlaces(deps, caller, READS[kind]);
    if (PERMISSIONS[READS[kind]].scope === 'account') {
      const within = { accountId: caller.user.accountId };
      return isOpen({}) ? await search.find({ kind, phrases, within, limit }) : [];
    }
    const within = { studyIds: studyIds.filter((studyId) => isOpen({ studyId })) };
    return await search.find({ kind, phrases, within, limit });
  }

  return {
    search: async ({ caller, query }) => {
      const { text, kind: kinds = SEARCH_KINDS, limit = USUAL_LIMIT } = query;
      const phrases = searchPhrases(text);
      const studies = await readableStudies(deps, caller);
      const studyNames = new Map(studies.map(({ id, displayName }) => [id, displayName]));
      const rows: FoundRow[] = [];
      const more: SearchKind[] = [];
      for (const kind of SEARCH_KINDS) {
        if (phrases.length === 0 || !kinds.includes(kind)) continue;
        const found = await foundOf(kind, { caller, phrases, limit: limit + 1 }, [...studyNames.keys()]);
        rows.push(...found.slice(0, limit));
        if (found.length > limit) more.push(kind);
      }
      const mayName = await allowedPlaces(deps, caller, 'subject.read');
      const named = rows.flatMap(({ studyId, subjectId }) =>
        subjectId !== undefined && studyId !== undefined && mayName({ studyId }) ? [subjectId] : [],
      );
      const subjectNames = await subjects.namesOf([...new Set(named)]);
      const items = rows.map(({ text: whole, entry: _, ...row }): SearchHit => {
        const studyName = studyNames.get(row.studyId ?? '');
        const subjectName = subjectNames.get(row.subjectId ?? '');
        return {
          ...row,
          ...(studyName !== undefined && { studyName }),
          ...(subjectName !== undefined && { subjectName }),
          ...snippetOf(whole, phrases),
        };
      });
      const indexing = await search.progress();
      return { items, size: items.length, more, ...(indexing && { indexing }) };
    },
  };
}
