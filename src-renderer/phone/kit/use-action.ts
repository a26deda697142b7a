/** Runs an action of the model once at a time, and keeps the sentence of its failure. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { useWords, type Words } from '../words/words.ts';

/** The sentence for a failure; codes that have none share one that says what can be done. */
export function failureText({ t, has }: Words, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const key = `errors.${code}`;
  return code !== '' && has(key) ? t(key) : t('errors.other');
}

export interface RunningAction {
  isBusy: boolean;
  failure: string | undefined;
  /** Resolves to whether it worked; a call while another runs does nothing. */
  run: (action: () => Promise<unknown>) => Promise<boolean>;
}

export function useAction(): RunningAction {
  const words = useWords();
  const latest = useRef(words);
  const running = useRef(false);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    latest.current = words;
  }, [words]);
  const run = useCallback(async (action: () => Promise<unknown>) => {
    if (running.current) return false;
    running.current = true;
    setBusy(true);
    setFailure(undefined);
    try {
      await action();
      return true;
    } catch (error) {
      setFailure(failureText(latest.current, error));
      return false;
    } finally {
      running.current = false;
      setBusy(false);
    }
  }, []);
  return { isBusy, failure, run };
}
