/** Dialogs that ask: a form whose typed text is never lost by a slip, and a confirmation that says what will happen. */
import { type FormEvent, type KeyboardEvent, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { Heading } from 'react-aria-components';
import { ApiError } from '../api/queries.ts';
import { useTyped } from '../api/session.ts';
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
    return language === 'en' ? withoutPath(found.message) : t('form.invalid');
  };
}

/** The site names the field as programs do; on a form the field stands right above. */
const withoutPath = (message: string) => message.replace(/^`[^`]*` (.)/, (_, first: string) => first.toUpperCase());

/** What went wrong, as one notice above the buttons. */
export function FormProblem({ error }: { error: Error | null }) {
  const { t, language } = useWords();
  if (!error) return null;
  const isOfFields = error instanceof ApiError && error.message.startsWith('`');
  return <Notice tone="bad">{isOfFields ? t('errors.INVALID_INPUT') : errorSentence(error, t, language)}</Notice>;
}

/** Ctrl+Enter saves from anywhere in the form, also from a text of several lines. */
export function submitOnCtrlEnter(event: KeyboardEvent<HTMLFormElement>): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  event.currentTarget.requestSubmit();
}

/** A second press so soon after the first is one of a double click. */
const DOUBLE_PRESS_MS = 500;

/**
 * Lets one submit through: a double click is one intention, and that its request is under way shows a moment later. Typing
 * in between makes it a new one.
 */
export function useOneSubmit(isPending: boolean): { once: (run: () => void) => void; onInput: () => void } {
  const lastMs = useRef(Number.NEGATIVE_INFINITY);
  return {
    once: (run) => {
      const nowMs = performance.now();
      const isSecond = nowMs - lastMs.current < DOUBLE_PRESS_MS;
      lastMs.current = nowMs;
      if (!isPending && !isSecond) run();
    },
    onInput: () => {
      lastMs.current = Number.NEGATIVE_INFINITY;
    },
  };
}

/**
 * Shows what is wrong with a form from its first submit on, and submits only a valid form.
 * @param isValid whether the form can be sent as it is
 */
export function useCheckedSubmit(isValid: boolean, submit: () => void): { wasTried: boolean; onSubmit: () => void } {
  const [wasTried, setTried] = useState(false);
  return {
    wasTried,
    onSubmit: () => {
      setTried(true);
      if (isValid) submit();
    },
  };
}

/** After a refusal one is where something is wrong, even where the field had been scrolled away. */
export function useFocusOnProblem(form: RefObject<HTMLFormElement | null>, attempt: number, error: Error | null): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt and each answer looks anew
  useEffect(() => {
    if (attempt > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [attempt, error]);
}

const NO_MUTATION = { isPending: false, error: null };

export function FormDialog({
  title,
  intro,
  submitLabel,
  mutation = NO_MUTATION,
  isDisabled,
  onSubmit,
  onClose,
  children,
}: {
  title: string;
  intro?: ReactNode;
  submitLabel: string;
  /** The request behind the form: the form is busy while it is pending, and shows its error. Left out where there is none. */
  mutation?: { isPending: boolean; error: Error | null };
  isDisabled?: boolean;
  onSubmit: () => void;
  onClose: () => void;
  children?: ReactNode;
}) {
  const { t } = useWords();
  const { isPending, error } = mutation;
  const form = useRef<HTMLFormElement>(null);
  const [attempt, setAttempt] = useState(0);
  const { once, onInput } = useOneSubmit(isPending);
  useFocusOnProblem(form, attempt, error);
  useTyped(true);
  useEffect(() => {
    // The first field, so that one can type at once; where there is none, the way out.
    form.current?.querySelector<HTMLElement>('select, input:not([hidden]), textarea, button')?.focus();
  }, []);
  function submit(event: FormEvent) {
    event.preventDefault();
    if (isDisabled) return;
    once(() => {
      setAttempt((before) => before + 1);
      onSubmit();
    });
  }
  return (
    <Dialog label={title} isOpen isDismissable={false} onOpenChange={(open) => !open && onClose()}>
      <form ref={form} noValidate onSubmit={submit} onInput={onInput} onKeyDown={submitOnCtrlEnter}>
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
