/** The start of a day: what needs a person, why, and the one thing to do about each. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useState } from 'react';
import type { AttentionItem } from '../../../src-server/api/contract/index.ts';
import { attentionQuery } from '../../shared/api/attention-queries.ts';
import { client } from '../../shared/api/client.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { studiesQuery } from '../../shared/api/queries.ts';
import { useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button } from '../../shared/kit/controls.tsx';
import { Select } from '../../shared/kit/forms.tsx';
import { useFrozenList } from '../../shared/kit/frozen-list.ts';
import { Page, panelClass } from '../../shared/kit/page.tsx';
import { Empty, QueryView } from '../../shared/kit/state.tsx';
import { localDate } from '../../shared/time/local-day.ts';
import { useCommands } from '../commands/commands.ts';
import { ActionLink } from '../coverage/action-link.tsx';
import { useEvidenceWords } from '../coverage/words.ts';
import { Arrivals } from './arrivals.tsx';
import { FirstSteps, useFirstSteps } from './first-steps.tsx';
import styles from './today.module.css';

const SnoozeDialog = lazy(async () => ({ default: (await import('./snooze-dialog.tsx')).SnoozeDialog }));

const LONG_DAYS = 3;

function useAttentionText(): (item: AttentionItem) => { name: string; text: string } {
  const { t } = useWords();
  const evidence = useEvidenceWords();
  return (item) => {
    const days = Math.floor((item.evidence.seconds ?? 0) / 86_400);
    const words = {
      ...evidence(item.evidence),
      // Nobody counts hours of days.
      ...(days >= LONG_DAYS && { duration: t('today.days', { count: days }) }),
      count: item.evidence.count ?? 0,
    };
    return {
      name: item.subjectName ?? item.studyName ?? t('today.theSite'),
      text: t(`attention.${item.reason}`, words),
    };
  };
}

function AttentionRow({ item, isGone, onSnooze }: { item: AttentionItem; isGone: boolean; onSnooze?: () => void }) {
  const { t, format } = useWords();
  const { name, text } = useAttentionText()(item);
  return (
    <li className={`${styles.item} ${isGone ? styles.gone : ''}`} data-item={item.id}>
      <div className={styles.who}>
        <strong>{name}</strong>
        {item.subjectName !== undefined && <small>{item.studyName}</small>}
      </div>
      <div>
        {text}
        <small title={format.dateTime(item.sinceTs)}>{t('today.since', { time: format.moment(item.sinceTs) })}</small>
      </div>
      <div className={styles.does}>
        {isGone ? (
          <span>{t('today.resolved')}</span>
        ) : (
          <>
            <ActionLink
              action={item.action}
              place={item}
              day={localDate(Date.now(), Intl.DateTimeFormat().resolvedOptions().timeZone)}
              about={`${name}. ${text}`}
            />
            {onSnooze && (
              <Button
                kind="quiet"
                onPress={onSnooze}
                aria-label={t('today.snoozeOf', { name, reason: t(`reasons.${item.reason}`) })}
              >
                {t('today.snooze')}
              </Button>
            )}
          </>
        )}
      </div>
    </li>
  );
}

function Snoozed({ items }: { items: AttentionItem[] }) {
  const { t, format } = useWords();
  const { user } = useSession();
  const queries = useQueryClient();
  const attentionText = useAttentionText();
  const mayChange = usePermissions()('attention.snooze');
  const wake = useMutation({
    mutationFn: (itemId: string) => client.call('wakeAttention', { params: { accountId: user.accountId, itemId } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['attention'] }),
  });
  return (
    <details className={styles.snoozed}>
      <summary>{t('today.snoozed', { count: items.length })}</summary>
      <ul className={panelClass}>
        {items.map((item) => {
          const { name, text } = attentionText(item);
          return (
            <li key={item.id} className={styles.item}>
              <div className={styles.who}>
                <strong>{name}</strong>
                {item.subjectName !== undefined && <small>{item.studyName}</small>}
              </div>
              <div>
                {text}
                {item.snooze && (
                  <small>
                    {t('today.snoozedBy', {
                      time: format.moment(item.snooze.untilTs),
                      name: item.snooze.userName,
                      reason: item.snooze.reason,
                    })}
                  </small>
                )}
              </div>
              {mayChange && (
                <Button
                  aria-label={t('today.unsnoozeOf', { name, reason: t(`reasons.${item.reason}`) })}
                  isDisabled={wake.isPending}
                  onPress={() => wake.mutate(item.id)}
                >
                  {t('today.unsnooze')}
                </Button>
              )}
            </li>
          );
        })}
      </ul>
    </details>
  );
}

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

  const groups = Map.groupBy(shown, ({ item }) => item.reason);
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
                {[...groups].map(([reason, rows]) => (
                  <section key={reason} aria-label={t(`reasons.${reason}`)}>
                    <h2>{t(`reasons.${reason}`)}</h2>
                    <ul className={panelClass}>
                      {rows.map(({ item, isGone }) => (
                        <AttentionRow
                          key={item.id}
                          item={item}
                          isGone={isGone}
                          onSnooze={mayChange ? () => setSnoozing(item) : undefined}
                        />
                      ))}
                    </ul>
                  </section>
                ))}
              </div>
            )}
            {steps.length > 0 && <FirstSteps steps={steps} />}
            {all.length > due.length && <Snoozed items={all.filter((item) => item.snooze)} />}
          </>
        )}
      </QueryView>
      {active.length > 0 && (steps.length === 0 || active[0].lifecycleState === 'IN_PROGRESS') && (
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
