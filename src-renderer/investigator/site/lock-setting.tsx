/** After how long without use the desk asks for the password again. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { client } from '../../shared/api/client.ts';
import { settingsQuery } from '../../shared/api/site-queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { FormProblem } from '../../shared/kit/form-dialog.tsx';
import { Select } from '../../shared/kit/forms.tsx';
import { panelClass } from '../../shared/kit/page.tsx';
import { QueryView } from '../../shared/kit/state.tsx';
import styles from './site.module.css';

const MINUTES = [5, 10, 15, 30, 60];
const NEVER = 'never';

export function LockSetting() {
  const { t } = useWords();
  const queries = useQueryClient();
  const settings = useQuery(settingsQuery());
  const save = useMutation({
    mutationFn: (afterMinutes: number | null) =>
      client.call('updateSiteSettings', { body: { deskLock: { afterMinutes } } }),
    onSettled: () => Promise.all([['setting'], ['site']].map((queryKey) => queries.invalidateQueries({ queryKey }))),
  });
  return (
    <section className={`${panelClass} ${styles.card}`} aria-label={t('lock.setting')}>
      <h2>{t('lock.setting')}</h2>
      <QueryView query={settings}>
        {({ deskLock: { afterMinutes } }) => (
          <Select
            label={t('lock.after')}
            help={t('lock.afterHelp')}
            value={String(afterMinutes ?? NEVER)}
            options={[
              ...[...new Set([...MINUTES, ...(afterMinutes === null ? [] : [afterMinutes])])]
                .sort((a, b) => a - b)
                .map((minutes) => ({ id: String(minutes), label: t('lock.minutes', { count: minutes }) })),
              { id: NEVER, label: t('lock.never') },
            ]}
            isDisabled={save.isPending}
            onChange={(chosen) => save.mutate(chosen === NEVER ? null : Number(chosen))}
          />
        )}
      </QueryView>
      <FormProblem error={save.error} />
    </section>
  );
}
