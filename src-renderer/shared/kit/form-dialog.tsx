/** Form dialogs, which do not lose input to a stray click, and dialogs with information. */
import {
  type FormEvent,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from 'react';
import { Heading } from 'react-aria-components';
import { ApiError } from '../api/queries.ts';
import { isSavedOtherwise } from '../api/saved-otherwise.ts';
import { useUnsavedInput } from '../api/session.ts';
import { useWords } from '../i18n/i18n.ts';
import { Button } from './controls.tsx';
import { Dialog } from './dialog.tsx';
import styles from './form-dialog.module.css';
import { errorSentence, Notice } from './state.tsx';

/** Returns the error of a field that the site rejected, by its path. The site's own sentence shows only in English. */
export function useFieldErrors(error: Error | null): (path: string) => string | undefined {
  const { t, language } = useWords();
  return (path) => {
    if (!(error instanceof ApiError)) return undefined;
    const found = error.errors.find((field) => field.path === path || field.path.startsWith(`${path}.`));
    if (!found) return undefined;
    return language === 'en' ? withoutPath(found.message) : t('form.invalid');
  };
}

/** Removes the field name from a sentence of the site: on a form the sentence is below its field. */
const withoutPath = (message: string) => message.replace(/^`[^`]*` (.)/, (_, first: string) => first.toUpperCase());

/** The error of a request as a notice above the buttons. */
export function FormProblem({ error }: { error: Error | null }) {
  const { t, language } = useWords();
  if (!error) return null;
  // In English the site says what was saved, and where to edit it.
  if (language !== 'en' && isSavedOtherwise(error)) return <Notice tone="bad">{t('form.savedOtherwise')}</Notice>;
  const isFieldError = error instanceof ApiError && error.message.startsWith('`');
  return <Notice tone="bad">{isFieldError ? t('errors.INVALID_INPUT') : errorSentence(error, t, language)}</Notice>;
}

/** Submits on Ctrl+Enter from anywhere in the form, including text areas. */
export function submitOnCtrlEnter(event: KeyboardEvent<HTMLFormElement>): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  event.currentTarget.requestSubmit();
}

/** A second press within this time belongs to a double click. */
const DOUBLE_PRESS_MS = 500;

/**
 * Suppresses the second submit of a double click, which arrives before the request counts as pending. Typing or pressing another
 * control of the form in between makes the next submit a new one.
 */
export function useOneSubmit(isPending: boolean): {
  once: (run: () => void) => void;
  onInput: () => void;
  onClickCapture: (event: MouseEvent) => void;
} {
  const lastMs = useRef(Number.NEGATIVE_INFINITY);
  const forget = () => {
    lastMs.current = Number.NEGATIVE_INFINITY;
  };
  return {
    once: (run) => {
      const nowMs = performance.now();
      const isSecond = nowMs - lastMs.current < DOUBLE_PRESS_MS;
      lastMs.current = nowMs;
      if (!isPending && !isSecond) run();
    },
    onInput: forget,
    // On the way down, because pressable controls end the event on its way up.
    onClickCapture: ({ target }) => {
      if (!(target as Element).closest('[type="submit"]')) forget();
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

/** Moves the focus to the first invalid field after a failed submit, scrolling to it if needed. */
export function useFocusOnProblem(form: RefObject<HTMLFormElement | null>, attempt: number, error: Error | null): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs after each attempt and each response
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
  const { once, ...heard } = useOneSubmit(isPending);
  useFocusOnProblem(form, attempt, error);
  useUnsavedInput(true);
  useEffect(() => {
    // Focuses the first field, or else the first button, which cancels.
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
      <form ref={form} noValidate onSubmit={submit} {...heard} onKeyDown={submitOnCtrlEnter}>
        <div className={styles.head}>
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

/** Information to read and close, such as a secret that is shown once. */
export function InfoDialog({ title, children, onClose }: { title: string; children: ReactNode; onClose: () => void }) {
  const { t } = useWords();
  return (
    <Dialog label={title} isOpen isDismissable={false} onOpenChange={(open) => !open && onClose()}>
      <div className={styles.head}>
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
