import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import { studyQuery } from '../../shared/api/queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { QueryView } from '../../shared/kit/state.tsx';
import { SubjectTable } from '../subjects/subject-table.tsx';
import { NoSubjects } from './overview/no-subjects.tsx';

export function StudySubjects() {
  const { t } = useWords();
  const { studyId } = useParams({ from: '/desk/studies/$studyId' });
  const study = useQuery(studyQuery(studyId));
  const studyNames = useMemo(() => new Map([[studyId, study.data?.displayName ?? '']]), [studyId, study.data]);
  return (
    <QueryView query={study}>
      {(data) =>
        data.subjects.length === 0 ? (
          <NoSubjects study={data} />
        ) : (
          <SubjectTable subjects={data.subjects} studyNames={studyNames} caption={t('subjects.title')} />
        )
      }
    </QueryView>
  );
}
