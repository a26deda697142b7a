/** The fields of a note or a call, of one subject or of several. */
import { useWords } from '../../shared/i18n/i18n.ts';
import { Field } from '../../shared/kit/controls.tsx';
import { Select, TextAreaField } from '../../shared/kit/forms.tsx';
import { NOTE_CHOICES, type NoteEntry } from './note-entry.ts';

export function NoteFields({
  entry,
  onChange,
  people,
  errors,
  mayEditText = true,
}: {
  entry: NoteEntry;
  onChange: (entry: NoteEntry) => void;
  /** Who can follow up; undefined where nobody can be chosen. */
  people: readonly { id: string; displayName: string }[] | undefined;
  errors: { body?: string | undefined; date?: string | undefined; assigneeId?: string | undefined };
  mayEditText?: boolean;
}) {
  const { t } = useWords();
  const set = (change: Partial<NoteEntry>) => onChange({ ...entry, ...change });
  return (
    <>
      {mayEditText && (
        <>
          <TextAreaField
            label={t('notes.text')}
            value={entry.body}
            onChange={(body) => set({ body })}
            rows={5}
            {...(errors.body !== undefined && { error: errors.body })}
          />
          <Select
            label={t('notes.kind')}
            value={entry.choice}
            options={NOTE_CHOICES.map((one) => ({ id: one, label: t(`notes.kinds.${one}`) }))}
            onChange={(choice) => set({ choice })}
          />
        </>
      )}
      <Field
        label={t('notes.followUpDate')}
        type="date"
        value={entry.date}
        onChange={(date) => set({ date })}
        {...(errors.date !== undefined && { error: errors.date })}
      />
      {people && (
        <Select
          label={t('notes.assignee')}
          value={entry.assigneeId}
          options={[
            { id: '', label: t('notes.anyone') },
            ...people.map(({ id, displayName }) => ({ id, label: displayName })),
          ]}
          onChange={(assigneeId) => set({ assigneeId })}
          {...(errors.assigneeId !== undefined && { error: errors.assigneeId })}
        />
      )}
    </>
  );
}
