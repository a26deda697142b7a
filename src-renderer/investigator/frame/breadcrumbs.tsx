import { skipToken, useQuery } from '@tanstack/react-query';
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
  account: { to: '/account', label: 'account.yours' },
} as const;

/** Names of what the address is about, the outermost first, as far as they are known yet. */
function useTrail(): { name: string; studyId?: string }[] {
  const { user } = useSession();
  const { accountId } = user;
  const { studyId, subjectId, equipmentId, webhookId, userId } = useParams({ strict: false });
  const studies = useQuery(studiesQuery(accountId));
  const ofSubject = subjectQuery(studyId ?? '', subjectId ?? '');
  const subject = useQuery({ ...ofSubject, queryFn: studyId && subjectId ? ofSubject.queryFn : skipToken });
  const ofPiece = fleetItemQuery(accountId, equipmentId ?? '');
  const piece = useQuery({ ...ofPiece, queryFn: equipmentId ? ofPiece.queryFn : skipToken });
  const ofWebhooks = webhooksQuery(accountId);
  const webhooks = useQuery({ ...ofWebhooks, queryFn: webhookId ? ofWebhooks.queryFn : skipToken });
  const ofUsers = usersQuery(accountId);
  const users = useQuery({ ...ofUsers, queryFn: userId ? ofUsers.queryFn : skipToken });
  const person = users.data?.items.find(({ id }) => id === userId);
  return [
    { name: studies.data?.find(({ id }) => id === studyId)?.displayName, studyId },
    { name: subjectId && subject.data?.displayName },
    { name: equipmentId && piece.data?.displayName },
    { name: webhookId && webhooks.data?.items.find(({ id }) => id === webhookId)?.displayName },
    { name: userId && person && personName(person) },
  ].flatMap(({ name, ...place }) => (name ? [{ name, ...place }] : []));
}

/** Where one is, each step a way back; also the title of the window. */
export function Breadcrumbs() {
  const { t } = useWords();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const trail = useTrail();
  const [, first, second] = path.split('/');
  const section = first in SECTIONS ? SECTIONS[first as keyof typeof SECTIONS] : undefined;
  // The pages of Site have tabs of their own: one is still at the section there.
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
