/** The password of the signed-in person, asked again for what needs them in person. */
import { useWords } from '../../shared/i18n/i18n.ts';
import { Field } from '../../shared/kit/controls.tsx';

export function PasswordAgain({
  value,
  onChange,
  isMissing,
  isWrong,
}: {
  value: string;
  onChange: (password: string) => void;
  /** The form was sent without it. */
  isMissing: boolean;
  isWrong: boolean;
}) {
  const { t } = useWords();
  return (
    <Field
      label={t('signatures.password')}
      type="password"
      autoComplete="current-password"
      isRequired
      value={value}
      onChange={onChange}
      error={isMissing ? t('signatures.passwordMissing') : isWrong ? t('signatures.passwordWrong') : undefined}
    />
  );
}
