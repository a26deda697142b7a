/**
 * The definition of a study as it is being edited. What someone else saves meanwhile is merged into the draft as soon as it
 * arrives; a part that both changed is reported as a clash and never overwritten unseen.
 */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../../shared/api/client.ts';
import { definitionQuery } from '../../../shared/api/study-queries.ts';
import { cleaned, type Draft } from './draft.ts';
import { withMeanwhile } from './meanwhile.ts';
import { type Part, problemsOf } from './problems.ts';

/**
 * @param saved the definition as the site has it
 * @param isRunning whether the study is running, so that its definition can only grow
 */
export function useDefinitionDraft(studyId: string, saved: Draft, isRunning: boolean) {
  const queries = useQueryClient();
  const [base, setBase] = useState(saved);
  const [draft, setDraft] = useState(saved);
  const [wasTried, setTried] = useState(false);
  /** Parts that someone else changed too while the draft was being edited; null while nobody else has saved anything. */
  const [clashes, setClashes] = useState<readonly Part[] | null>(null);
  const isChanged = draft !== base;
  if (saved !== base) {
    const merged = isChanged ? withMeanwhile(base, draft, saved) : { draft: saved, clashes: [] };
    setBase(saved);
    setDraft(merged.draft);
    if (isChanged) setClashes([...new Set([...(clashes ?? []), ...merged.clashes])]);
  }
  const fetchNow = () => queries.fetchQuery({ ...definitionQuery(studyId), staleTime: 0 });
  /** Replaces the draft with the definition as the site has it now. */
  async function reload() {
    const now = await fetchNow();
    setBase(now);
    setDraft(now);
    setTried(false);
    setClashes(null);
    await queries.invalidateQueries({ queryKey: ['study', studyId] });
  }
  const save = useMutation({
    mutationFn: async (): Promise<boolean> => {
      const merged = withMeanwhile(base, draft, await fetchNow());
      // Show a clash before saving, so that the later of two people does not undo the other's change unseen.
      if (merged.clashes.length > 0) return false;
      await client.call('importDefinition', { params: { studyId }, body: cleaned(merged.draft) });
      return true;
    },
    onSuccess: (isSaved) => (isSaved ? reload() : undefined),
  });
  const found = problemsOf(cleaned(draft), isRunning ? base : undefined);
  return {
    base,
    draft,
    clashes,
    isChanged,
    problems: wasTried ? found : [],
    save,
    reload,
    edit: (change: Partial<Draft>) => setDraft({ ...draft, ...change }),
    discard: () => {
      setDraft(base);
      setTried(false);
      setClashes(null);
      save.reset();
    },
    /** Shows the problems of the draft, and saves it when there are none. */
    trySaving: () => {
      setTried(true);
      if (found.length === 0 && !save.isPending) save.mutate();
    },
  };
}
