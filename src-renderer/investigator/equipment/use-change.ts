import { useQueryClient } from '@tanstack/react-query';

/** Fetches anew what a change of equipment shows in, without waiting for the site to tell of it. */
export function useEquipmentChange(): () => void {
  const queries = useQueryClient();
  return () => {
    for (const topic of ['equipment', 'device', 'upload', 'subject']) {
      void queries.invalidateQueries({ queryKey: [topic] });
    }
  };
}
