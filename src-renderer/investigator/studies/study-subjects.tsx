import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { studyQuery } from '../../shared/api/queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { QueryView, ReadError, SkeletonRows } from '../../shared/kit/state.tsx';
import { SubjectTable } from '../subjects/subject-table.tsx';
import { useSubjectList } from '../subjects/use-subject-list.ts';
import { NoSubjects } from './overview/no-subjects.tsx';

export function StudySubjects() {
  const { t } = useWords();
  const { studyId } = useParams({ from: '/desk/studies/$studyId' });
  const study = useQuery(studyQuery(studyId));
  const studies = useMemo(() => [{ id: studyId }], [studyId]);
  const studyNames = useMemo(() => new Map([[studyId, study.data?.displayName ?? '']]), [studyId, study.data]);
  const [isWhole, setWhole] = useState(false);
  const list = useSubjectList(studies, isWhole);
  return (
    <QueryView query={study}>
      {(data) => (
        <>
          {list.failed && <ReadError error={list.failed.error} onRetry={list.failed.refetch} />}
          {list.subjects.length > 0 ? (
            <SubjectTable
              // The selection is of this study: it is not carried over to another one, whose rows would count as lost.
              key={studyId}
              list={list}
              total={data.subjects.length}
              onWhole={() => setWhole(true)}
              studyNames={studyNames}
              studyId={studyId}
              caption={t('subjects.title')}
            />
          ) : list.isPending ? (
            <SkeletonRows />
          ) : (
            !list.failed && <NoSubjects study={data} />
          )}
        </>
      )}
    </QueryView>
  );
}
