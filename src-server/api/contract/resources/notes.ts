/** Notes and calls of staff, about a subject or a study, with their follow-ups. */
import { z } from 'zod';
import { LONGEST_NOTE, NOTE_KINDS } from '../../../vocabulary/notes.ts';
import { booleanParameter, count, created, date, id, idParams, timestamp } from '../common.ts';
import { newestFirst, pageOf, pageQuery } from '../paging.ts';
import { defineRoutes } from '../route.ts';

/** A user, by name. */
export const person = z.strictObject({ id, displayName: z.string() }).meta({ id: 'Person' });

const kind = z.enum(NOTE_KINDS).meta({ description: 'CALL: a call to or from the subject.' });
const isReached = z.boolean().meta({ description: 'Of a call: whether contact was made.' });

const followUp = z.strictObject({
  date: date.meta({ description: 'Local date on which somebody is to come back to it, YYYY-MM-DD.' }),
  assignee: person.optional().meta({ description: 'Absent: anybody of the study.' }),
  done: z.strictObject({ by: person, ts: timestamp }).optional(),
});

const content = {
  kind,
  isReached: isReached.optional(),
  body: z.string(),
  version: count.meta({ description: 'Counts edits, from 1. An edit names the version that it is of.' }),
  editedBy: person.meta({ description: 'Of a version that was never edited: the author.' }),
  editedTs: timestamp,
};

const note = z
  .strictObject({
    id,
    studyId: id,
    subjectId: id.optional().meta({ description: 'Absent: about the study.' }),
    subjectName: z.string().optional(),
    author: person,
    createdTs: timestamp.meta({ description: "By the site's clock." }),
    ...content,
    followUp: followUp.optional(),
    withdrawn: z
      .strictObject({ by: person, ts: timestamp, reason: z.string() })
      .optional()
      .meta({ description: 'The note was withdrawn; its text is kept.' }),
  })
  .meta({ id: 'Note' });
export type Note = z.infer<typeof note>;

const noteDetail = note
  .extend({
    earlier: z
      .array(
        z.strictObject({
          ...content,
          followUp: followUp.omit({ done: true }).optional(),
        }),
      )
      .meta({ description: 'What edits replaced, oldest first.' }),
  })
  .meta({ id: 'NoteDetail' });
export type NoteDetail = z.infer<typeof noteDetail>;

const text = z.string().max(LONGEST_NOTE);
const reason = z.string().max(1000);
const newNote = z.object({
  id: z.uuid().optional().meta({
    description: 'Made by the client: the same request repeated changes nothing; with another content, 409 CONFLICT.',
  }),
  kind,
  isReached: isReached.optional().meta({ description: 'Required for a call, and only there.' }),
  body: text.meta({ description: 'May be empty for a call.' }),
  followUpDate: date.optional(),
  assigneeId: id.optional().meta({ description: 'With a date only: a user who may see the study.' }),
});

const oneNote = z.object({ studyId: id, noteId: id });
const listQuery = {
  ...pageQuery,
  newest: newestFirst,
  kind: kind.optional(),
};

/** How many follow-ups are open; `due` by the date of the caller's time zone. */
const followUpCounts = {
  openCount: count.meta({ description: 'Follow-ups that are not done, also those of other pages.' }),
  dueCount: count.meta({ description: "Of these, those that are due by today's date in the caller's time zone." }),
};

export const noteRoutes = defineRoutes({
  listNotes: {
    method: 'GET',
    path: '/studies/{studyId}/notes',
    access: 'user',
    operation: 'note.read',
    tag: 'Notes',
    summary: 'List the notes of a study',
    description: 'About the study and about its subjects; withdrawn notes too.',
    order: ['createdTs', 'id'],
    params: idParams.study,
    query: z.object({
      ...listQuery,
      ofStudy: booleanParameter.optional().meta({ description: 'true: only notes about the study itself.' }),
    }),
    status: 200,
    response: pageOf(note),
  },
  listSubjectNotes: {
    method: 'GET',
    path: '/studies/{studyId}/subjects/{subjectId}/notes',
    access: 'user',
    operation: 'note.read',
    tag: 'Notes',
    summary: 'List the notes about a subject',
    description: 'Withdrawn notes too.',
    order: ['createdTs', 'id'],
    params: idParams.subject,
    query: z.object(listQuery),
    status: 200,
    response: pageOf(note),
  },
  listFollowUps: {
    method: 'GET',
    path: '/studies/{studyId}/follow_ups',
    access: 'user',
    operation: 'note.read',
    tag: 'Notes',
    summary: 'List open follow-ups of a study',
    description: 'Notes whose follow-up is not done; withdrawn notes have none.',
    order: 'the date of the follow-up, then id',
    params: idParams.study,
    query: z.object({
      ...pageQuery,
      subjectId: id.optional(),
      assigneeId: id.optional().meta({ description: 'Only those assigned to this user.' }),
    }),
    status: 200,
    response: pageOf(note).extend(followUpCounts),
  },
  addNote: {
    method: 'POST',
    path: '/studies/{studyId}/notes',
    access: 'user',
    operation: 'note.write',
    tag: 'Notes',
    summary: 'Add a note about a study',
    description: 'Author and time are those of the request. Allowed in every state of a study but a locked one.',
    params: idParams.study,
    body: newNote,
    status: 201,
    response: created,
  },
  addSubjectNote: {
    method: 'POST',
    path: '/studies/{studyId}/subjects/{subjectId}/notes',
    access: 'user',
    operation: 'note.write',
    tag: 'Notes',
    summary: 'Add a note about a subject, or a call',
    description: 'Author and time are those of the request. Allowed in every state of a study but a locked one.',
    params: idParams.subject,
    body: newNote,
    status: 201,
    response: created,
  },
  getNote: {
    method: 'GET',
    path: '/studies/{studyId}/notes/{noteId}',
    access: 'user',
    operation: 'note.read',
    tag: 'Notes',
    summary: 'Get a note with its earlier versions',
    description: 'The target of the links that adding a note returns.',
    params: oneNote,
    status: 200,
    response: noteDetail,
  },
  editNote: {
    method: 'PUT',
    path: '/studies/{studyId}/notes/{noteId}',
    access: 'user',
    operation: 'note.write',
    tag: 'Notes',
    summary: 'Edit a note',
    description:
      'Keeps the version before with its author and time. The kind, the text and whether contact was made can be changed by the author or an administrator of the study, the follow-up by everybody who may write notes. A new date makes the follow-up open again; null clears. 409 CONFLICT when the note was changed meanwhile or is withdrawn.',
    params: oneNote,
    body: z.object({
      version: count.meta({ description: 'The version that was edited.' }),
      kind: kind.optional(),
      isReached: isReached.optional(),
      body: text.optional(),
      followUpDate: date.nullable().optional(),
      assigneeId: id.nullable().optional(),
      reason: reason.optional().meta({ description: 'Kept in the audit log.' }),
    }),
    status: 204,
  },
  withdrawNote: {
    method: 'POST',
    path: '/studies/{studyId}/notes/{noteId}/withdraw',
    access: 'user',
    operation: 'note.write',
    tag: 'Notes',
    summary: 'Withdraw a note',
    description:
      'By its author or an administrator of the study. The note is kept, marked as withdrawn with the reason; its follow-up ends. Again changes nothing.',
    params: oneNote,
    body: z.object({ reason: reason.trim().min(1) }),
    status: 204,
  },
  setFollowUpDone: {
    method: 'PUT',
    path: '/studies/{studyId}/notes/{noteId}/follow_up',
    access: 'user',
    operation: 'note.follow-up',
    tag: 'Notes',
    summary: 'Complete the follow-up of a note, or open it again',
    description:
      'By everybody who may write notes, and by the user it is assigned to. Idempotent. 409 CONFLICT for a note without follow-up.',
    params: oneNote,
    body: z.object({ isDone: z.boolean() }),
    status: 204,
  },
});
