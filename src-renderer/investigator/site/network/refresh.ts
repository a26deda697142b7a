import { useQueryClient } from '@tanstack/react-query';

export function useNetworkRefresh(): () => void {
  const queries = useQueryClient();
  return () => {
    void queries.invalidateQueries({ queryKey: ['network'] });
    void queries.invalidateQueries({ queryKey: ['setting'] });
  };
}
