/** Retries a parked or failed job. Rendered only where the person may. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client } from '../../shared/api/client.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button } from '../../shared/kit/controls.tsx';
import { errorSentence } from '../../shared/kit/state.tsx';

export function RetryJob({ jobId, about }: { jobId: string; about: string }) {
  const { t, language } = useWords();
  const queries = useQueryClient();
  const retry = useMutation({
    mutationFn: () => client.call('retryJob', { params: { jobId } }),
    onSettled: () => Promise.all(['job', 'attention'].map((topic) => queries.invalidateQueries({ queryKey: [topic] }))),
  });
  return (
    <span>
      <Button
        icon="retry"
        aria-label={`${t('actions.retryAnalysis')}: ${about}`}
        isDisabled={retry.isPending}
        onPress={() => retry.mutate()}
      >
        {t('actions.retryAnalysis')}
      </Button>
      {retry.error && <small role="alert">{errorSentence(retry.error, t, language)}</small>}
    </span>
  );
}
