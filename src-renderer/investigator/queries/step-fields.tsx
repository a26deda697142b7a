/** What a person enters for a step of a data query, or of several. */
import { useWords } from '../../shared/i18n/i18n.ts';
import { Select, TextAreaField } from '../../shared/kit/forms.tsx';
import { isTextOptional, type Step } from './steps.ts';

export function StepFields({
  step,
  people,
  assigneeId,
  onAssignee,
  text,
  onText,
  error,
}: {
  step: Step;
  /** To whom it can be assigned. */
  people: readonly { id: string; displayName: string }[];
  /** '' for anyone. */
  assigneeId: string;
  onAssignee: (id: string) => void;
  text: string;
  onText: (text: string) => void;
  /** What is wrong with the text. */
  error: string | undefined;
}) {
  const { t } = useWords();
  return (
    <>
      {step === 'assign' && (
        <Select
          label={t('queries.assignee')}
          value={assigneeId}
          options={[
            { id: '', label: t('queries.anyone') },
            ...people.map(({ id, displayName }) => ({ id, label: displayName })),
          ]}
          onChange={onAssignee}
        />
      )}
      <TextAreaField
        label={t(isTextOptional(step) ? 'queries.replyOptional' : 'queries.reply')}
        value={text}
        onChange={onText}
        rows={4}
        {...(error !== undefined && { error })}
      />
    </>
  );
}
