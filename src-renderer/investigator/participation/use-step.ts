/** The request behind a dialog that adds a step: one id while the dialog is open, and what to read again afterwards. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ParticipationAnswer } from '../../../src-server/api/contract/index.ts';

export interface SubjectPlace {
  studyId: string;
  subjectId: string;
}

export function useStep({ studyId }: SubjectPlace, send: (id: string) => Promise<unknown>, onClose: () => void) {
  const queries = useQueryClient();
  const [id] = useState(() => crypto.randomUUID());
  return useMutation({
    mutationFn: () => send(id),
    onSuccess: onClose,
    // Also after a refusal: somebody else may have entered it.
    onSettled: async () => {
      await queries.invalidateQueries({ queryKey: ['participation', studyId] });
      await queries.invalidateQueries({ queryKey: ['subject', studyId] });
      await queries.invalidateQueries({ queryKey: ['attention'] });
    },
  });
}

/** The texts of a date field: absent, or in the future where the subject is. */
export const dateProblem = (
  date: string,
  { today }: Pick<ParticipationAnswer, 'today'>,
): 'dateMissing' | 'dateFuture' | undefined => (date === '' ? 'dateMissing' : date > today ? 'dateFuture' : undefined);
