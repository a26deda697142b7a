import { useState } from 'react';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Field } from '../../../shared/kit/controls.tsx';
import { parseDuration } from '../../../shared/time/duration-text.ts';
import { numberIn } from './sensors/sensor-settings.ts';

function durationIn(text: string, { min, max }: { min: number; max: number }): number | undefined {
  const seconds = parseDuration(text);
  return seconds !== undefined && seconds >= min && seconds <= max ? seconds : undefined;
}

/**
 * A whole number that is stored as soon as it is valid. An invalid text stays in the field with an error, also after the
 * field loses the focus; Escape restores the stored number.
 */
export function NumberField({
  label,
  value,
  limits,
  isDisabled,
  isReadOnly,
  help,
  error,
  isDuration = false,
  onChange,
}: {
  label: string;
  value: number | undefined;
  limits: { min: number; max: number };
  isDisabled?: boolean;
  isReadOnly?: boolean;
  help?: string;
  error?: string;
  /** Whether the number is a duration in seconds, which may be typed with units. */
  isDuration?: boolean;
  onChange: (value: number) => void;
}) {
  const { t, format } = useWords();
  const [typed, setTyped] = useState<string | null>(null);
  const read = (text: string) => (isDuration ? durationIn(text, limits) : numberIn(text, limits));
  const isWrong = typed !== null && read(typed) === undefined;
  const [min, max] = [limits.min, limits.max].map((limit) =>
    isDuration ? format.duration(limit) : format.number(limit),
  );
  return (
    <Field
      label={label}
      inputMode={isDuration ? 'text' : 'numeric'}
      value={typed ?? String(value ?? '')}
      isDisabled={isDisabled}
      isReadOnly={isReadOnly}
      help={help}
      error={isWrong ? t(isDuration ? 'builder.durationInvalid' : 'builder.numberInvalid', { min, max }) : error}
      onChange={(text) => {
        setTyped(text);
        const next = read(text);
        if (next !== undefined) onChange(next);
      }}
      onBlur={() => !isWrong && setTyped(null)}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && isWrong) setTyped(null);
        else event.continuePropagation();
      }}
    />
  );
}
