import { useEffect } from 'react';
import { hasUnsent } from './unsent-hint.ts';

/** Sends, from whichever screen the desk starts with, what an earlier window has recorded. */
export function useUnsentRecordings(): void {
  useEffect(() => {
    if (!hasUnsent()) return;
    // A store that cannot be opened shows on the page that records.
    import('./recordings.ts').then(({ deskRecordings }) => deskRecordings()).catch(() => undefined);
  }, []);
}
