/** The sections of the desk down the side of every screen. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { unreadCountQuery } from '../../shared/api/message-queries.ts';
import { useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Icon, type IconName, Mark } from '../../shared/kit/icon.tsx';
import styles from './frame.module.css';

export const SECTIONS = [
  { to: '/', icon: 'today', label: 'nav.today', command: 'commands.goToday' },
  { to: '/studies', icon: 'studies', label: 'nav.studies', command: 'commands.goStudies' },
  { to: '/subjects', icon: 'subjects', label: 'nav.subjects', command: 'commands.goSubjects' },
  { to: '/equipment', icon: 'equipment', label: 'nav.equipment', command: 'commands.goEquipment' },
  { to: '/messages', icon: 'messages', label: 'nav.messages', command: 'commands.goMessages' },
  { to: '/events', icon: 'events', label: 'nav.events', command: 'commands.goEvents' },
  { to: '/exports', icon: 'exports', label: 'nav.exports', command: 'commands.goExports' },
  { to: '/site', icon: 'site', label: 'nav.site', command: 'commands.goSite' },
] as const satisfies { to: string; icon: IconName; label: string; command: string }[];

/** The number of unread messages from subjects, beside the name of their section. */
function Unread() {
  const { t, format } = useWords();
  const { user } = useSession();
  const { data: count = 0 } = useQuery(unreadCountQuery(user.accountId));
  if (count === 0) return null;
  return (
    <span className={styles.badge}>
      <span aria-hidden="true">{count > 99 ? '99+' : format.number(count)}</span>
      <span className="visually-hidden">{t('nav.unread', { count })}</span>
    </span>
  );
}

export function Rail() {
  const { t } = useWords();
  return (
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
  );
}
