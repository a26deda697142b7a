/** A last backup before a drive is taken away, and when it may be. */
import { useMutation, useQuery } from '@tanstack/react-query';
import type { BackupStatus } from '../../../../src-server/api/contract/index.ts';
import { client } from '../../../shared/api/client.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Button } from '../../../shared/kit/controls.tsx';
import { Notice } from '../../../shared/kit/state.tsx';
import styles from '../site.module.css';
import { useRefreshBackups } from './dialogs.tsx';

const ENDED: ReadonlySet<string> = new Set(['done', 'failed', 'cancelled', 'parked']);

export function Unplug({ drive }: { drive: NonNullable<BackupStatus['drive']> }) {
  const { t } = useWords();
  const refresh = useRefreshBackups();
  const start = useMutation({ mutationFn: () => client.call('createBackup', { body: {} }), onSuccess: refresh });
  const jobId = start.data?.id;
  const job = useQuery({
    queryKey: ['job', jobId ?? ''],
    queryFn: ({ signal }) => client.call('getJob', { params: { jobId: jobId ?? '' }, signal }),
    enabled: jobId !== undefined,
    refetchInterval: (query) => (query.state.data && ENDED.has(query.state.data.state) ? false : 1000),
  }).data;
  const isEnded = job !== undefined && ENDED.has(job.state);
  const isSafe =
    job?.state === 'done' && job.result !== undefined && 'isFlushed' in job.result && job.result.isFlushed === true;
  const { name } = drive;
  if (!drive.isConnected) return null;
  return (
    <>
      <div className={styles.actions}>
        <Button small isDisabled={start.isPending || (jobId !== undefined && !isEnded)} onPress={() => start.mutate()}>
          {t('drives.lastBackup')}
        </Button>
      </div>
      <div role="status">
        {jobId !== undefined && !isEnded && <Notice tone="warn">{t('drives.wait', { name })}</Notice>}
        {isSafe && <Notice tone="good">{t('drives.safe', { name })}</Notice>}
        {isEnded && !isSafe && <Notice tone="bad">{t('drives.notSafe', { name })}</Notice>}
      </div>
    </>
  );
}
