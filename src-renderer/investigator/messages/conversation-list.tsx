/** Subjects to talk to: those who wrote and wait first, then by the newest message; while searching, everyone else too. */

import { Link } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Conversation, Subject } from '../../../src-server/api/contract/index.ts';
import { fold } from '../../shared/i18n/format.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, Pill, Search } from '../../shared/kit/controls.tsx';
import styles from './messages.module.css';

export interface Partner {
  subject: Subject;
  studyName: string;
  conversation: Conversation | undefined;
}

/** Unread first, then the newest; who has written nothing comes last, by name. */
export function byNeed(a: Partner, b: Partner, compare: (a: string, b: string) => number): number {
  const waits = (partner: Partner) => ((partner.conversation?.unreadCount ?? 0) > 0 ? 1 : 0);
  return (
    waits(b) - waits(a) ||
    (b.conversation?.lastTs ?? 0) - (a.conversation?.lastTs ?? 0) ||
    compare(a.subject.displayName, b.subject.displayName)
  );
}

/** Keeps the order while someone points at the list or moves in it: nothing slips away under the pointer. */
function useHeldOrder(partners: readonly Partner[], isHeld: boolean): readonly Partner[] {
  const order = useRef<string[]>([]);
  const sorted = useMemo(() => {
    if (!isHeld) return partners;
    const place = new Map(order.current.map((id, index) => [id, index]));
    const last = order.current.length;
    return [...partners].sort((a, b) => (place.get(a.subject.id) ?? last) - (place.get(b.subject.id) ?? last));
  }, [partners, isHeld]);
  useEffect(() => {
    order.current = sorted.map(({ subject }) => subject.id);
  }, [sorted]);
  return sorted;
}

export function ConversationList({
  partners,
  openStudies,
  selectedId,
  isNew,
  onNew,
}: {
  partners: readonly Partner[];
  /** Where a new conversation can begin. */
  openStudies: ReadonlySet<string>;
  selectedId: string | undefined;
  /** Offers everyone, not only those who were written to. */
  isNew: boolean;
  onNew: (isNew: boolean) => void;
}) {
  const { t, format } = useWords();
  const [text, setText] = useState('');
  const [isHeld, setHeld] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const sorted = useMemo(() => [...partners].sort((a, b) => byNeed(a, b, format.compare)), [partners, format]);
  const ordered = useHeldOrder(sorted, isHeld);
  const wanted = fold(text.trim());
  const found = ordered.filter(({ subject, studyName, conversation }) =>
    fold(`${subject.displayName} ${studyName} ${conversation?.lastMessage.body ?? ''}`).includes(wanted),
  );
  const talked = found.filter(({ conversation }) => conversation);
  const others =
    isNew || wanted !== ''
      ? found.filter((one) => !one.conversation && !one.subject.isHidden && openStudies.has(one.subject.studyId))
      : [];
  useEffect(() => {
    if (isNew) field.current?.focus();
  }, [isNew]);

  const row = ({ subject, studyName, conversation }: Partner) => (
    <li key={subject.id}>
      <Link
        to="/messages"
        search={{ study: subject.studyId, subject: subject.id }}
        className={styles.partner}
        aria-current={subject.id === selectedId ? 'true' : undefined}
        onClick={() => onNew(false)}
      >
        <span className={styles.partnerName}>
          <strong>{subject.displayName}</strong>
          {conversation && (
            <time dateTime={new Date(conversation.lastTs).toISOString()}>
              {format.ago(conversation.lastTs, Date.now())}
            </time>
          )}
        </span>
        <small>{studyName}</small>
        {conversation && (
          <span className={styles.excerpt}>
            <span title={conversation.lastMessage.body}>
              {conversation.lastMessage.author.principalType === 'USER' && `${t('messages.staffPrefix')} `}
              {conversation.lastMessage.body}
            </span>
            {conversation.unreadCount > 0 && (
              <Pill tone="info">{t('messages.newCount', { count: conversation.unreadCount })}</Pill>
            )}
          </span>
        )}
      </Link>
    </li>
  );

  return (
    <section
      className={styles.list}
      aria-label={t('messages.conversations')}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setHeld(false);
      }}
    >
      <Search label={t('messages.search')} value={text} onChange={setText} inputRef={field} />
      <div className={styles.partners}>
        {talked.length > 0 && <ul>{talked.map(row)}</ul>}
        {others.length > 0 && (
          <>
            <h2 className={styles.others}>{t('messages.withoutMessages')}</h2>
            <ul>{others.map(row)}</ul>
          </>
        )}
        {talked.length + others.length === 0 && (
          <p className={styles.nobody} role="status">
            {wanted === '' ? t('messages.noneYet') : t('state.noResultHelp', { text })}
            {wanted !== '' && (
              <Button small onPress={() => setText('')}>
                {t('state.clearSearch')}
              </Button>
            )}
          </p>
        )}
      </div>
    </section>
  );
}
