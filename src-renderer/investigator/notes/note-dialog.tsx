/** Adds a note or a call, or edits one: text first, so that typing can begin at once, and Ctrl+Enter saves. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Note } from '../../../src-server/api/contract/index.ts';
import { client } from '../../shared/api/client.ts';
import { type NotePlace, peopleQuery } from '../../shared/api/note-queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Field } from '../../shared/kit/controls.tsx';
import { FormDialog, useCheckedSubmit, useFieldErrors } from '../../shared/kit/form-dialog.tsx';
import { Select, TextAreaField } from '../../shared/kit/forms.tsx';
import { type KindChoice, kindOf, NOTE_CHOICES } from './note-kind.ts';

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
  const [body, setBody] = useState(note?.body ?? '');
  const [choice, setChoice] = useState<KindChoice>(note ? kindOf(note) : 'NOTE');
  const [date, setDate] = useState(note?.followUp?.date ?? '');
  const [assigneeId, setAssigneeId] = useState(note?.followUp?.assignee?.id ?? '');
  const save = useMutation({
    mutationFn: async () => {
      const kind = choice === 'NOTE' ? ('NOTE' as const) : ('CALL' as const);
      const reached = kind === 'CALL' ? { isReached: choice === 'REACHED' } : {};
      if (note) {
        const text = mayEditText ? { kind, ...reached, body } : {};
        const followUp = { followUpDate: date || null, assigneeId: (date && assigneeId) || null };
        const params = { studyId, noteId: note.id };
        await client.call('editNote', { params, body: { version: note.version, ...text, ...followUp } });
        return;
      }
      const added = {
        ...{ id, kind, ...reached, body },
        ...(date && { followUpDate: date, ...(assigneeId && { assigneeId }) }),
      };
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
  const problems = {
    body: choice === 'NOTE' && body.trim() === '' ? t('notes.textMissing') : undefined,
    date: assigneeId !== '' && date === '' ? t('notes.dateMissing') : undefined,
  };
  const isValid = problems.body === undefined && problems.date === undefined;
  const { wasTried, onSubmit } = useCheckedSubmit(isValid, () => save.mutate());
  const shown: Partial<typeof problems> = wasTried ? problems : {};
  const bodyError = shown.body ?? refused('body');
  const dateError = shown.date ?? refused('followUpDate');
  const assigneeError = refused('assigneeId');
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
      {mayEditText && (
        <>
          <TextAreaField
            label={t('notes.text')}
            value={body}
            onChange={setBody}
            rows={5}
            {...(bodyError !== undefined && { error: bodyError })}
          />
          <Select
            label={t('notes.kind')}
            value={choice}
            options={NOTE_CHOICES.map((one) => ({ id: one, label: t(`notes.kinds.${one}`) }))}
            onChange={setChoice}
          />
        </>
      )}
      <Field
        label={t('notes.followUpDate')}
        type="date"
        value={date}
        onChange={setDate}
        {...(dateError !== undefined && { error: dateError })}
      />
      <Select
        label={t('notes.assignee')}
        value={assigneeId}
        options={[
          { id: '', label: t('notes.anyone') },
          ...(people.data?.items ?? []).map(({ id: userId, displayName }) => ({ id: userId, label: displayName })),
        ]}
        onChange={setAssigneeId}
        {...(assigneeError !== undefined && { error: assigneeError })}
      />
    </FormDialog>
  );
}
