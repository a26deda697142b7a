import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import { studyQuery } from '../../shared/api/queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Empty, QueryView } from '../../shared/kit/state.tsx';
import { SubjectTable } from '../subjects/subject-table.tsx';

export function StudySubjects() {
  const { t } = useWords();
  const { studyId } = useParams({ from: '/desk/studies/$studyId' });
  const study = useQuery(studyQuery(studyId));
  const studyNames = useMemo(() => new Map([[studyId, study.data?.displayName ?? '']]), [studyId, study.data]);
  return (
    <QueryView query={study}>
      {({ subjects }) =>
        subjects.length === 0 ? (
          <Empty icon="subjects" title={t('subjects.emptyTitle')} help={t('subjects.emptyHelp')} />
        ) : (
          <SubjectTable subjects={subjects} studyNames={studyNames} caption={t('subjects.title')} />
        )
      }
    </QueryView>
  );
}
