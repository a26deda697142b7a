/** The page of a study: its name and state, its actions, and the tabs of its views. */
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useParams } from '@tanstack/react-router';
import { useLockedStudy, usePermissions } from '../../shared/api/permissions.ts';
import { studiesQuery, studyQuery } from '../../shared/api/queries.ts';
import { useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Page } from '../../shared/kit/page.tsx';
import { isNotHere, NotHere } from '../../shared/kit/refused.tsx';
import { Notice } from '../../shared/kit/state.tsx';
import { TabLinks } from '../../shared/kit/tab-links.tsx';
import { NewSubject } from '../subjects/edit/new-subject.tsx';
import { useOpenStudies } from '../subjects/edit/open-studies.ts';
import { StudyActions } from './life/actions.tsx';
import { LifecyclePill } from './lifecycle-pill.tsx';
import styles from './studies.module.css';
import { STUDY_VIEWS } from './views.ts';

export function StudyPage() {
  const { t, format } = useWords();
  const params = useParams({ from: '/desk/studies/$studyId' });
  const query = useQuery(studyQuery(params.studyId));
  const study = query.data;
  const can = usePermissions();
  const { user } = useSession();
  // The list of studies provides the name while the details load or fail.
  const known = useQuery(studiesQuery(user.accountId)).data?.find(({ id }) => id === params.studyId);
  const named = study ?? known;
  const openStudies = useOpenStudies();
  const locked = useLockedStudy(params.studyId);
  if (!study && isNotHere(query.error)) return <NotHere error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <Page
      title={named?.displayName ?? t('studies.title')}
      actions={
        study && (
          <div className={styles.actions}>
            <StudyActions study={study} />
            <NewSubject studies={openStudies.filter(({ id }) => id === study.id)} />
          </div>
        )
      }
      summary={
        named && (
          <>
            <LifecyclePill study={named} />{' '}
            {[
              named.title !== named.displayName && named.title,
              study && t('subjects.summary', { count: study.subjects.length }),
            ]
              .filter(Boolean)
              .join(' · ')}
          </>
        )
      }
    >
      <TabLinks label={t('studyTabs.label')}>
        {STUDY_VIEWS.filter((view) => !('needs' in view) || can(view.needs, params.studyId)).map(({ to, label }) => (
          <Link key={to} to={to} params={params} activeOptions={{ exact: to === '/studies/$studyId' }}>
            {t(label)}
          </Link>
        ))}
      </TabLinks>
      {study && locked && (
        <Notice tone="info">
          {study.lockedTs !== undefined
            ? t('study.isLocked', { time: format.dateTime(study.lockedTs) })
            : t(study.isArchived ? 'study.isArchived' : 'study.isComplete')}
        </Notice>
      )}
      <Outlet />
    </Page>
  );
}
