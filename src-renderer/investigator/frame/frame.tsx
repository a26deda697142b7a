/** The frame around every screen: sections, where you are, go-to, account, and the state of the site. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { followLive } from '../../shared/api/live.ts';
import { conversationsQuery } from '../../shared/api/message-queries.ts';
import { statusQuery } from '../../shared/api/queries.ts';
import { hasEnded, session, signOut, useSession } from '../../shared/api/session.ts';
import { loadWords, useWords } from '../../shared/i18n/i18n.ts';
import { Button, Kbd } from '../../shared/kit/controls.tsx';
import { Icon, type IconName, Mark } from '../../shared/kit/icon.tsx';
import { ReadError } from '../../shared/kit/state.tsx';
import { setPreference } from '../../shared/preferences.ts';
import { useStore } from '../../shared/store.ts';
import { handleKey, useCommands } from '../commands/commands.ts';
import { keyNames } from '../commands/keys.ts';
import { AccountButton } from './account-button.tsx';
import { Breadcrumbs } from './breadcrumbs.tsx';
import styles from './frame.module.css';
import { useKeptFocus } from './kept-focus.ts';
import { usePrintWidth } from './print-width.ts';
import { useScrollTop } from './scroll-top.ts';
import { useSliderDrag } from './slider-drag.ts';
import { StatusStrip } from './status-strip.tsx';
import { UnhandledQueryError } from './unhandled-query-error.tsx';

/** It finds the pages inside the sections too, by the words of those. */
const Palette = lazy(
  async () =>
    (await Promise.all([import('./palette.tsx'), loadWords('site', 'exports', 'equipment', 'studies', 'subject')]))[0],
);
const SessionEnded = lazy(async () => ({ default: (await import('../sign-in/session-ended.tsx')).SessionEnded }));
const KeyHelp = lazy(() => import('./key-help.tsx'));

const SECTIONS = [
  { to: '/', icon: 'today', label: 'nav.today', command: 'commands.goToday' },
  { to: '/studies', icon: 'studies', label: 'nav.studies', command: 'commands.goStudies' },
  { to: '/subjects', icon: 'subjects', label: 'nav.subjects', command: 'commands.goSubjects' },
  { to: '/equipment', icon: 'equipment', label: 'nav.equipment', command: 'commands.goEquipment' },
  { to: '/messages', icon: 'messages', label: 'nav.messages', command: 'commands.goMessages' },
  { to: '/events', icon: 'events', label: 'nav.events', command: 'commands.goEvents' },
  { to: '/exports', icon: 'exports', label: 'nav.exports', command: 'commands.goExports' },
  { to: '/site', icon: 'site', label: 'nav.site', command: 'commands.goSite' },
] as const satisfies { to: string; icon: IconName; label: string; command: string }[];

/** How many messages of subjects nobody has read, beside the name of their section. */
function Unread() {
  const { t, format } = useWords();
  const { user } = useSession();
  const { data: count = 0 } = useQuery({
    ...conversationsQuery(user.accountId),
    select: ({ items }) => items.reduce((sum, { unreadCount }) => sum + unreadCount, 0),
  });
  if (count === 0) return null;
  return (
    <span className={styles.badge}>
      <span aria-hidden="true">{count > 99 ? '99+' : format.number(count)}</span>
      <span className="visually-hidden">{t('nav.unread', { count })}</span>
    </span>
  );
}

/** Shows nothing between the end of a session and the sign-in screen: every screen inside needs one. */
export function Frame() {
  return useStore(session) ? <SignedIn /> : null;
}

function SignedIn() {
  const { t } = useWords();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const content = useRef<HTMLElement>(null);
  const [open, setOpen] = useState<'palette' | 'help' | null>(null);
  const status = useQuery(statusQuery());
  const isCovered = useStore(hasEnded);
  const path = useRouterState({ select: (state) => state.location.pathname });

  useEffect(() => {
    const following = new AbortController();
    void followLive(queries, following.signal);
    return () => following.abort();
  }, [queries]);

  useKeptFocus(content);
  useScrollTop(content);
  useSliderDrag();
  usePrintWidth(content);

  useEffect(() => {
    document.addEventListener('keydown', handleKey);
    return () => document.removeEventListener('keydown', handleKey);
  }, []);

  useCommands([
    {
      id: 'palette',
      label: t('commands.palette'),
      keys: ['Mod+K'],
      scope: 'everywhere',
      run: () => setOpen('palette'),
    },
    {
      id: 'search',
      label: t('commands.search'),
      keys: ['/'],
      scope: 'everywhere',
      run: () => {
        const field = content.current?.querySelector<HTMLInputElement>('input[type="search"]');
        if (field) field.focus();
        else setOpen('palette');
      },
    },
    { id: 'help', label: t('commands.help'), keys: ['?'], scope: 'everywhere', run: () => setOpen('help') },
    ...SECTIONS.map((section, index) => ({
      id: `go${section.to}`,
      label: t(section.command),
      keys: [`Alt+${index + 1}`],
      scope: 'everywhere' as const,
      run: () => void navigate({ to: section.to }),
    })),
    {
      id: 'theme.light',
      label: t('commands.themeLight'),
      scope: 'everywhere',
      run: () => setPreference('theme', 'light'),
    },
    {
      id: 'theme.dark',
      label: t('commands.themeDark'),
      scope: 'everywhere',
      run: () => setPreference('theme', 'dark'),
    },
    { id: 'signOut', label: t('commands.signOut'), scope: 'everywhere', run: signOut },
  ]);

  return (
    <div className={styles.frame}>
      <a href="#content" className={styles.skip}>
        {t('app.skipToContent')}
      </a>
      <nav className={styles.rail} aria-label={t('app.mainNavigation')}>
        <span className={styles.mark}>
          <Mark />
        </span>
        {SECTIONS.map((section) => (
          <Link key={section.to} to={section.to} activeOptions={{ exact: section.to === '/' }}>
            <Icon name={section.icon} size={22} />
            {t(section.label)}
            {section.to === '/messages' && <Unread />}
          </Link>
        ))}
      </nav>
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
          <Outlet />
        </main>
      </div>
      <StatusStrip />
      <Suspense>
        {open === 'palette' && <Palette onClose={() => setOpen(null)} />}
        {isCovered && <SessionEnded />}
        {open === 'help' && <KeyHelp onClose={() => setOpen(null)} />}
      </Suspense>
    </div>
  );
}
