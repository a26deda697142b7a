/** After which answers of an earlier question a question is asked. */
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Checkbox, FieldGroup, Select } from '../../../shared/kit/forms.tsx';
import { decidingValues, type Question } from './draft.ts';

const ALWAYS = 'always';

export function QuestionCondition({
  question,
  earlier,
  error,
  isReadOnly,
  onChange,
}: {
  question: Question;
  /** Earlier questions of the task whose answers can decide, with their numbers. */
  earlier: readonly { question: Question; number: number }[];
  error: string | undefined;
  isReadOnly: boolean;
  onChange: (showIf: Question['showIf']) => void;
}) {
  const { t } = useWords();
  const { showIf } = question;
  const deciding = earlier.find((one) => one.question.id === showIf?.questionId);
  if (earlier.length === 0 && !showIf) return null;
  const choose = (questionId: string) => onChange(questionId === ALWAYS ? undefined : { questionId, values: [] });
  return (
    <>
      <Select
        label={t('builder.showIf')}
        value={showIf ? (deciding?.question.id ?? '') : ALWAYS}
        isDisabled={isReadOnly}
        error={error}
        options={[
          { id: ALWAYS, label: t('builder.showAlways') },
          ...earlier.map((one) => ({
            id: one.question.id ?? '',
            label: t('builder.showAfter', { number: one.number, text: one.question.text }),
          })),
          // Moved, removed or of another type now: the problem says so.
          ...(showIf && !deciding ? [{ id: '', label: t('builder.showMissing') }] : []),
        ]}
        onChange={choose}
      />
      {showIf && deciding && (
        <FieldGroup label={t('builder.showValues', { number: deciding.number })}>
          {decidingValues(deciding.question).map((value) => (
            <Checkbox
              key={value}
              label={deciding.question.type === 'BOOLEAN' ? t(value === 'YES' ? 'builder.yes' : 'builder.no') : value}
              isDisabled={isReadOnly}
              isSelected={showIf.values.includes(value)}
              onChange={(isSelected) =>
                // In the order of the question, and without answers that it no longer has.
                onChange({
                  ...showIf,
                  values: decidingValues(deciding.question).filter((one) =>
                    one === value ? isSelected : showIf.values.includes(one),
                  ),
                })
              }
            />
          ))}
        </FieldGroup>
      )}
    </>
  );
}
