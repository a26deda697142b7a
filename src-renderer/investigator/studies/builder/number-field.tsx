import { useState } from 'react';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Field } from '../../../shared/kit/controls.tsx';
import { numberIn } from './sensors/sensor-settings.ts';

/** A number that is taken over as soon as it is one that can be; until then it stays as it is typed, and that is said. */
export function NumberField({
  label,
  value,
  limits,
  isDisabled,
  isReadOnly,
  help,
  error,
  onChange,
}: {
  label: string;
  value: number | undefined;
  limits: { min: number; max: number };
  isDisabled?: boolean;
  isReadOnly?: boolean;
  help?: string;
  error?: string;
  onChange: (value: number) => void;
}) {
  const { t, format } = useWords();
  const [typed, setTyped] = useState<string | null>(null);
  const isWrong = typed !== null && numberIn(typed, limits) === undefined;
  return (
    <Field
      label={label}
      inputMode="numeric"
      value={typed ?? String(value ?? '')}
      isDisabled={isDisabled}
      isReadOnly={isReadOnly}
      help={help}
      error={
        isWrong ? t('builder.notTaken', { min: format.number(limits.min), max: format.number(limits.max) }) : error
      }
      onChange={(text) => {
        setTyped(text);
        const next = numberIn(text, limits);
        if (next !== undefined) onChange(next);
      }}
      onBlur={() => setTyped(null)}
    />
  );
}
