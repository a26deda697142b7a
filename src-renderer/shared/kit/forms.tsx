/** Form controls other than text fields. In a file of its own, because no screen needs them for its first render. */
import { type ReactNode, useId } from 'react';
import { Text, TextArea, TextField, Label as TextLabel } from 'react-aria-components';
import { useWords } from '../i18n/i18n.ts';
import controls from './controls.module.css';
import { CopyTextButton } from './controls.tsx';
import styles from './forms.module.css';

export interface Option<T extends string> {
  id: T;
  label: string;
}

/** A choice of many options, with the native list of the platform. */
export function Select<T extends string>({
  label,
  value,
  options,
  onChange,
  help,
  error,
  isDisabled,
  isCompact,
}: {
  label: string;
  value: T;
  options: readonly Option<T>[];
  onChange: (value: T) => void;
  help?: string;
  error?: string;
  isDisabled?: boolean;
  /** Puts the label beside the list, for tool rows. */
  isCompact?: boolean;
}) {
  const id = useId();
  const described = [help && `${id}-help`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div className={isCompact ? styles.compact : controls.field}>
      <label className={controls.label} htmlFor={id}>
        {label}
      </label>
      <select
        id={id}
        className={styles.select}
        value={value}
        disabled={isDisabled}
        aria-invalid={error !== undefined}
        aria-describedby={described || undefined}
        onChange={(event) => onChange(event.target.value as T)}
      >
        {options.map((option) => (
          <option key={option.id} value={option.id}>
            {option.label}
          </option>
        ))}
      </select>
      {help && (
        <p id={`${id}-help`} className={styles.help}>
          {help}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} className={controls.fieldError}>
          {error}
        </p>
      )}
    </div>
  );
}

export function Checkbox({
  label,
  help,
  isSelected,
  onChange,
  isDisabled,
}: {
  label: ReactNode;
  help?: ReactNode;
  isSelected: boolean;
  onChange: (isSelected: boolean) => void;
  isDisabled?: boolean;
}) {
  const id = useId();
  return (
    <label className={styles.check}>
      <input
        type="checkbox"
        checked={isSelected}
        disabled={isDisabled}
        aria-labelledby={id}
        aria-describedby={help ? `${id}-help` : undefined}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span>
        <span id={id}>{label}</span>
        {help && (
          <small id={`${id}-help`} className={styles.help}>
            {help}
          </small>
        )}
      </span>
    </label>
  );
}

/** A group of checkboxes or radio choices under one question. */
export function FieldGroup({ label, children }: { label: string; children: ReactNode }) {
  return (
    <fieldset className={styles.group}>
      <legend className={controls.label}>{label}</legend>
      {children}
    </fieldset>
  );
}

/** A choice of a few options, each with a line of explanation. */
export function RadioChoice<T extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: T;
  options: readonly (Option<T> & { help: string })[];
  onChange: (value: T) => void;
}) {
  const name = useId();
  return (
    <FieldGroup label={label}>
      {options.map((option) => (
        <label key={option.id} className={styles.choice} data-selected={option.id === value || undefined}>
          <input
            type="radio"
            name={name}
            value={option.id}
            checked={option.id === value}
            aria-labelledby={`${name}-${option.id}`}
            aria-describedby={`${name}-${option.id}-help`}
            onChange={() => onChange(option.id)}
          />
          <span>
            <strong id={`${name}-${option.id}`}>{option.label}</strong>
            <small id={`${name}-${option.id}-help`} className={styles.help}>
              {option.help}
            </small>
          </span>
        </label>
      ))}
    </FieldGroup>
  );
}

export function TextAreaField({
  label,
  help,
  error,
  rows = 3,
  isCode,
  ...props
}: {
  label: string;
  help?: string;
  error?: string;
  rows?: number;
  /** Monospaced, for certificates and the like. */
  isCode?: boolean;
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <TextField {...props} isInvalid={error !== undefined} className={controls.field}>
      <TextLabel className={controls.label}>{label}</TextLabel>
      <TextArea
        className={`${controls.input} ${styles.area} ${isCode ? styles.code : ''}`}
        rows={rows}
        spellCheck={!isCode}
      />
      {help && (
        <Text slot="description" className={styles.help}>
          {help}
        </Text>
      )}
      {error && <p className={controls.fieldError}>{error}</p>}
    </TextField>
  );
}

export function CopyButton({ text, label }: { text: string; label: string }) {
  const { t } = useWords();
  return <CopyTextButton label={label} copiedText={t('form.copied')} text={() => text} />;
}

/** A secret that is shown only once, to be copied or read out. */
export function SecretText({ label, text }: { label: string; text: string }) {
  const { t } = useWords();
  return (
    <div className={styles.secret}>
      <output aria-label={label}>{text}</output>
      <CopyButton text={text} label={t('form.copy')} />
    </div>
  );
}
