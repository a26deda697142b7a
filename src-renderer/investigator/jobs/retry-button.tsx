/** A small button that retries something; it is disabled while the attempt is pending. */
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button } from '../../shared/kit/controls.tsx';
import { errorSentence } from '../../shared/kit/state.tsx';

interface Retry {
  error: Error | null;
  isPending: boolean;
  mutate: () => void;
}

export function RetryButton({
  label,
  name,
  retry,
}: {
  label: string;
  /** The label for screen readers, which says what is retried. */
  name: string;
  retry: Retry;
}) {
  return (
    <Button small icon="retry" aria-label={name} isDisabled={retry.isPending} onPress={() => retry.mutate()}>
      {label}
    </Button>
  );
}

/** A retry button with the error of the last attempt beside it. */
export function RetryWithError({
  errorClass,
  ...props
}: Parameters<typeof RetryButton>[0] & { errorClass: string | undefined }) {
  const { t, language } = useWords();
  const { error } = props.retry;
  return (
    <>
      <RetryButton {...props} />
      {error && <small className={errorClass}>{errorSentence(error, t, language)}</small>}
    </>
  );
}
