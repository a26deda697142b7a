/** Locks the desk when nobody uses it, and covers every page, also those for paper, until its user has signed in again. */
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useLayoutEffect } from 'react';
import { MINUTE_MS, SECOND_MS } from '../../../src-server/durations.ts';
import { followInput, followProgram } from '../../shared/api/idle-lock.ts';
import { noteUse } from '../../shared/api/last-use.ts';
import { siteQuery } from '../../shared/api/queries.ts';
import { cover, lockSession, session } from '../../shared/api/session.ts';
import { desktopProgram } from '../../shared/desktop.ts';
import { loadWords, useWords } from '../../shared/i18n/i18n.ts';
import { useStore } from '../../shared/store.ts';

/** Asks again until the site answers: a page that could not show its cover would lose what was typed. */
const SessionEnded = lazy(async () => {
  for (;;) {
    try {
      return (await Promise.all([import('./session-ended.tsx'), loadWords('site')]))[0];
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 2 * SECOND_MS));
    }
  }
});

function IdleWatch() {
  const minutes = useQuery(siteQuery()).data?.lockAfterMinutes;
  useEffect(() => {
    if (minutes === undefined) return;
    const limitMs = minutes === null ? null : minutes * MINUTE_MS;
    const program = desktopProgram();
    if (program) return followProgram(program, limitMs, lockSession);
    if (limitMs !== null) return followInput(limitMs, lockSession);
    noteUse(null);
  }, [minutes]);
  return null;
}

export function Lock() {
  const isSignedIn = useStore(session) !== null;
  const { t } = useWords();
  const reason = useStore(cover);
  // The style sheet hides everything but the cover, also in print and before the cover has arrived.
  useLayoutEffect(() => {
    document.documentElement.toggleAttribute('data-covered', reason !== null);
    if (reason === null) return;
    // The title may name a subject.
    const { title } = document;
    document.title = t('app.name');
    return () => {
      document.title = title;
    };
  }, [reason, t]);
  if (!isSignedIn) return null;
  if (reason === null) return <IdleWatch />;
  return (
    <Suspense>
      <SessionEnded isLocked={reason === 'locked'} />
    </Suspense>
  );
}
