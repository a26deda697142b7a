/**
 * Filters of tables that people named. The caller of the service has checked which studies a person may see and manage.
 *
 * Shared filters are audited in their study. Private ones are not: nobody else sees them, they change no record, and they may hold
 * a code that was searched for.
 */
import { authorOf, type Change, SavedFilterQueries, type SavedFilterRecord } from '../db/index.ts';
import { OutpostError } from '../errors.ts';
import { changesBetween, changesFromNothing, type FieldChanges } from '../study/changes.ts';
import { type FilterSearch, type FilterTable, isStudyFilterTable, MOST_FILTERS } from '../vocabulary/saved-filters.ts';

export interface NewSavedFilter {
  id: string;
  tableName: FilterTable;
  /** Of the table. */
  studyId?: string | undefined;
  displayName: string;
  search: FilterSearch;
  /** With whose members it is shared. */
  sharedStudyId?: string | undefined;
}

/** Which of the studies a person may change what all their members see in. */
type MayManage = (studyId: string) => boolean;

const invalid = (path: string, message: string) =>
  new OutpostError('INVALID_INPUT', `\`${path}\` ${message}`, { errors: [{ path, message }] });

/** @throws INVALID_INPUT */
function requirePlace({ tableName, studyId, sharedStudyId }: NewSavedFilter): void {
  if (isStudyFilterTable(tableName) && studyId === undefined)
    throw invalid('studyId', `is needed for the table ${tableName}`);
  if (!isStudyFilterTable(tableName) && studyId !== undefined)
    throw invalid('studyId', `does not apply to the table ${tableName}`);
  if (sharedStudyId !== undefined && studyId !== undefined && sharedStudyId !== studyId)
    throw invalid('sharedStudyId', 'must be the study of the table');
}

export class SavedFilters extends SavedFilterQueries {
  /**
   * Stores a filter, or replaces the one with this id. The same again changes nothing.
   * @param mayRead by study id
   * @throws NOT_FOUND (one that the person does not see), FORBIDDEN, CONFLICT (another table, or too many filters), DUPLICATE_NAME,
   *   INVALID_INPUT
   */
  async save(filter: NewSavedFilter, may: { read: MayManage; manage: MayManage }, change: Change): Promise<void> {
    requirePlace(filter);
    const author = authorOf(change);
    if (author?.type !== 'USER') throw new OutpostError('INVALID_INPUT', 'A saved filter needs the user who saves it.');
    const { id, tableName, studyId, displayName, search, sharedStudyId } = filter;
    await this.session.write(async (session) => {
      const filters = new SavedFilters(session);
      const old = await filters.get(id);
      if (old) requireChange(old, author.id, filter, may);
      if (old && (old.tableName !== tableName || old.studyId !== studyId))
        throw new OutpostError('CONFLICT', 'Another filter has this id. Save yours under a new one.');
      if (sharedStudyId !== undefined && sharedStudyId !== old?.sharedStudyId && !may.manage(sharedStudyId))
        throw new OutpostError('FORBIDDEN', 'Your role does not allow you to share filters with this study.');
      const fields = { displayName, search: sorted(search), sharedStudyId: sharedStudyId ?? null };
      if (old && Object.keys(changesBetween(contentOf(old), fields)).length === 0) return;
      await filters.#requireRoom(filter, old, author.id, may);
      const now = session.clock();
      if (old) await filters.patchFilter(id, { ...fields, modifiedTs: now });
      else {
        const place = { tableName, studyId, userId: author.id };
        await filters.insertFilter({ id, ...place, ...fields, createdTs: now, modifiedTs: now });
      }
      const isMoved = old?.sharedStudyId !== sharedStudyId;
      // The trail of a study says what its members see, so what leaves it is deleted there.
      if (old && isMoved) await filters.#auditDeletion(change, old);
      const changes = old && !isMoved ? changesBetween(contentOf(old), fields) : changesFromNothing(fields);
      await filters.#audit(change, 'saved-filter.put', id, sharedStudyId, changes);
    });
  }

  /**
   * Deletes a filter. One that does not exist, or that the person cannot see, changes nothing.
   * @throws FORBIDDEN for a filter that somebody else shared
   */
  async remove(id: string, userId: string, may: { read: MayManage; manage: MayManage }, change: Change): Promise<void> {
    await this.session.write(async (session) => {
      const filters = new SavedFilters(session);
      const old = await filters.get(id);
      if (!old || !isSeen(old, userId, may)) return;
      if (old.userId !== userId && !may.manage(old.sharedStudyId ?? '')) throw notYours();
      await filters.deleteFilter(id);
      await filters.#auditDeletion(change, old);
    });
  }

  /**
   * Compares only with what the caller sees: a refusal would reveal the name of a private filter of the owner.
   * @throws DUPLICATE_NAME, CONFLICT
   */
  async #requireRoom(
    filter: NewSavedFilter,
    old: SavedFilterRecord | undefined,
    userId: string,
    may: { read: MayManage },
  ): Promise<void> {
    const { id, tableName, studyId, displayName, sharedStudyId } = filter;
    const ownerId = old?.userId ?? userId;
    const own = (await this.ofUser(ownerId)).filter((one) => isSeen(one, userId, may));
    const isRenamed = displayName !== old?.displayName;
    const isTaken = own.some(
      (one) =>
        isRenamed &&
        one.id !== id &&
        one.tableName === tableName &&
        one.studyId === studyId &&
        one.displayName === displayName,
    );
    if (isTaken) {
      const message = 'Another filter of this table has this name. Choose another name, or replace that filter.';
      throw new OutpostError('DUPLICATE_NAME', message, { errors: [{ path: 'displayName', message }] });
    }
    if (!old && own.length >= MOST_FILTERS)
      throw new OutpostError('CONFLICT', `You have ${MOST_FILTERS} saved filters. Delete one, then save again.`);
    if (sharedStudyId === undefined || sharedStudyId === old?.sharedStudyId) return;
    if ((await this.countShared(sharedStudyId)) >= MOST_FILTERS) {
      throw new OutpostError(
        'CONFLICT',
        `${MOST_FILTERS} filters are shared with this study. Delete one, then save again.`,
      );
    }
  }

  async #auditDeletion(change: Change, { id, displayName, search, sharedStudyId }: SavedFilterRecord): Promise<void> {
    const gone = { displayName: { old: displayName }, search: { old: search } };
    await this.#audit(change, 'saved-filter.delete', id, sharedStudyId, gone);
  }

  async #audit(
    change: Change,
    action: string,
    entityId: string,
    studyId: string | undefined,
    changes: FieldChanges,
  ): Promise<void> {
    if (studyId === undefined) return;
    await this.session.audit(change, { action, entityType: 'savedFilter', entityId, studyId, changes });
  }
}

const contentOf = ({ displayName, search, sharedStudyId }: SavedFilterRecord) => ({
  displayName,
  search,
  sharedStudyId: sharedStudyId ?? null,
});

/** In one order, so that the same filter is the same text. */
const sorted = (search: FilterSearch): FilterSearch =>
  Object.fromEntries(Object.entries(search).sort(([a], [b]) => (a < b ? -1 : 1)));

const notYours = () =>
  new OutpostError(
    'FORBIDDEN',
    'Somebody else shared this filter. Save one of your own, or ask a coordinator of the study.',
  );

/** Whether a person sees a filter. One that is shared with a study is the study's: its owner may have left. */
const isSeen = ({ userId, sharedStudyId }: SavedFilterRecord, callerId: string, may: { read: MayManage }): boolean =>
  sharedStudyId === undefined ? userId === callerId : may.read(sharedStudyId);

/** @throws NOT_FOUND, FORBIDDEN */
function requireChange(
  old: SavedFilterRecord,
  userId: string,
  { sharedStudyId }: NewSavedFilter,
  may: { read: MayManage; manage: MayManage },
): void {
  const isOwn = old.userId === userId;
  if (!isSeen(old, userId, may)) throw new OutpostError('NOT_FOUND', 'There is no such saved filter.');
  if (old.sharedStudyId === undefined || may.manage(old.sharedStudyId)) {
    if (isOwn || sharedStudyId === old.sharedStudyId) return;
    throw new OutpostError('FORBIDDEN', 'Only the person who shared this filter can make it private.');
  }
  // Who lost the role can still take back what they shared.
  if (!isOwn || sharedStudyId !== undefined) throw notYours();
}
