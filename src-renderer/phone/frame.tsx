/** What stands around every screen: the state of the connection, and the four places of the program at the lower edge. */
import { type ReactNode, useEffect, useState } from 'react';
import styles from './frame.module.css';
import { Icon, type IconName } from './kit/icon.tsx';
import { hrefOf, useIsLink, useRoute } from './kit/route.ts';
import { useActions, usePhone } from './kit/use-phone.ts';
import { StatusBanner } from './screens/waiting/banner.tsx';
import { useWords, type WordKey } from './words/words.ts';

const TABS: readonly { path: string; icon: IconName; word: WordKey; also: readonly string[] }[] = [
  { path: '/today', icon: 'today', word: 'tabs.today', also: ['', 'week'] },
  { path: '/messages', icon: 'message', word: 'tabs.messages', also: [] },
  { path: '/sensors', icon: 'sensor', word: 'tabs.sensors', also: [] },
  { path: '/more', icon: 'more', word: 'tabs.more', also: ['about'] },
];

/** The other screens have one action, at the lower edge, and a way back. */
const WITH_TABS = ['', 'today', 'week', 'messages', 'sensors', 'more', 'about'];

export function Frame({ children }: { children: ReactNode }) {
  const { phase } = usePhone();
  const { parts } = useRoute();
  const isLink = useIsLink();
  const { t } = useWords();
  const screen = parts[0] ?? '';
  const hasTabs = phase === 'READY' && !isLink && WITH_TABS.includes(screen);
  useLastLook();
  return (
    <div className={styles.frame}>
      {children}
      {hasTabs && (
        <div className={styles.foot}>
          <StatusBanner />
          <nav className={styles.tabs} aria-label={t('tabs.label')}>
            {TABS.map((tab) => (
              <Tab key={tab.path} {...tab} isCurrent={tab.path === `/${screen}` || tab.also.includes(screen)} />
            ))}
          </nav>
        </div>
      )}
    </div>
  );
}

function Tab({ path, icon, word, isCurrent }: (typeof TABS)[number] & { isCurrent: boolean }) {
  const { t } = useWords();
  const { unreadMessages } = usePhone();
  const unread = path === '/messages' ? unreadMessages : 0;
  return (
    <a href={hrefOf(path)} className={styles.tab} aria-current={isCurrent ? 'page' : undefined}>
      <span className={styles.mark}>
        <Icon name={icon} />
        {unread > 0 && (
          <span className={styles.badge} aria-hidden="true">
            {unread > 9 ? '9+' : unread}
          </span>
        )}
      </span>
      <span>{t(word)}</span>
      {unread > 0 && <span className="visually-hidden">{t('messages.unread', { count: unread })}</span>}
    </a>
  );
}

/** The site is asked again when the phone comes back from its pocket. */
function useLastLook(): void {
  const actions = useActions();
  const { phase } = usePhone();
  const [isReady, setReady] = useState(false);
  useEffect(() => setReady(phase === 'READY'), [phase]);
  useEffect(() => {
    if (!isReady) return;
    const look = () => {
      // A failure shows in the connection of the snapshot.
      if (document.visibilityState === 'visible') actions.syncNow().catch(() => undefined);
    };
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, [actions, isReady]);
}
