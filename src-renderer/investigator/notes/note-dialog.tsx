/** Adds a note or a call, or edits one: text first, so that typing can begin at once, and Ctrl+Enter saves. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Note } from '../../../src-server/api/contract/index.ts';
import { client } from '../../shared/api/client.ts';
import { type NotePlace, peopleQuery } from '../../shared/api/note-queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { FormDialog, useCheckedSubmit, useFieldErrors } from '../../shared/kit/form-dialog.tsx';
import { kindOf, missingOf, type NoteEntry, newNoteOf, writtenOf } from './note-entry.ts';
import { NoteFields } from './note-fields.tsx';

export function NoteDialog({
  place,
  name,
  note,
  mayEditText = true,
  onClose,
}: {
  place: NotePlace;
  /** Of the subject. */
  name?: string;
  /** The note that is edited. */
  note?: Note;
  mayEditText?: boolean;
  onClose: () => void;
}) {
  const { t } = useWords();
  const { studyId, subjectId } = place;
  const queries = useQueryClient();
  const people = useQuery(peopleQuery(studyId));
  const [id] = useState(() => crypto.randomUUID());
  const [entry, setEntry] = useState<NoteEntry>({
    body: note?.body ?? '',
    choice: note ? kindOf(note) : 'NOTE',
    date: note?.followUp?.date ?? '',
    assigneeId: note?.followUp?.assignee?.id ?? '',
  });
  const save = useMutation({
    mutationFn: async () => {
      if (note) {
        const text = mayEditText ? writtenOf(entry) : {};
        const { date, assigneeId } = entry;
        const followUp = { followUpDate: date || null, assigneeId: (date && assigneeId) || null };
        const params = { studyId, noteId: note.id };
        await client.call('editNote', { params, body: { version: note.version, ...text, ...followUp } });
        return;
      }
      const added = { id, ...newNoteOf(entry) };
      await (subjectId === undefined
        ? client.call('addNote', { params: { studyId }, body: added })
        : client.call('addSubjectNote', { params: { studyId, subjectId }, body: added }));
    },
    // Also after a refusal: the note may be saved already.
    onError: () => queries.invalidateQueries({ queryKey: ['note', studyId] }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['note', studyId] });
      onClose();
    },
  });
  const refused = useFieldErrors(save.error);
  const missing = missingOf(entry);
  const { wasTried, onSubmit } = useCheckedSubmit(!missing.body && !missing.date, () => save.mutate());
  const errors = {
    body: wasTried && missing.body ? t('notes.textMissing') : refused('body'),
    date: wasTried && missing.date ? t('notes.dateMissing') : refused('followUpDate'),
    assigneeId: refused('assigneeId'),
  };
  const addTitle = name === undefined ? t('notes.addTitleStudy') : t('notes.addTitle', { name });
  const intro = !note ? 'notes.intro' : mayEditText ? 'notes.editIntro' : 'notes.editFollowUpIntro';
  return (
    <FormDialog
      title={note ? t('notes.editTitle') : addTitle}
      intro={t(intro)}
      submitLabel={t('notes.save')}
      mutation={save}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <NoteFields
        entry={entry}
        onChange={setEntry}
        people={people.data?.items ?? []}
        errors={errors}
        mayEditText={mayEditText}
      />
    </FormDialog>
  );
}
