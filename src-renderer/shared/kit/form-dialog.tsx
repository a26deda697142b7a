/** Dialogs that ask: a form whose typed text is never lost by a slip, and a confirmation that says what will happen. */
import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { Heading } from 'react-aria-components';
import { ApiError } from '../api/queries.ts';
import { useWords } from '../i18n/i18n.ts';
import { Button } from './controls.tsx';
import { Dialog } from './dialog.tsx';
import styles from './forms.module.css';
import { errorSentence, Notice } from './state.tsx';

/** Words for the fields that the site refused, by the path that it named. Its own words are English. */
export function useFieldErrors(error: Error | null): (path: string) => string | undefined {
  const { t, language } = useWords();
  return (path) => {
    if (!(error instanceof ApiError)) return undefined;
    const found = error.errors.find((one) => one.path === path || one.path.startsWith(`${path}.`));
    if (!found) return undefined;
    return language === 'en' ? found.message : t('form.refused');
  };
}

/** What went wrong, as one notice above the buttons. */
export function FormProblem({ error }: { error: Error | null }) {
  const { t, language } = useWords();
  if (!error) return null;
  return <Notice tone="bad">{errorSentence(error, t, language)}</Notice>;
}

/** Ctrl+Enter saves from anywhere in the form, also from a text of several lines. */
export function submitOnCtrlEnter(event: KeyboardEvent<HTMLFormElement>): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  event.currentTarget.requestSubmit();
}

export function FormDialog({
  title,
  intro,
  submitLabel,
  isPending,
  isDisabled,
  error,
  onSubmit,
  onClose,
  children,
}: {
  title: string;
  intro?: ReactNode;
  submitLabel: string;
  isPending: boolean;
  isDisabled?: boolean;
  error: Error | null;
  onSubmit: () => void;
  onClose: () => void;
  children?: ReactNode;
}) {
  const { t } = useWords();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    // The first field, so that one can type at once; where there is none, the way out.
    form.current?.querySelector<HTMLElement>('select, input:not([hidden]), textarea, button')?.focus();
  }, []);
  function submit(event: FormEvent) {
    event.preventDefault();
    if (!isPending && !isDisabled) onSubmit();
  }
  return (
    <Dialog label={title} isOpen isDismissable={false} onOpenChange={(open) => !open && onClose()}>
      <form ref={form} noValidate onSubmit={submit} onKeyDown={submitOnCtrlEnter}>
        <div className={styles.dialogHead}>
          <Heading slot="title" level={2}>
            {title}
          </Heading>
          {intro && <p>{intro}</p>}
        </div>
        <div className={styles.body}>
          {children}
          <FormProblem error={error} />
        </div>
        <div className={styles.foot}>
          <Button onPress={onClose}>{t('form.cancel')}</Button>
          <Button type="submit" kind="primary" isDisabled={isPending || isDisabled}>
            {isPending ? t('form.busy') : submitLabel}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Something to read and close, such as a secret shown once. */
export function InfoDialog({ title, children, onClose }: { title: string; children: ReactNode; onClose: () => void }) {
  const { t } = useWords();
  return (
    <Dialog label={title} isOpen isDismissable={false} onOpenChange={(open) => !open && onClose()}>
      <div className={styles.dialogHead}>
        <Heading slot="title" level={2}>
          {title}
        </Heading>
      </div>
      <div className={styles.body}>{children}</div>
      <div className={styles.foot}>
        <Button kind="primary" onPress={onClose} autoFocus>
          {t('form.close')}
        </Button>
      </div>
    </Dialog>
  );
}
