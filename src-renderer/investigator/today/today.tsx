/** The start page: what needs attention, why, and the one action for each item. */
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useState } from 'react';
import type { AttentionItem } from '../../../src-server/api/contract/index.ts';
import { attentionQuery } from '../../shared/api/attention-queries.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { studiesQuery } from '../../shared/api/queries.ts';
import { useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button } from '../../shared/kit/controls.tsx';
import { Select } from '../../shared/kit/forms.tsx';
import { useFrozenList } from '../../shared/kit/frozen-list.ts';
import { Page } from '../../shared/kit/page.tsx';
import { Empty, QueryView } from '../../shared/kit/state.tsx';
import { useCommands } from '../commands/commands.ts';
import { Arrivals } from './arrivals.tsx';
import { AttentionGroups, Snoozed, useAttentionText } from './attention-list.tsx';
import { FirstSteps, useFirstSteps } from './first-steps.tsx';
import styles from './today.module.css';

const SnoozeDialog = lazy(async () => ({ default: (await import('./snooze-dialog.tsx')).SnoozeDialog }));

export function Today() {
  const { t } = useWords();
  const { user } = useSession();
  const mayChange = usePermissions()('attention.snooze');
  const attention = useQuery(attentionQuery(user.accountId));
  const studies = useQuery(studiesQuery(user.accountId));
  const [studyId, setStudyId] = useState('');
  const [snoozing, setSnoozing] = useState<AttentionItem | null>(null);
  const all = useMemo(
    () => (attention.data?.items ?? []).filter((item) => studyId === '' || item.studyId === studyId),
    [attention.data, studyId],
  );
  const due = useMemo(() => all.filter((item) => !item.snooze), [all]);
  const { shown, waiting, hold, holder } = useFrozenList(due, ({ id }) => id);
  const active = (studies.data ?? []).filter(({ isArchived }) => !isArchived);
  const [first] = active;

  const attentionText = useAttentionText();
  const steps = useFirstSteps(studies.data);

  useCommands([
    {
      id: 'today.snooze',
      label: t('today.snooze'),
      keys: ['s'],
      scope: 'page',
      isEnabled: mayChange,
      run: () => {
        const row = document.activeElement?.closest('[data-item]')?.getAttribute('data-item');
        const item = due.find(({ id }) => id === row) ?? due[0];
        if (item) setSnoozing(item);
      },
    },
  ]);

  return (
    <Page
      title={t('today.title')}
      summary={attention.data && due.length > 0 ? t('today.count', { count: due.length }) : undefined}
      actions={
        active.length > 1 && (
          <Select
            isCompact
            label={t('today.study')}
            value={studyId}
            options={[
              { id: '', label: t('today.allStudies') },
              ...active.map(({ id, displayName }) => ({ id, label: displayName })),
            ]}
            onChange={(next) => {
              hold(false);
              setStudyId(next);
            }}
          />
        )
      }
    >
      <QueryView query={attention}>
        {() => (
          <>
            {studies.data?.length === 0 ? (
              steps.length === 0 && (
                <Empty icon="studies" title={t('studies.emptyTitle')} help={t('today.noStudyHelp')} />
              )
            ) : shown.length === 0 ? (
              steps.length === 0 && <Empty icon="check" title={t('today.none')} help={t('today.noneHelp')} />
            ) : (
              <div className={styles.list} {...holder}>
                {waiting > 0 && (
                  <Button className={styles.more} onPress={() => hold(false)}>
                    {t('today.showNew', { count: waiting })}
                  </Button>
                )}
                <AttentionGroups items={shown} onSnooze={mayChange ? setSnoozing : undefined} />
              </div>
            )}
            {steps.length > 0 && <FirstSteps steps={steps} />}
            {all.length > due.length && <Snoozed items={all.filter((item) => item.snooze)} />}
          </>
        )}
      </QueryView>
      {first && (steps.length === 0 || first.lifecycleState === 'IN_PROGRESS') && (
        <Arrivals studies={active.filter(({ id }) => studyId === '' || id === studyId)} />
      )}
      <Suspense>
        {snoozing && (
          <SnoozeDialog
            item={snoozing}
            about={attentionText(snoozing)}
            onClose={() => {
              setSnoozing(null);
              hold(false);
            }}
          />
        )}
      </Suspense>
    </Page>
  );
}
