/** One study: its name and state, what can be done with it, and its views. */
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useParams } from '@tanstack/react-router';
import { useLockedStudy, useMay } from '../../shared/api/permissions.ts';
import { studiesQuery, studyQuery } from '../../shared/api/queries.ts';
import { useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Page } from '../../shared/kit/page.tsx';
import { Notice } from '../../shared/kit/state.tsx';
import { TabLinks } from '../../shared/kit/tab-links.tsx';
import { NewSubject } from '../subjects/edit/new-subject.tsx';
import { useOpenStudies } from '../subjects/edit/open-studies.ts';
import { StudyActions } from './life/actions.tsx';
import { LifecyclePill } from './lifecycle-pill.tsx';
import styles from './studies.module.css';

export function StudyPage() {
  const { t } = useWords();
  const params = useParams({ from: '/desk/studies/$studyId' });
  const { data: study } = useQuery(studyQuery(params.studyId));
  const mayManageMembers = useMay()('study.members', params.studyId);
  const { user } = useSession();
  // The list knows its name, also while its details load or fail.
  const known = useQuery(studiesQuery(user.accountId)).data?.find(({ id }) => id === params.studyId);
  const openStudies = useOpenStudies();
  const locked = useLockedStudy(params.studyId);
  return (
    <Page
      title={study?.displayName ?? known?.displayName ?? t('studies.title')}
      actions={
        study && (
          <div className={styles.actions}>
            <NewSubject studies={openStudies.filter(({ id }) => id === study.id)} />
            <StudyActions study={study} />
          </div>
        )
      }
      summary={
        study && (
          <>
            <LifecyclePill study={study} />{' '}
            {[study.title !== study.displayName && study.title, t('subjects.summary', { count: study.subjects.length })]
              .filter(Boolean)
              .join(' · ')}
          </>
        )
      }
    >
      <TabLinks label={t('studyTabs.label')}>
        <Link to="/studies/$studyId" params={params} activeOptions={{ exact: true }}>
          {t('studyTabs.overview')}
        </Link>
        <Link to="/studies/$studyId/subjects" params={params}>
          {t('studyTabs.subjects')}
        </Link>
        <Link to="/studies/$studyId/definition" params={params}>
          {t('studyTabs.definition')}
        </Link>
        <Link to="/studies/$studyId/history" params={params}>
          {t('study.history')}
        </Link>
        {mayManageMembers && (
          <Link to="/studies/$studyId/members" params={params}>
            {t('study.members')}
          </Link>
        )}
      </TabLinks>
      {study && locked && <Notice tone="info">{t(study.isArchived ? 'study.isArchived' : 'study.isComplete')}</Notice>}
      <Outlet />
    </Page>
  );
}
