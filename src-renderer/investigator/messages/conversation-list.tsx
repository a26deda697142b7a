/** The list of conversations: unread ones first, then by the newest message; a search also finds subjects without one. */

import { Link } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import { fold } from '../../../src-server/vocabulary/search.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, Pill, Search } from '../../shared/kit/controls.tsx';
import styles from './messages.module.css';
import { byUrgency, type Partner } from './partner.ts';

/** Freezes the order while the list has the pointer or the focus, so that no row moves away under the pointer. */
function useFrozenOrder(partners: readonly Partner[], isFrozen: boolean): readonly Partner[] {
  const order = useRef<string[]>([]);
  const sorted = useMemo(() => {
    if (!isFrozen) return partners;
    const place = new Map(order.current.map((id, index) => [id, index]));
    const last = order.current.length;
    return [...partners].sort((a, b) => (place.get(a.subject.id) ?? last) - (place.get(b.subject.id) ?? last));
  }, [partners, isFrozen]);
  useEffect(() => {
    order.current = sorted.map(({ subject }) => subject.id);
  }, [sorted]);
  return sorted;
}

function PartnerRow({
  partner: { subject, studyName, conversation },
  isSelected,
  onOpen,
}: {
  partner: Partner;
  isSelected: boolean;
  onOpen: () => void;
}) {
  const { t, format } = useWords();
  return (
    <li>
      <Link
        to="/messages"
        search={{ study: subject.studyId, subject: subject.id }}
        className={styles.partner}
        aria-current={isSelected ? 'true' : undefined}
        onClick={onOpen}
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
}

export function ConversationList({
  partners,
  openStudies,
  selectedId,
  isNew,
  onNew,
}: {
  partners: readonly Partner[];
  /** Ids of the studies in which a new conversation can start. */
  openStudies: ReadonlySet<string>;
  selectedId: string | undefined;
  /** Also lists subjects without a conversation. */
  isNew: boolean;
  onNew: (isNew: boolean) => void;
}) {
  const { t, format } = useWords();
  const [text, setText] = useState('');
  const [isFrozen, setFrozen] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const sorted = useMemo(() => [...partners].sort((a, b) => byUrgency(a, b, format.compare)), [partners, format]);
  const ordered = useFrozenOrder(sorted, isFrozen);
  const wanted = fold(text.trim());
  const found = ordered.filter(({ subject, studyName, conversation }) =>
    fold(`${subject.displayName} ${studyName} ${conversation?.lastMessage.body ?? ''}`).includes(wanted),
  );
  const withConversation = found.filter(({ conversation }) => conversation);
  const withoutConversation =
    isNew || wanted !== ''
      ? found.filter((one) => !one.conversation && !one.subject.isHidden && openStudies.has(one.subject.studyId))
      : [];
  useEffect(() => {
    if (isNew) field.current?.focus();
  }, [isNew]);

  const rowsOf = (list: readonly Partner[]) =>
    list.map((partner) => (
      <PartnerRow
        key={partner.subject.id}
        partner={partner}
        isSelected={partner.subject.id === selectedId}
        onOpen={() => onNew(false)}
      />
    ));
  return (
    <section
      className={styles.list}
      aria-label={t('messages.conversations')}
      onPointerEnter={() => setFrozen(true)}
      onPointerLeave={() => setFrozen(false)}
      onFocus={() => setFrozen(true)}
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setFrozen(false);
      }}
    >
      <Search label={t('messages.search')} value={text} onChange={setText} inputRef={field} />
      <div className={styles.partners}>
        {withConversation.length > 0 && <ul>{rowsOf(withConversation)}</ul>}
        {withoutConversation.length > 0 && (
          <>
            <h2 className={styles.others}>{t('messages.withoutMessages')}</h2>
            <ul>{rowsOf(withoutConversation)}</ul>
          </>
        )}
        {withConversation.length + withoutConversation.length === 0 && (
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
