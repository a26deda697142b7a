import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { studySummariesQuery } from '../../shared/api/list-queries.ts';
import { useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Page } from '../../shared/kit/page.tsx';
import { ToStudies } from '../../shared/kit/refused.tsx';
import { Empty, QueryView, ReadError, SkeletonRows } from '../../shared/kit/state.tsx';
import { NewSubject } from './edit/new-subject.tsx';
import { useOpenStudies } from './edit/open-studies.ts';
import { SubjectTable } from './subject-table.tsx';
import { useSubjectList } from './use-subject-list.ts';

/** The subjects of all studies of the account. */
export function AllSubjects() {
  const { t } = useWords();
  const { user } = useSession();
  const studies = useQuery(studySummariesQuery(user.accountId));
  const openStudies = useOpenStudies();
  const [isWhole, setWhole] = useState(false);
  const list = useSubjectList(studies.data, isWhole);
  const studyNames = useMemo(
    () => new Map(studies.data?.map((study) => [study.id, study.displayName])),
    [studies.data],
  );
  const counted = studies.data?.reduce(
    (sum, { summary }) => sum + (summary ? summary.countSubjects + summary.countHiddenSubjects : 0),
    0,
  );
  // A list that is loaded to its end counts itself: it may be newer than the summaries.
  const total = list.hasMore ? counted : list.subjects.length;

  return (
    <Page
      title={t('subjects.allTitle')}
      actions={<NewSubject studies={openStudies} />}
      summary={
        list.subjects.length > 0 && !list.isPending && total !== undefined && t('subjects.summary', { count: total })
      }
    >
      <QueryView query={studies}>
        {() => (
          <>
            {list.failed && <ReadError error={list.failed.error} onRetry={list.failed.refetch} />}
            {list.subjects.length > 0 ? (
              <SubjectTable
                list={list}
                total={total}
                onWhole={() => setWhole(true)}
                studyNames={studyNames}
                caption={t('subjects.allTitle')}
              />
            ) : list.isPending ? (
              <SkeletonRows />
            ) : (
              !list.failed && (
                <Empty icon="subjects" title={t('subjects.emptyTitle')} help={t('subjects.emptyAllHelp')}>
                  {openStudies.length === 0 && <ToStudies />}
                </Empty>
              )
            )}
          </>
        )}
      </QueryView>
    </Page>
  );
}
