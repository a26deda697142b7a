/**
 * Notes and calls of staff about a subject or a study: each change in one transaction with its audit entry. An edit keeps the version that
 * it replaces; a withdrawn note stays with the reason.
 */
import { authorOf, type Change, NoteQueries, type NoteRecord, StudyQueries, SubjectQueries } from '../db/index.ts';
import { OutpostError } from '../errors.ts';
import { changesBetween, changesFromNothing } from '../study/changes.ts';
import { localDateIn } from '../study/day-windows.ts';
import {
  isSameContent,
  type NoteContent,
  noteWithdrawn,
  requireFollowUpAhead,
  requireNoteContent,
} from '../study/notes.ts';
import { requireAssignable } from './assignees.ts';
import { savedOtherwise } from './repeated-ids.ts';

export interface NewNote extends NoteContent {
  /** Made by the client: the same request repeated with it changes nothing. */
  id?: string | undefined;
  studyId: string;
  /** Absent: about the study. */
  subjectId?: string | undefined;
}

/** Absent members stay; null clears. */
export interface NotePatch {
  kind?: NoteContent['kind'] | undefined;
  isReached?: boolean | undefined;
  body?: string | undefined;
  followUpDate?: string | null | undefined;
  assigneeId?: string | null | undefined;
}

const contentOf = ({ kind, isReached, body, followUpDate, assigneeId }: NoteContent): NoteContent => ({
  kind,
  isReached,
  body,
  followUpDate,
  assigneeId,
});

/** As columns: an absent member is NULL. */
const columnsOf = ({ kind, isReached, body, followUpDate, assigneeId }: NoteContent) => ({
  kind,
  body,
  isReached: isReached ?? null,
  followUpDate: followUpDate ?? null,
  assigneeId: assigneeId ?? null,
});

const userOf = (change: Change): string => {
  const author = authorOf(change);
  if (author?.type !== 'USER') throw new OutpostError('INVALID_INPUT', 'A note needs the user who writes it.');
  return author.id;
};

const entry = ({ id, studyId, subjectId }: NoteRecord) => ({
  entityType: 'note' as const,
  entityId: id,
  studyId,
  ...(subjectId !== undefined && { subjectId }),
});

export class Notes extends NoteQueries {
  /**
   * Stores a note by the acting user. A repeated request returns what is stored.
   * @throws NOT_FOUND, INVALID_INPUT, STUDY_LOCKED, CONFLICT (the id of another note, or saved with another content)
   */
  async add(input: NewNote, change: Change): Promise<NoteRecord> {
    const { studyId, subjectId } = input;
    const authorId = userOf(change);
    const content = requireNoteContent(input);
    return await this.session.write(async (session) => {
      const notes = new Notes(session);
      const known = input.id === undefined ? undefined : await notes.get(input.id);
      if (known) {
        if (known.studyId !== studyId || known.subjectId !== subjectId || known.authorId !== authorId) {
          throw new OutpostError('CONFLICT', 'Another note has this id.');
        }
        // An edit between the two requests does not make the second one another note.
        const [first = known] = (await notes.versionsOf([known.id])).get(known.id) ?? [];
        if (isSameContent(first, content) || isSameContent(known, content)) return known;
        throw savedOtherwise(
          'This note was already saved with another content. Open it in the list and edit it there.',
        );
      }
      await notes.#requirePlace(studyId, subjectId);
      await notes.#requireFollowUp(studyId, content);
      const id = input.id ?? session.newId();
      const nowTs = session.clock();
      await notes.insert({
        id,
        studyId,
        subjectId: subjectId ?? null,
        ...columnsOf(content),
        authorId,
        createdTs: nowTs,
        version: 1,
        editorId: authorId,
        editedTs: nowTs,
      });
      const note = await notes.require(id, studyId);
      await session.audit(change, {
        action: 'note.add',
        ...entry(note),
        changes: changesFromNothing({ ...content }),
      });
      return note;
    });
  }

  /**
   * Replaces what is given of a note and keeps the version before.
   * @param version the one that was edited
   * @throws NOT_FOUND, INVALID_INPUT, STUDY_LOCKED, CONFLICT (changed meanwhile, or withdrawn)
   */
  async edit(
    { id, studyId }: Pick<NoteRecord, 'id' | 'studyId'>,
    { version, ...patch }: NotePatch & { version: number },
    change: Change,
  ): Promise<NoteRecord> {
    const editorId = userOf(change);
    return await this.session.write(async (session) => {
      const notes = new Notes(session);
      const old = await notes.require(id, studyId);
      const content = requireNoteContent(patched(old, patch));
      // The answer to the first request was lost, and the client sends it again.
      const isRepeated = old.version === version + 1 && old.editorId === editorId;
      if (isSameContent(contentOf(old), content) && (old.version === version || isRepeated)) return old;
      if (old.withdrawnTs !== undefined) throw noteWithdrawn();
      if (old.version !== version) {
        throw new OutpostError('CONFLICT', 'The note was changed meanwhile. Load it again, then repeat the change.');
      }
      await notes.#requireFollowUp(studyId, content, old);
      const { createdTs: _, authorId: __, ...before } = old;
      await notes.insertVersion({
        id: session.newId(),
        noteId: id,
        studyId,
        subjectId: old.subjectId ?? null,
        ...columnsOf(before),
        version: old.version,
        editorId: old.editorId,
        editedTs: old.editedTs,
      });
      const isNewDate = content.followUpDate !== old.followUpDate;
      await notes.patch(id, {
        ...columnsOf(content),
        version: old.version + 1,
        editorId,
        editedTs: session.clock(),
        // Another date is another follow-up.
        ...(isNewDate && { followUpDoneTs: null, followUpDoneBy: null }),
      });
      await session.audit(change, {
        action: 'note.edit',
        ...entry(old),
        changes: changesBetween({ ...columnsOf(contentOf(old)) }, { ...columnsOf(content) }),
      });
      return await notes.require(id, studyId);
    });
  }

  /** Marks a note as withdrawn; again changes nothing. @throws NOT_FOUND, INVALID_INPUT (no reason), STUDY_LOCKED */
  async withdraw({ id, studyId }: Pick<NoteRecord, 'id' | 'studyId'>, change: Change): Promise<NoteRecord> {
    const userId = userOf(change);
    const reason = change.reason?.trim();
    if (!reason) {
      throw new OutpostError('INVALID_INPUT', 'Give a reason to withdraw the note; it is kept with it.', {
        errors: [{ path: 'reason', message: 'A reason is required.' }],
      });
    }
    return await this.session.write(async (session) => {
      const notes = new Notes(session);
      const old = await notes.require(id, studyId);
      if (old.withdrawnTs !== undefined) return old;
      const withdrawnTs = session.clock();
      await notes.patch(id, { withdrawnTs, withdrawnBy: userId, withdrawnReason: reason });
      await session.audit(change, {
        action: 'note.withdraw',
        ...entry(old),
        changes: { withdrawnTs: { old: null, new: withdrawnTs } },
      });
      return await notes.require(id, studyId);
    });
  }

  /**
   * Marks the follow-up of a note as done or as open again; the same again changes nothing.
   * @throws NOT_FOUND, STUDY_LOCKED, CONFLICT (without follow-up, or withdrawn)
   */
  async setFollowUpDone(
    { id, studyId }: Pick<NoteRecord, 'id' | 'studyId'>,
    isDone: boolean,
    change: Change,
  ): Promise<NoteRecord> {
    const userId = userOf(change);
    return await this.session.write(async (session) => {
      const notes = new Notes(session);
      const old = await notes.require(id, studyId);
      if (old.followUpDate === undefined) {
        throw new OutpostError('CONFLICT', 'The note has no follow-up date. Set one first.');
      }
      if ((old.followUpDoneTs !== undefined) === isDone) return old;
      if (old.withdrawnTs !== undefined) throw noteWithdrawn();
      const doneTs = isDone ? session.clock() : null;
      await notes.patch(id, { followUpDoneTs: doneTs, followUpDoneBy: isDone ? userId : null });
      await session.audit(change, {
        action: isDone ? 'note.follow-up-done' : 'note.follow-up-reopen',
        ...entry(old),
        changes: { followUpDoneTs: { old: old.followUpDoneTs ?? null, new: doneTs } },
      });
      return await notes.require(id, studyId);
    });
  }

  async #requirePlace(studyId: string, subjectId: string | undefined): Promise<void> {
    await new StudyQueries(this.session).require(studyId);
    if (subjectId !== undefined) await new SubjectQueries(this.session).require(subjectId, studyId);
  }

  /** @param old the note before, whose date and assignee may stay as they are */
  async #requireFollowUp(studyId: string, content: NoteContent, old?: NoteContent): Promise<void> {
    const { followUpDate, assigneeId } = content;
    if (followUpDate !== undefined && followUpDate !== old?.followUpDate) {
      requireFollowUpAhead(followUpDate, localDateIn(this.session.clock(), 'UTC'));
    }
    if (assigneeId === undefined || assigneeId === old?.assigneeId) return;
    await requireAssignable(new StudyQueries(this.session), studyId, assigneeId);
  }
}

function patched(old: NoteRecord, { kind = old.kind, isReached, body, followUpDate, assigneeId }: NotePatch) {
  const or = <T>(given: T | null | undefined, stored: T | undefined): T | undefined =>
    given === undefined ? stored : (given ?? undefined);
  const date = or(followUpDate, old.followUpDate);
  return {
    kind,
    isReached: kind === 'CALL' ? or(isReached, old.isReached) : undefined,
    body: body ?? old.body,
    followUpDate: date,
    // Without a date there is no assignee.
    assigneeId: date === undefined ? undefined : or(assigneeId, old.assigneeId),
  };
}
