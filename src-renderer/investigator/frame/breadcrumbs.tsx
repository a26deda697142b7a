import { skipToken, useQuery } from '@tanstack/react-query';
import { Link, useParams, useRouterState } from '@tanstack/react-router';
import { useEffect } from 'react';
import { studiesQuery, subjectQuery } from '../../shared/api/queries.ts';
import { useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import styles from './frame.module.css';

const SECTIONS: Record<
  string,
  | 'nav.today'
  | 'nav.studies'
  | 'nav.subjects'
  | 'nav.equipment'
  | 'nav.messages'
  | 'nav.events'
  | 'nav.exports'
  | 'nav.site'
  | 'account.yours'
> = {
  '': 'nav.today',
  subjects: 'nav.subjects',
  equipment: 'nav.equipment',
  messages: 'nav.messages',
  events: 'nav.events',
  exports: 'nav.exports',
  site: 'nav.site',
  account: 'account.yours',
};

/** Study and subject of the address, by name once they are known; also the title of the window. */
export function Breadcrumbs() {
  const { t } = useWords();
  const { user } = useSession();
  const { studyId, subjectId } = useParams({ strict: false });
  const path = useRouterState({ select: (state) => state.location.pathname });
  const studies = useQuery(studiesQuery(user.accountId));
  const ofSubject = subjectQuery(studyId ?? '', subjectId ?? '');
  const subject = useQuery({ ...ofSubject, queryFn: studyId && subjectId ? ofSubject.queryFn : skipToken });
  const studyName = studies.data?.find((study) => study.id === studyId)?.displayName;
  const section = t(SECTIONS[path.split('/')[1]] ?? 'nav.studies');
  const here = subjectId ? subject.data?.displayName : studyId ? studyName : section;

  useEffect(() => {
    document.title = here && here !== t('app.name') ? `${here} · ${t('app.name')}` : t('app.name');
  }, [here, t]);

  return (
    <nav className={styles.crumbs} aria-label={t('app.breadcrumbs')}>
      <ol>
        <li>{studyId ? <Link to="/studies">{t('nav.studies')}</Link> : <span aria-current="page">{section}</span>}</li>
        {studyId && studyName !== undefined && (
          <li>
            <span aria-hidden="true">/</span>
            {subjectId ? (
              <Link to="/studies/$studyId" params={{ studyId }}>
                {studyName}
              </Link>
            ) : (
              <span aria-current="page">{studyName}</span>
            )}
          </li>
        )}
        {subjectId && subject.data && (
          <li>
            <span aria-hidden="true">/</span>
            <span aria-current="page">{subject.data.displayName}</span>
          </li>
        )}
      </ol>
    </nav>
  );
}
