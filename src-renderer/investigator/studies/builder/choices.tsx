import { useWords } from '../../../shared/i18n/i18n.ts';
import { TextAreaField } from '../../../shared/kit/forms.tsx';

/** The options of a choice, one per line. A running study keeps the options it started with. */
export function Choices({
  values,
  kept,
  error,
  onChange,
}: {
  values: readonly string[];
  kept: readonly string[];
  error?: string;
  onChange: (values: string[]) => void;
}) {
  const { t } = useWords();
  return (
    <TextAreaField
      label={t('builder.choices')}
      help={kept.length > 0 ? t('builder.choicesLocked') : t('builder.choicesHelp')}
      error={error}
      value={values.join('\n')}
      onChange={(text) => {
        const typed = text.split('\n');
        const missing = kept.filter((value) => !typed.includes(value));
        if (missing.length === 0) onChange(typed);
      }}
    />
  );
}
