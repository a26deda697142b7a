/** After how long a session ends, and how long the access log is kept. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { client } from '../../shared/api/client.ts';
import { settingsQuery } from '../../shared/api/site-queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { FormProblem } from '../../shared/kit/form-dialog.tsx';
import { Select } from '../../shared/kit/forms.tsx';
import { panelClass } from '../../shared/kit/page.tsx';
import { QueryView } from '../../shared/kit/state.tsx';
import styles from '../site/site.module.css';

const HOURS = [8, 12, 24, 72, 168, 336];
const HOURS_OF_DAY = 24;
const DAYS = [90, 180, 365, 730, 1825, 3650];

/** The choices, and the present value where it is none of them, in order. */
const withPresent = (choices: readonly number[], present: number): number[] =>
  [...new Set([...choices, present])].sort((a, b) => a - b);

export function AccessLimits() {
  const { t } = useWords();
  const queries = useQueryClient();
  const settings = useQuery(settingsQuery());
  const save = useMutation({
    mutationFn: (body: { sessions: { maxHours: number } } | { accessLog: { days: number } }) =>
      client.call('updateSiteSettings', { body }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['setting'] }),
  });
  const lengthOf = (hours: number) =>
    hours % HOURS_OF_DAY === 0
      ? t('sessionLimit.days', { count: hours / HOURS_OF_DAY })
      : t('sessionLimit.hours', { count: hours });
  return (
    <section className={`${panelClass} ${styles.card}`} aria-label={t('sessionLimit.title')}>
      <h2>{t('sessionLimit.title')}</h2>
      <QueryView query={settings}>
        {({ sessions: { maxHours }, accessLog: { days } }) => (
          <>
            <Select
              label={t('sessionLimit.after')}
              help={t('sessionLimit.help')}
              value={String(maxHours)}
              options={withPresent(HOURS, maxHours).map((hours) => ({ id: String(hours), label: lengthOf(hours) }))}
              isDisabled={save.isPending}
              onChange={(hours) => save.mutate({ sessions: { maxHours: Number(hours) } })}
            />
            <Select
              label={t('accessLog.keep')}
              help={t('accessLog.keepHelp')}
              value={String(days)}
              options={withPresent(DAYS, days).map((count) => ({
                id: String(count),
                label: t('sessionLimit.days', { count }),
              }))}
              isDisabled={save.isPending}
              onChange={(count) => save.mutate({ accessLog: { days: Number(count) } })}
            />
          </>
        )}
      </QueryView>
      <FormProblem error={save.error} />
    </section>
  );
}
