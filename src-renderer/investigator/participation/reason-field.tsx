/** Why a step of a subject's participation was taken. */
import { LONGEST_REASON } from '../../../src-server/vocabulary/participation.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Field } from '../../shared/kit/controls.tsx';

export function ReasonField({
  value,
  isNeeded,
  error,
  onChange,
}: {
  value: string;
  isNeeded: boolean;
  error: string | undefined;
  onChange: (value: string) => void;
}) {
  const { t } = useWords();
  return (
    <Field
      label={t(isNeeded ? 'participation.reason' : 'participation.reasonOptional')}
      value={value}
      onChange={onChange}
      maxLength={LONGEST_REASON}
      error={error}
    />
  );
}
