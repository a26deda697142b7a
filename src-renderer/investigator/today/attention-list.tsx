/** Items that need attention, one per row with its action: the open ones, and the snoozed ones. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { AttentionItem } from '../../../src-server/api/contract/index.ts';
import { ATTENTION_SEVERITIES } from '../../../src-server/vocabulary/coverage.ts';
import { client } from '../../shared/api/client.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, Pill, type Tone } from '../../shared/kit/controls.tsx';
import { panelClass } from '../../shared/kit/page.tsx';
import { localDate } from '../../shared/time/local-day.ts';
import { ActionLink } from '../coverage/action-link.tsx';
import { useEvidenceWords } from '../coverage/words.ts';
import styles from './today.module.css';

/** A duration of at least this many days is given in whole days. */
const MIN_WHOLE_DAYS = 3;
const DAY_SECONDS = 86_400;

/** Returns a function that puts an item in words: whom it is about, and what is wrong. */
export function useAttentionText(): (item: AttentionItem) => { name: string; text: string } {
  const { t, format } = useWords();
  const evidence = useEvidenceWords();
  const diskText = ({ evidence: { code, detail, largest = [] } }: AttentionItem) => {
    const text =
      code === 'emergency' || code === 'scarce'
        ? t(`today.disk.${code}`, { detail })
        : t('attention.DISK_FULL', { detail });
    if (largest.length === 0) return text;
    const parts = largest.map(({ part, sizeBytes }) => `${t(`today.freeable.${part}`)} ${format.bytes(sizeBytes)}`);
    return `${text} ${t('today.largestToFree', { parts: parts.join(t('today.listSeparator')) })}`;
  };
  return (item) => {
    const days = Math.floor((item.evidence.seconds ?? 0) / DAY_SECONDS);
    const words = {
      ...evidence(item.evidence),
      ...(days >= MIN_WHOLE_DAYS && { duration: t('today.days', { count: days }) }),
      count: item.evidence.count ?? 0,
      ...(item.reason === 'FOLLOW_UP_DUE' && { detail: item.evidence.detail ?? t('today.noText') }),
      ...(item.isMine && { person: t('today.you') }),
      ...(item.reason === 'UNREAD_MESSAGE' && { detail: item.evidence.detail ?? t('today.onlyPicture') }),
      ...(item.reason === 'FILES_REPAIRED' && {
        source:
          item.evidence.code === 'BACKUP'
            ? t('repairs.fromBackup', { when: format.dateTime(item.evidence.atTs ?? item.sinceTs) })
            : t('repairs.fromCopy'),
      }),
      ...(item.reason === 'FILES_DAMAGED' && { advice: t(adviceKey(item.evidence.code)) }),
      due: item.evidence.count ? t('today.overdue', { count: item.evidence.count }) : t('today.dueToday'),
    };
    return {
      name: item.subjectName ?? item.studyName ?? t('today.theSite'),
      text: item.reason === 'DISK_FULL' ? diskText(item) : t(`attention.${item.reason}`, words),
    };
  };
}

const ADVICE = {
  LOCKED: 'repairs.advice.LOCKED',
  HELD: 'repairs.advice.HELD',
  ROWS: 'repairs.advice.ROWS',
  NONE: 'repairs.advice.NONE',
} as const;

const adviceKey = (code: string | undefined) => ADVICE[code as keyof typeof ADVICE] ?? ADVICE.NONE;

/** Whom an item is about, with the study where the name is a subject's; the name leads to its page. */
function Who({ item: { studyId, subjectId, studyName }, name }: { item: AttentionItem; name: string }) {
  if (studyId === undefined)
    return (
      <div className={styles.who}>
        <strong>{name}</strong>
      </div>
    );
  if (subjectId === undefined)
    return (
      <div className={styles.who}>
        <Link to="/studies/$studyId" params={{ studyId }}>
          {name}
        </Link>
      </div>
    );
  return (
    <div className={styles.who}>
      <Link to="/studies/$studyId/subjects/$subjectId" params={{ studyId, subjectId }}>
        {name}
      </Link>
      <small>{studyName}</small>
    </div>
  );
}

const SEVERITY_TONES: Record<AttentionItem['severity'], Tone> = { HIGH: 'bad', MEDIUM: 'warn', LOW: 'neutral' };

function AttentionRow({ item, isGone, onSnooze }: { item: AttentionItem; isGone: boolean; onSnooze?: () => void }) {
  const { t, format } = useWords();
  const { name, text } = useAttentionText()(item);
  return (
    <li className={`${styles.item} ${isGone ? styles.gone : ''}`} data-item={item.id}>
      <Who item={item} name={name} />
      <div>
        {text}
        <small title={format.dateTime(item.sinceTs)}>
          {t('today.since', { time: format.moment(item.sinceTs), age: format.ago(item.sinceTs, Date.now()) })}
        </small>
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

/** The snoozed items, folded away, each with who snoozed it until when and why. */
export function Snoozed({ items }: { items: AttentionItem[] }) {
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
              <Who item={item} name={name} />
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

const rankOf = ({ severity }: AttentionItem): number => ATTENTION_SEVERITIES.indexOf(severity);

/**
 * The open items by reason, those of the highest severity first. An item that is settled while it shows stays in its place, marked as
 * settled.
 */
export function AttentionGroups({
  items,
  onSnooze,
}: {
  items: readonly { item: AttentionItem; isGone: boolean }[];
  /** Undefined where the person may not snooze. */
  onSnooze: ((item: AttentionItem) => void) | undefined;
}) {
  const { t } = useWords();
  const ranked = items.toSorted((a, b) => rankOf(a.item) - rankOf(b.item));
  return [...Map.groupBy(ranked, ({ item }) => item.reason)].map(([reason, rows]) => (
    <section key={reason} aria-label={t(`reasons.${reason}`)}>
      <h2>
        {t(`reasons.${reason}`)}
        {rows[0] && (
          <Pill tone={SEVERITY_TONES[rows[0].item.severity]}>{t(`today.severity.${rows[0].item.severity}`)}</Pill>
        )}
      </h2>
      <ul className={panelClass}>
        {rows.map(({ item, isGone }) => (
          <AttentionRow key={item.id} item={item} isGone={isGone} onSnooze={onSnooze && (() => onSnooze(item))} />
        ))}
      </ul>
    </section>
  ));
}
