/** The frame around every screen: sections, breadcrumbs, the palette, the account menu and the state of the site. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { followLive } from '../../shared/api/live.ts';
import { statusQuery } from '../../shared/api/queries.ts';
import { cover, session } from '../../shared/api/session.ts';
import { desktopProgram } from '../../shared/desktop.ts';
import { loadWords, useWords } from '../../shared/i18n/i18n.ts';
import { Button, Kbd } from '../../shared/kit/controls.tsx';
import { ReadError } from '../../shared/kit/state.tsx';
import { useStore } from '../../shared/store.ts';
import { handleKey } from '../commands/commands.ts';
import { keyNames } from '../commands/keys.ts';
import { useUnsentRecordings } from '../record/use-unsent.ts';
import { AccountButton } from './account-button.tsx';
import { Breadcrumbs } from './breadcrumbs.tsx';
import styles from './frame.module.css';
import { useKeptFocus } from './kept-focus.ts';
import { OfferedFiles } from './offered-files.tsx';
import { usePrintWidth } from './print-width.ts';
import { Rail } from './rail.tsx';
import { useScrollTop } from './scroll-top.ts';
import { useSliderDrag } from './slider-drag.ts';
import { StatusStrip } from './status-strip.tsx';
import { UnhandledQueryError } from './unhandled-query-error.tsx';
import { useFrameCommands } from './use-frame-commands.ts';

/** Loads with the texts of every section, because it finds pages by their titles. */
const Palette = lazy(
  async () =>
    (await Promise.all([import('./palette.tsx'), loadWords('site', 'exports', 'equipment', 'studies', 'subject')]))[0],
);
/** A browser does not load what belongs to the desktop program. */
const DesktopParts = lazy(async () => (await Promise.all([import('./desktop-parts.tsx'), loadWords('site')]))[0]);
const DesktopMenu = lazy(async () => ({ default: (await import('./desktop-parts.tsx')).DesktopMenu }));
const isInProgram = desktopProgram() !== undefined;
const KeyHelp = lazy(() => import('./key-help.tsx'));

/** Renders nothing between the end of a session and the sign-in screen, because every screen inside needs a session. */
export function Frame() {
  return useStore(session) ? <SignedIn /> : null;
}

function SignedIn() {
  const { t } = useWords();
  const queries = useQueryClient();
  const content = useRef<HTMLElement>(null);
  const [open, setOpen] = useState<'palette' | 'help' | null>(null);
  const status = useQuery(statusQuery());
  const isCovered = useStore(cover) !== null;
  const path = useRouterState({ select: (state) => state.location.pathname });

  useEffect(() => {
    const following = new AbortController();
    void followLive(queries, following.signal);
    return () => following.abort();
  }, [queries]);

  useUnsentRecordings();
  useKeptFocus(content);
  useScrollTop(content);
  useSliderDrag();
  usePrintWidth(content);

  useEffect(() => {
    document.addEventListener('keydown', handleKey);
    return () => document.removeEventListener('keydown', handleKey);
  }, []);

  useFrameCommands(() => content.current, setOpen);

  return (
    <div className={styles.frame}>
      <a href="#content" className={styles.skip}>
        {t('app.skipToContent')}
      </a>
      <Rail />
      <div className={styles.main}>
        <header className={styles.top}>
          <Breadcrumbs />
          <Button icon="search" className={styles.goto} onPress={() => setOpen('palette')}>
            {t('palette.open')}
            <span>
              {keyNames('Mod+K').map((name) => (
                <Kbd key={name}>{name}</Kbd>
              ))}
            </span>
          </Button>
          <AccountButton onKeys={() => setOpen('help')} />
        </header>
        <main id="content" ref={content} className={styles.content} tabIndex={-1} key={path.split('/')[1]}>
          {status.error && status.data ? (
            <div className={styles.banner}>
              <ReadError
                error={status.error}
                asOf={status.dataUpdatedAt}
                onRetry={() => void queries.refetchQueries({ type: 'active' })}
              />
            </div>
          ) : (
            <UnhandledQueryError />
          )}
          {isInProgram && (
            <Suspense>
              <DesktopParts />
            </Suspense>
          )}
          <Outlet />
        </main>
      </div>
      <StatusStrip />
      {isInProgram && (
        <Suspense>
          <DesktopMenu />
        </Suspense>
      )}
      {!isCovered && <OfferedFiles />}
      <Suspense>
        {open === 'palette' && <Palette onClose={() => setOpen(null)} />}
        {open === 'help' && <KeyHelp onClose={() => setOpen(null)} />}
      </Suspense>
    </div>
  );
}
