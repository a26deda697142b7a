/** Confirms one action: says what it does, runs it, reads what it changed again, and closes. */
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { FormDialog } from './form-dialog.tsx';

export function ConfirmDialog({
  title,
  effect,
  submitLabel,
  run,
  changes,
  onClose,
}: {
  title: string;
  /** What the action does. */
  effect: string;
  submitLabel: string;
  run: () => Promise<unknown>;
  /** Key of the queries that the action changes. */
  changes: QueryKey;
  onClose: () => void;
}) {
  const queries = useQueryClient();
  const mutation = useMutation({
    mutationFn: run,
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: changes });
      onClose();
    },
  });
  return (
    <FormDialog
      title={title}
      submitLabel={submitLabel}
      mutation={mutation}
      onSubmit={() => mutation.mutate()}
      onClose={onClose}
    >
      <p>{effect}</p>
    </FormDialog>
  );
}
