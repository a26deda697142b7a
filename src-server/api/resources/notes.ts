/** Notes and calls of staff, and their follow-ups. */
import type { NoteRecord, NoteVersionRecord } from '../../db/index.ts';
import { OutpostError } from '../../errors.ts';
import { localDateIn } from '../../study/day-windows.ts';
import { requireOwnNote } from '../../study/notes.ts';
import type { Operation } from '../../study/permissions.ts';
import type { Note } from '../contract/index.ts';
import type { noteRoutes } from '../contract/resources/notes.ts';
import type { ApiDeps } from '../deps.ts';
import { type Caller, changeBy } from '../framework/authenticate.ts';
import { allowedPlaces } from '../framework/authorize.ts';
import type { Handlers } from '../framework/mount.ts';
import { type PagedList, readListPage } from '../framework/paging.ts';

const pagesOf = (isNewest: boolean | undefined): PagedList<NoteRecord> => ({
  name: isNewest ? 'notes-newest' : 'notes',
  key: ['number', 'string'],
  keyOf: ({ createdTs, id }) => [createdTs, id],
});

const FOLLOW_UP_PAGES: PagedList<NoteRecord> = {
  name: 'follow-ups',
  key: ['string', 'string'],
  keyOf: ({ followUpDate = '', id }) => [followUpDate, id],
};

const pathOf = (studyId: string, noteId: string) => `/v1/studies/${studyId}/notes/${noteId}`;

export function noteHandlers(deps: ApiDeps): Handlers<typeof noteRoutes> {
  const { notes, subjects, users } = deps.store;

  /** Names of the people and subjects of notes, by id: two queries for a page. */
  async function namesOf(rows: readonly (NoteRecord | NoteVersionRecord)[]): Promise<Map<string, string>> {
    const people = new Set<string>();
    const about = new Set<string>();
    for (const row of rows) {
      const { authorId, followUpDoneBy, withdrawnBy }: Partial<NoteRecord> = 'authorId' in row ? row : {};
      for (const id of [row.editorId, row.assigneeId, authorId, followUpDoneBy, withdrawnBy]) {
        if (id !== undefined) people.add(id);
      }
      if (row.subjectId !== undefined) about.add(row.subjectId);
    }
    return new Map([...(await users.namesOf([...people])), ...(await subjects.namesOf([...about]))]);
  }

  const personOf = (names: ReadonlyMap<string, string>) => (id: string) => ({ id, displayName: names.get(id) ?? '' });

  function contentOf(row: NoteRecord | NoteVersionRecord, names: ReadonlyMap<string, string>) {
    const { kind, isReached, body, version, editorId, editedTs } = row;
    const editedBy = personOf(names)(editorId);
    return { kind, ...(isReached !== undefined && { isReached }), body, version, editedBy, editedTs };
  }

  function toNote(row: NoteRecord, names: ReadonlyMap<string, string>): Note {
    const person = personOf(names);
    const { id, studyId, subjectId, authorId, createdTs, followUpDate, assigneeId } = row;
    const { followUpDoneTs, followUpDoneBy, withdrawnTs, withdrawnBy, withdrawnReason } = row;
    return {
      id,
      studyId,
      ...(subjectId !== undefined && { subjectId, subjectName: names.get(subjectId) ?? '' }),
      author: person(authorId),
      createdTs,
      ...contentOf(row, names),
      ...(followUpDate !== undefined && {
        followUp: {
          date: followUpDate,
          ...(assigneeId !== undefined && { assignee: person(assigneeId) }),
          ...(followUpDoneTs !== undefined && { done: { by: person(followUpDoneBy!), ts: followUpDoneTs } }),
        },
      }),
      ...(withdrawnTs !== undefined && {
        withdrawn: { by: person(withdrawnBy!), ts: withdrawnTs, reason: withdrawnReason! },
      }),
    };
  }

  async function shown(rows: readonly NoteRecord[]): Promise<Note[]> {
    const names = await namesOf(rows);
    return rows.map((row) => toNote(row, names));
  }

  const may = async (caller: Caller, operation: Operation, studyId: string) =>
    (await allowedPlaces(deps, caller, operation))({ studyId });

  async function requireOwn(caller: Caller, note: NoteRecord): Promise<void> {
    const isAdmin = await may(caller, 'note.administer', note.studyId);
    requireOwnNote(note.authorId === caller.user.id, isAdmin);
  }

  const created = (studyId: string, id: string) => ({
    id,
    links: [{ href: pathOf(studyId, id), rel: 'self' }],
  });

  return {
    listNotes: async ({ params: { studyId }, query, request }) => {
      const { ofStudy: isOfStudy, kind, newest } = query;
      const { rows, links } = await readListPage(request, pagesOf(newest), query, (keyset) =>
        notes.page({ studyId, isOfStudy, kind }, keyset, newest),
      );
      return { items: await shown(rows), size: rows.length, ...links };
    },
    listSubjectNotes: async ({ params: { studyId, subjectId }, query, request }) => {
      const { kind, newest } = query;
      const { rows, links } = await readListPage(request, pagesOf(newest), query, (keyset) =>
        notes.page({ studyId, subjectId, kind }, keyset, newest),
      );
      return { items: await shown(rows), size: rows.length, ...links };
    },
    listFollowUps: async ({ params: { studyId }, query, caller, request }) => {
      const { subjectId, assigneeId } = query;
      if (subjectId !== undefined) await subjects.require(subjectId, studyId);
      const { rows, links } = await readListPage(request, FOLLOW_UP_PAGES, query, (keyset) =>
        notes.openFollowUps({ studyId, subjectId, assigneeId }, keyset),
      );
      const today = localDateIn(deps.clock(), caller.user.timezone);
      const { open, due } = await notes.countFollowUps({ studyId, subjectId }, today);
      return { items: await shown(rows), size: rows.length, openCount: open, dueCount: due, ...links };
    },
    addNote: async ({ params: { studyId }, body, caller }) => {
      const { id } = await notes.add({ ...body, studyId }, changeBy(caller));
      return created(studyId, id);
    },
    addSubjectNote: async ({ params, body, caller }) => {
      const { id } = await notes.add({ ...body, ...params }, changeBy(caller));
      return created(params.studyId, id);
    },
    getNote: async ({ params: { studyId, noteId } }) => {
      const note = await notes.require(noteId, studyId);
      const versions = (await notes.versionsOf([noteId])).get(noteId) ?? [];
      const names = await namesOf([note, ...versions]);
      const person = personOf(names);
      const earlier = versions.map((row) => ({
        ...contentOf(row, names),
        ...(row.followUpDate !== undefined && {
          followUp: {
            date: row.followUpDate,
            ...(row.assigneeId !== undefined && { assignee: person(row.assigneeId) }),
          },
        }),
      }));
      return { ...toNote(note, names), earlier };
    },
    editNote: async ({ params: { studyId, noteId }, body: { reason, ...patch }, caller }) => {
      const note = await notes.require(noteId, studyId);
      const { kind = note.kind, isReached = note.isReached, body = note.body } = patch;
      const isOfText = kind !== note.kind || isReached !== note.isReached || body.trim() !== note.body;
      if (isOfText) await requireOwn(caller, note);
      await notes.edit(note, patch, changeBy(caller, reason));
    },
    withdrawNote: async ({ params: { studyId, noteId }, body: { reason }, caller }) => {
      const note = await notes.require(noteId, studyId);
      await requireOwn(caller, note);
      await notes.withdraw(note, changeBy(caller, reason));
    },
    setFollowUpDone: async ({ params: { studyId, noteId }, body: { isDone }, caller }) => {
      const note = await notes.require(noteId, studyId);
      const isOwn = note.assigneeId === caller.user.id;
      if (!isOwn && !(await may(caller, 'note.write', studyId))) {
        throw new OutpostError('FORBIDDEN', 'Only the person it is assigned to, or who may write notes, can do this.');
      }
      await notes.setFollowUpDone(note, isDone, changeBy(caller));
    },
  };
}
