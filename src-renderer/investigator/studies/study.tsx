import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { StudyDetail } from '../../../src-server/api/contract/index.ts';
import { studyQuery } from '../../shared/api/queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Page, panelClass } from '../../shared/kit/page.tsx';
import { Empty, QueryView } from '../../shared/kit/state.tsx';
import { usePlacement } from '../recordings/placement.ts';
import { NewSubject } from '../subjects/edit/new-subject.tsx';
import { useOpenStudies } from '../subjects/edit/open-studies.ts';
import { SubjectTable } from '../subjects/subject-table.tsx';
import { LifecyclePill } from './lifecycle-pill.tsx';
import styles from './study.module.css';

function Facts({ study }: { study: StudyDetail }) {
  const { t, format } = useWords();
  const placement = usePlacement();
  const named = (names: string[]) => (names.length > 0 ? format.list(names) : t('study.none'));
  const facts = [
    [t('study.activities'), named(study.activities.map((activity) => activity.displayName))],
    [t('study.diaries'), named(study.diaries.map((diary) => diary.displayName))],
    [t('study.placements'), named(study.deviceConfigs.map((config) => placement(config.physicalConfig)))],
    [
      t('study.program'),
      study.program.tasks.length > 0 ? t('study.programDays', { count: study.program.days }) : t('study.none'),
    ],
  ];
  return (
    <dl className={`${panelClass} ${styles.facts}`} aria-label={t('study.facts')}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export function StudyPage() {
  const { t } = useWords();
  const { studyId } = useParams({ from: '/desk/studies/$studyId' });
  const study = useQuery(studyQuery(studyId));
  const openStudies = useOpenStudies();
  const studyNames = useMemo(() => new Map([[studyId, study.data?.displayName ?? '']]), [studyId, study.data]);
  return (
    <Page
      actions={<NewSubject studies={openStudies.filter(({ id }) => id === studyId)} />}
      title={study.data?.displayName ?? t('studies.title')}
      summary={
        study.data && (
          <>
            <LifecyclePill study={study.data} />{' '}
            {[
              study.data.title !== study.data.displayName && study.data.title,
              t('subjects.summary', { count: study.data.subjects.length }),
            ]
              .filter(Boolean)
              .join(' · ')}
          </>
        )
      }
    >
      <QueryView query={study}>
        {(data) => (
          <>
            <Facts study={data} />
            {data.subjects.length === 0 ? (
              <Empty icon="subjects" title={t('subjects.emptyTitle')} help={t('subjects.emptyHelp')} />
            ) : (
              <SubjectTable subjects={data.subjects} studyNames={studyNames} caption={t('subjects.title')} />
            )}
          </>
        )}
      </QueryView>
    </Page>
  );
}
