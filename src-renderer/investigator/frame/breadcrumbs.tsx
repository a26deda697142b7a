import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useRouterState } from '@tanstack/react-router';
import { useEffect } from 'react';
import { personName } from '../../../src-server/study/person-name.ts';
import { fleetItemQuery } from '../../shared/api/equipment-queries.ts';
import { studiesQuery, subjectQuery } from '../../shared/api/queries.ts';
import { useSession } from '../../shared/api/session.ts';
import { usersQuery, webhooksQuery } from '../../shared/api/site-queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import styles from './frame.module.css';

const SECTIONS = {
  '': { to: '/', label: 'nav.today' },
  studies: { to: '/studies', label: 'nav.studies' },
  subjects: { to: '/subjects', label: 'nav.subjects' },
  equipment: { to: '/equipment', label: 'nav.equipment' },
  messages: { to: '/messages', label: 'nav.messages' },
  events: { to: '/events', label: 'nav.events' },
  exports: { to: '/exports', label: 'nav.exports' },
  site: { to: '/site', label: 'nav.site' },
  manual: { to: '/manual', label: 'account.manual' },
  account: { to: '/account', label: 'account.yours' },
} as const;

/** Returns the names of the records in the address, outermost first, leaving out those that have not loaded. */
function useTrail(): { name: string; studyId?: string }[] {
  const { user } = useSession();
  const { accountId } = user;
  const { studyId, subjectId, equipmentId, webhookId, userId } = useParams({ strict: false });
  const studies = useQuery(studiesQuery(accountId));
  const subjectOptions = subjectQuery(studyId ?? '', subjectId ?? '');
  const subject = useQuery({ ...subjectOptions, enabled: studyId !== undefined && subjectId !== undefined });
  const equipmentOptions = fleetItemQuery(accountId, equipmentId ?? '');
  const equipment = useQuery({ ...equipmentOptions, enabled: equipmentId !== undefined });
  const webhooksOptions = webhooksQuery(accountId);
  const webhooks = useQuery({ ...webhooksOptions, enabled: webhookId !== undefined });
  const usersOptions = usersQuery(accountId);
  const users = useQuery({ ...usersOptions, enabled: userId !== undefined });
  const person = users.data?.items.find(({ id }) => id === userId);
  return [
    { name: studies.data?.find(({ id }) => id === studyId)?.displayName, studyId },
    { name: subjectId && subject.data?.displayName },
    { name: equipmentId && equipment.data?.displayName },
    { name: webhookId && webhooks.data?.items.find(({ id }) => id === webhookId)?.displayName },
    { name: userId && person && personName(person) },
  ].flatMap(({ name, ...place }) => (name ? [{ name, ...place }] : []));
}

/** The breadcrumb trail of the current page; also sets the window title. */
export function Breadcrumbs() {
  const { t } = useWords();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const trail = useTrail();
  const [, first = '', second] = path.split('/');
  const section = first in SECTIONS ? SECTIONS[first as keyof typeof SECTIONS] : undefined;
  // The pages of the Site section are tabs, so the section itself stays the current page there.
  const isInside = trail.length > 0 || (section?.to === '/equipment' && second === 'pair');
  const here = trail.at(-1)?.name ?? (section && t(section.label));

  useEffect(() => {
    document.title = here ? `${here} · ${t('app.name')}` : t('app.name');
  }, [here, t]);

  return (
    <nav className={styles.crumbs} aria-label={t('app.breadcrumbs')}>
      <ol>
        {section && (
          <li title={t(section.label)}>
            {isInside ? (
              <Link to={section.to}>{t(section.label)}</Link>
            ) : (
              <span aria-current="page">{t(section.label)}</span>
            )}
          </li>
        )}
        {trail.map(({ name, studyId }, index) => (
          <li key={name} title={name}>
            <span aria-hidden="true">/</span>
            {studyId && index < trail.length - 1 ? (
              <Link to="/studies/$studyId" params={{ studyId }}>
                {name}
              </Link>
            ) : (
              <span aria-current="page">{name}</span>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
