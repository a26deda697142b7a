/** The foot of a settings form: the submit button, further buttons, and a status once the form is saved. */
import type { ReactNode } from 'react';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button } from '../../shared/kit/controls.tsx';
import styles from './site.module.css';

export function FormFoot({
  submitLabel,
  save,
  isPrimary = false,
  isDisabled = false,
  savedText,
  children,
}: {
  /** Save, where none is given. */
  submitLabel?: string;
  save: { isPending: boolean; isSuccess: boolean };
  isPrimary?: boolean;
  /** Disables the button in addition to while the form is being saved. */
  isDisabled?: boolean;
  /** "Saved", where none is given; empty shows nothing. */
  savedText?: string;
  children?: ReactNode;
}) {
  const { t } = useWords();
  return (
    <div className={styles.actions}>
      <Button type="submit" kind={isPrimary ? 'primary' : undefined} isDisabled={save.isPending || isDisabled}>
        {submitLabel ?? t('form.save')}
      </Button>
      {children}
      <span role="status">{save.isSuccess ? (savedText ?? t('form.saved')) : ''}</span>
    </div>
  );
}
