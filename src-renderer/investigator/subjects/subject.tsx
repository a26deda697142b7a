/** The page of a subject: name, state and characteristics, and the tabs of its data. */
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useParams } from '@tanstack/react-router';
import { useDeferredValue } from 'react';
import { useLockedStudy } from '../../shared/api/permissions.ts';
import { type DeskSubject, subjectQuery } from '../../shared/api/queries.ts';
import { useShown } from '../../shared/api/shown-query.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Pill } from '../../shared/kit/controls.tsx';
import { isNotHere, NotHere } from '../../shared/kit/refused.tsx';
import { QueryView, Skeleton } from '../../shared/kit/state.tsx';
import { TabLinks } from '../../shared/kit/tab-links.tsx';
import { LifecyclePill } from '../studies/lifecycle-pill.tsx';
import { SUBJECT_VIEWS } from '../studies/views.ts';
import { SubjectActions } from './edit/actions.tsx';
import styles from './subject.module.css';

function Who({ subject }: { subject: DeskSubject }) {
  const { t, format } = useWords();
  const locked = useLockedStudy(subject.studyId);
  const lastStopMs = subject.recorded.at(-1)?.stopTs ?? 0;
  const facts = [
    subject.gender && t(`subject.${subject.gender}`),
    subject.age !== undefined && t('subject.age', { age: subject.age }),
    subject.height !== undefined && t('subject.height', { value: format.number(subject.height * 100, 1) }),
    subject.weight !== undefined && t('subject.weight', { value: format.number(subject.weight, 1) }),
  ].filter((fact) => typeof fact === 'string');
  return (
    <>
      <h1>{subject.displayName}</h1>
      {subject.isTest && <Pill tone="warn">{t('subjects.test')}</Pill>}
      {subject.isHidden && <Pill>{t('subjects.hidden')}</Pill>}
      <ul>
        {locked && (
          <li title={t(locked.isArchived ? 'study.isArchived' : 'study.isComplete')}>
            {t('subjects.study')} <LifecyclePill study={locked} />
          </li>
        )}
        {facts.length > 0 && <li>{facts.join(' · ')}</li>}
        <li title={t('subject.zoneHelp')}>{subject.timezone}</li>
        <li>
          {lastStopMs > 0 ? t('subject.lastData', { ago: format.ago(lastStopMs, Date.now()) }) : t('subject.noData')}
        </li>
      </ul>
      <SubjectActions subject={subject} />
    </>
  );
}

export function SubjectPage() {
  const { t } = useWords();
  const params = useParams({ from: '/desk/studies/$studyId/subjects/$subjectId' });
  // Deferred, so that the mount of a screen is made of short tasks.
  const query = useDeferredValue(useShown(useQuery(subjectQuery(params.studyId, params.subjectId))));
  const subject = query.data;
  if (!subject && isNotHere(query.error)) return <NotHere error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <div className={styles.page}>
      {/* Render the tabs before the subject has loaded, so that the layout does not shift. */}
      {(subject || !query.error) && (
        <div className={styles.head}>
          <div className={styles.who}>
            {subject ? <Who subject={subject} /> : <Skeleton width="18rem" height="1.25rem" />}
          </div>
          <TabLinks place="inHead" label={t('subject.tabs')}>
            {SUBJECT_VIEWS.map((view) => (
              <Link key={view.to} to={view.to} params={params}>
                {t(view.label)}
              </Link>
            ))}
          </TabLinks>
        </div>
      )}
      <QueryView query={query}>
        {() => (
          <>
            <Outlet />
            <p className={styles.foot}>{t('app.retrospective')}</p>
          </>
        )}
      </QueryView>
    </div>
  );
}
