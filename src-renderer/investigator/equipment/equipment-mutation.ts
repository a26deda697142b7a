/** Mutations of equipment, devices and uploads. They refresh what shows the change without waiting for `/live`. */
import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';

/** @param onDone runs after a success, such as closing the dialog */
export function useEquipmentMutation<Input = void>(
  run: (input: Input) => Promise<unknown>,
  onDone?: () => void,
): UseMutationResult<unknown, Error, Input> {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: run,
    onSuccess: () => {
      for (const topic of ['equipment', 'device', 'upload', 'transfer', 'subject']) {
        void queries.invalidateQueries({ queryKey: [topic] });
      }
      onDone?.();
    },
  });
}
