/** Deletes, undoes and redoes the labels of one subject, and offers undo and redo as commands of the page. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useWords } from '../../shared/i18n/i18n.ts';
import { useStore } from '../../shared/store.ts';
import { useCommands } from '../commands/commands.ts';
import { LabelHistory } from '../viewer/data/label-history.ts';
import type { LabelItem } from '../viewer/data/labels.ts';

export function useLabelHistory(studyId: string, subjectId: string) {
  const { t } = useWords();
  const queries = useQueryClient();
  /** Name of the label deleted last, until the deletion is undone. */
  const [deletedName, setDeletedName] = useState<string | null>(null);
  const history = useMemo(
    () =>
      new LabelHistory({ studyId, subjectId }, () =>
        queries.invalidateQueries({ queryKey: ['annotation', studyId, subjectId] }),
      ),
    [studyId, subjectId, queries],
  );
  const counts = useStore(history.counts);
  const remove = useMutation({
    mutationFn: (item: LabelItem) => history.remove(item),
    onSuccess: (_, item) => setDeletedName(item.name),
  });
  const undo = useMutation({ mutationFn: () => history.undo(), onSuccess: () => setDeletedName(null) });
  const redo = useMutation({ mutationFn: () => history.redo() });
  useCommands([
    {
      id: 'labels.undo',
      label: t('labels.undo'),
      keys: ['Mod+Z'],
      scope: 'page',
      isEnabled: counts.undo > 0,
      run: () => undo.mutate(),
    },
    {
      id: 'labels.redo',
      label: t('labels.redo'),
      keys: ['Mod+Shift+Z'],
      scope: 'page',
      isEnabled: counts.redo > 0,
      run: () => redo.mutate(),
    },
  ]);
  return {
    history,
    remove,
    undo,
    canUndo: counts.undo > 0,
    deletedName,
    setDeletedName,
    error: remove.error ?? undo.error ?? redo.error,
    /** Clears the error and reads the labels again. */
    reload: () => {
      for (const mutation of [remove, undo, redo]) mutation.reset();
      void queries.invalidateQueries({ queryKey: ['annotation', studyId, subjectId] });
    },
  };
}
