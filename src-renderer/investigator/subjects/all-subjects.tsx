import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { studiesQuery } from '../../shared/api/queries.ts';
import { useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Page } from '../../shared/kit/page.tsx';
import { ToStudies } from '../../shared/kit/refused.tsx';
import { Empty, QueryView, ReadError, SkeletonRows } from '../../shared/kit/state.tsx';
import { NewSubject } from './edit/new-subject.tsx';
import { useOpenStudies } from './edit/open-studies.ts';
import { SubjectTable } from './subject-table.tsx';
import { useSubjectsOf } from './use-subjects.ts';

/** The subjects of all studies of the account. */
export function AllSubjects() {
  const { t } = useWords();
  const { user } = useSession();
  const studies = useQuery(studiesQuery(user.accountId));
  const openStudies = useOpenStudies();
  const lists = useSubjectsOf(studies.data);
  const studyNames = useMemo(
    () => new Map(studies.data?.map((study) => [study.id, study.displayName])),
    [studies.data],
  );

  return (
    <Page
      title={t('subjects.allTitle')}
      actions={<NewSubject studies={openStudies} />}
      summary={lists.subjects.length > 0 && !lists.isPending && t('subjects.summary', { count: lists.subjects.length })}
    >
      <QueryView query={studies}>
        {() => (
          <>
            {lists.failed?.error && (
              <ReadError error={lists.failed.error} onRetry={() => void lists.failed?.refetch()} />
            )}
            {lists.isPending && lists.subjects.length === 0 ? (
              <SkeletonRows />
            ) : lists.subjects.length === 0 ? (
              <Empty icon="subjects" title={t('subjects.emptyTitle')} help={t('subjects.emptyAllHelp')}>
                {openStudies.length === 0 && <ToStudies />}
              </Empty>
            ) : (
              <SubjectTable subjects={lists.subjects} studyNames={studyNames} caption={t('subjects.allTitle')} />
            )}
          </>
        )}
      </QueryView>
    </Page>
  );
}
