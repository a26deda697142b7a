/** All subjects, each with its study's name and its conversation if there is one. */
import { useMemo } from 'react';
import type { Conversation, Study } from '../../../src-server/api/contract/index.ts';
import { useSubjectsOf } from '../subjects/use-subjects.ts';
import type { Partner } from './partner.ts';

/** @param conversations undefined until they have loaded */
export function usePartners(studies: readonly Study[] | undefined, conversations: readonly Conversation[] | undefined) {
  const lists = useSubjectsOf(studies);
  const partners = useMemo(() => {
    const bySubject = new Map(conversations?.map((item) => [item.subjectId, item]));
    const studyNames = new Map(studies?.map((study) => [study.id, study.displayName]));
    return lists.subjects.map(
      (subject): Partner => ({
        subject,
        studyName: studyNames.get(subject.studyId) ?? '',
        conversation: bySubject.get(subject.id),
      }),
    );
  }, [lists.subjects, conversations, studies]);
  return { partners, isPending: lists.isPending, failed: lists.failed };
}
