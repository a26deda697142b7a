/** Sends the form of a subject: creates the subject, or updates only what was changed. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Study, Subject } from '../../../../src-server/api/contract/index.ts';
import { client } from '../../../shared/api/client.ts';
import { useSession } from '../../../shared/api/session.ts';
import { draftOf, newSubjectOf, type SubjectDraft, updateOf } from './fields.ts';

/**
 * @param subject undefined to create one in the study
 * @param opened the form as it was opened; only differences from it are sent
 */
export function useSaveSubject({
  studyId,
  subject,
  opened,
  draft,
  fields,
  onSaved,
}: {
  studyId: string;
  subject: Subject | undefined;
  opened: SubjectDraft;
  draft: SubjectDraft;
  fields: Study['subjectMetadataFields'];
  onSaved: (subjectId: string) => void;
}) {
  const { user } = useSession();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (): Promise<string> => {
      if (subject) {
        const params = { studyId: subject.studyId, subjectId: subject.id };
        const body = updateOf(draft, opened, draftOf(subject, user.timezone), fields);
        await client.call('updateSubject', { params, body });
        return subject.id;
      }
      return (await client.call('createSubject', { params: { studyId }, body: newSubjectOf(draft, fields) })).id;
    },
    onSuccess: async (id) => {
      await Promise.all([
        queries.invalidateQueries({ queryKey: ['subject', studyId] }),
        queries.invalidateQueries({ queryKey: ['study', studyId] }),
        queries.invalidateQueries({ queryKey: ['analytics', studyId, id] }),
      ]);
      onSaved(id);
    },
  });
}
