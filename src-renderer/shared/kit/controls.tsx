/** Controls of the desk: behaviour from React Aria, appearance from our tokens. Screens use these and no bare elements. */
import { type ReactNode, type Ref, useState } from 'react';
import {
  Button as AriaButton,
  type ButtonProps as AriaButtonProps,
  SearchField as AriaSearchField,
  FieldError,
  Input,
  Label,
  Text,
  TextField,
  type TextFieldProps,
  ToggleButton,
  ToggleButtonGroup,
  Tooltip,
  TooltipTrigger,
} from 'react-aria-components';
import { saveText } from '../api/download.ts';
import styles from './controls.module.css';
import { Icon, type IconName } from './icon.tsx';

const join = (...names: (string | false | undefined)[]) => names.filter(Boolean).join(' ');

export interface ButtonProps extends Omit<AriaButtonProps, 'className' | 'children'> {
  kind?: 'plain' | 'primary' | 'quiet';
  small?: boolean;
  icon?: IconName;
  children?: ReactNode;
  className?: string;
  ref?: Ref<HTMLButtonElement>;
}

export function Button({ kind = 'plain', small, icon, children, className, ...props }: ButtonProps) {
  return (
    <AriaButton
      {...props}
      className={join(
        styles.button,
        kind !== 'plain' && styles[kind],
        small && styles.small,
        !children && styles.icon,
        className,
      )}
    >
      {icon && <Icon name={icon} size={small ? 15 : 18} />}
      {children}
    </AriaButton>
  );
}

/** A button with only an icon; its name shows as a tooltip on hover and focus. */
export function IconButton({
  label,
  icon,
  ...props
}: { label: string; icon: IconName } & Omit<ButtonProps, 'children'>) {
  return (
    <TooltipTrigger delay={500}>
      <Button {...props} icon={icon} aria-label={label} />
      <Tooltip className={styles.tip} offset={6}>
        {label}
      </Tooltip>
    </TooltipTrigger>
  );
}

/** Saves what the page shows as CSV. `text` is built when the button is pressed. */
export function CsvButton({ label, fileName, text }: { label: string; fileName: string; text: () => string }) {
  return (
    <Button icon="download" aria-label={label} onPress={() => saveText(text(), fileName, 'text/csv')}>
      CSV
    </Button>
  );
}

/** Copies a text to the clipboard and announces it. `text` is built when the button is pressed. */
export function CopyTextButton({ label, copiedText, text }: { label: string; copiedText: string; text: () => string }) {
  const [isCopied, setCopied] = useState(false);
  return (
    <>
      <Button
        small
        icon={isCopied ? 'check' : 'copy'}
        onPress={() => {
          navigator.clipboard?.writeText(text()).then(
            () => setCopied(true),
            () => setCopied(false),
          );
        }}
      >
        {label}
      </Button>
      <span role="status" className="visually-hidden">
        {isCopied ? copiedText : ''}
      </span>
    </>
  );
}

export const buttonClass = (kind: 'plain' | 'primary' | 'quiet' = 'plain') =>
  join(styles.button, kind !== 'plain' && styles[kind]);

export function Field({
  label,
  error,
  help,
  ...props
}: { label: string; error?: string; help?: string } & TextFieldProps) {
  return (
    <TextField {...props} isInvalid={error !== undefined || props.isInvalid} className={styles.field}>
      <Label className={styles.label}>{label}</Label>
      <Input className={styles.input} />
      {help !== undefined && (
        <Text slot="description" className={styles.help}>
          {help}
        </Text>
      )}
      {error !== undefined && <FieldError className={styles.fieldError}>{error}</FieldError>}
    </TextField>
  );
}

/** A password field that allows pasting and password managers, and can show its text. */
export function PasswordField({
  label,
  showLabel,
  hideLabel,
  error,
  help,
  ...props
}: { label: string; showLabel: string; hideLabel: string; error?: string; help?: string } & TextFieldProps) {
  const [shown, setShown] = useState(false);
  return (
    <TextField
      {...props}
      type={shown ? 'text' : 'password'}
      isInvalid={error !== undefined || props.isInvalid}
      className={styles.field}
    >
      <Label className={styles.label}>{label}</Label>
      <div className={styles.inputRow}>
        <Input className={styles.input} spellCheck={false} />
        <IconButton
          kind="quiet"
          icon="eye"
          label={shown ? hideLabel : showLabel}
          aria-pressed={shown}
          onPress={() => setShown(!shown)}
        />
      </div>
      {help !== undefined && error === undefined && (
        <Text slot="description" className={styles.help}>
          {help}
        </Text>
      )}
      {error !== undefined && <FieldError className={styles.fieldError}>{error}</FieldError>}
    </TextField>
  );
}

export function Search({
  label,
  value,
  onChange,
  inputRef,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  inputRef?: Ref<HTMLInputElement>;
}) {
  return (
    <AriaSearchField aria-label={label} value={value} onChange={onChange} className={styles.search}>
      <Icon name="search" size={16} />
      <Input ref={inputRef} placeholder={label} />
      <AriaButton className={styles.clear}>
        <Icon name="close" size={14} />
      </AriaButton>
    </AriaSearchField>
  );
}

/** A choice of a few options, all of them visible. */
export function Segments<T extends string>({
  label,
  value,
  options,
  unit,
  onChange,
}: {
  label: string;
  value: T;
  options: readonly { id: T; label: string }[];
  /** Unit of numeric options; the accessible label must contain it too. */
  unit?: string;
  onChange: (value: T) => void;
}) {
  return (
    <ToggleButtonGroup
      aria-label={label}
      className={styles.segments}
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[value]}
      onSelectionChange={(keys) => {
        const [key] = keys;
        if (key !== undefined) onChange(key as T);
      }}
    >
      {options.map((option) => (
        <ToggleButton key={option.id} id={option.id} className={styles.segment}>
          {option.label}
        </ToggleButton>
      ))}
      {unit && (
        <span className={styles.segmentsUnit} aria-hidden="true">
          {unit}
        </span>
      )}
    </ToggleButtonGroup>
  );
}

export type Tone = 'neutral' | 'good' | 'warn' | 'bad' | 'info';

/** A state in words, with a colour and a shape for its tone. */
export function Pill({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return <span className={join(styles.pill, styles[tone])}>{children}</span>;
}

export function Kbd({ children }: { children: ReactNode }) {
  return <kbd className={styles.kbd}>{children}</kbd>;
}
