/** The conversation with one subject. New messages do not scroll a reader who has scrolled up. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Message } from '../../../src-server/api/contract/index.ts';
import { client } from '../../shared/api/client.ts';
import { messagesQuery } from '../../shared/api/message-queries.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { studiesQuery } from '../../shared/api/queries.ts';
import { useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button } from '../../shared/kit/controls.tsx';
import { Empty, ErrorNotice, Notice, QueryView } from '../../shared/kit/state.tsx';
import { localDate } from '../../shared/time/local-day.ts';
import { useCommands } from '../commands/commands.ts';
import { Composer } from './composer.tsx';
import { MessageItem } from './message-item.tsx';
import styles from './messages.module.css';

/** Distance from the end that still counts as being at the end. */
const END_PX = 48;

const isUnread = (message: Message) => message.author.principalType === 'SUBJECT' && !message.isRead;

function scrollToEnd(element: HTMLElement | null): void {
  if (element) element.scrollTop = element.scrollHeight;
}

/** Messages grouped by local day; stays scrolled to the end until the reader scrolls up. */
function Log({
  items,
  timeZone,
  label,
  sentCount,
}: {
  items: readonly Message[];
  timeZone: string;
  label: string;
  /** How many messages were sent from this page; each one scrolls to the end. */
  sentCount: number;
}) {
  const { t, format } = useWords();
  const frame = useRef<HTMLElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const [belowCount, setBelowCount] = useState(0);
  const known = useRef(items.length);

  // Images load after the text and change the height, so scroll to the end again if the reader was there.
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      if (isAtEnd.current) scrollToEnd(frame.current);
    });
    if (content.current) observer.observe(content.current);
    if (frame.current) observer.observe(frame.current);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const added = items.length - known.current;
    known.current = items.length;
    if (isAtEnd.current) scrollToEnd(frame.current);
    else if (added > 0) setBelowCount((count) => count + added);
  }, [items]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each message that is sent from here
  useEffect(() => {
    isAtEnd.current = true;
    scrollToEnd(frame.current);
  }, [sentCount]);

  const days = useMemo(() => {
    const byDate = new Map<string, Message[]>();
    for (const message of items) {
      const date = localDate(message.createdTs, timeZone);
      byDate.set(date, [...(byDate.get(date) ?? []), message]);
    }
    return [...byDate];
  }, [items, timeZone]);

  return (
    <div className={styles.logFrame}>
      <section
        ref={frame}
        className={styles.log}
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        tabIndex={0}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          isAtEnd.current = scrollHeight - scrollTop - clientHeight < END_PX;
          if (isAtEnd.current) setBelowCount(0);
        }}
      >
        <div ref={content}>
          {days.map(([date, dayMessages]) => (
            <section key={date} aria-label={format.date(date)}>
              <p className={styles.day}>{format.date(date)}</p>
              <ol>
                {dayMessages.map((message) => (
                  <li key={message.id}>
                    <MessageItem message={message} timeZone={timeZone} />
                  </li>
                ))}
              </ol>
            </section>
          ))}
        </div>
      </section>
      <p className="visually-hidden" role="status">
        {belowCount > 0 ? t('messages.arrived', { count: belowCount }) : ''}
      </p>
      {belowCount > 0 && (
        <Button small kind="primary" icon="down" className={styles.below} onPress={() => scrollToEnd(frame.current)}>
          {t('messages.arrived', { count: belowCount })}
        </Button>
      )}
    </div>
  );
}

export function Thread({
  studyId,
  subjectId,
  subjectName,
  timeZone,
  autoFocus,
}: {
  studyId: string;
  subjectId: string;
  subjectName: string;
  timeZone: string;
  /** Focus the text field, as after "New message". */
  autoFocus?: boolean;
}) {
  const { t } = useWords();
  const { user } = useSession();
  const can = usePermissions();
  const queries = useQueryClient();
  const [sentCount, setSentCount] = useState(0);
  const messages = useQuery(messagesQuery(studyId, subjectId));
  const studies = useQuery(studiesQuery(user.accountId));
  const isComplete = studies.data?.find(({ id }) => id === studyId)?.lifecycleState === 'COMPLETE';
  const mayWrite = can('message.send', studyId);
  const unread = messages.data?.items.filter(isUnread) ?? [];
  const mark = useMutation({
    mutationFn: async () => {
      for (const { id: messageId } of unread) {
        await client.call('markMessageRead', { params: { studyId, subjectId, messageId }, body: { isRead: true } });
      }
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['message'] }),
  });
  const canMark = mayWrite && unread.length > 0 && !mark.isPending;
  useCommands([
    {
      id: 'messages.markRead',
      label: t('messages.markRead'),
      keys: ['r'],
      scope: 'page',
      isEnabled: canMark,
      run: () => mark.mutate(),
    },
  ]);

  return (
    <div className={styles.thread}>
      <div className={styles.threadHead}>
        <p className={styles.hint}>{t('messages.zone', { zone: timeZone })}</p>
        {unread.length > 0 && (
          <span className={styles.unread}>
            {t('messages.unread', { count: unread.length })}
            {mayWrite && (
              <Button small icon="check" isDisabled={!canMark} onPress={() => mark.mutate()}>
                {t('messages.markRead')}
              </Button>
            )}
          </span>
        )}
      </div>
      {mark.error && <ErrorNotice error={mark.error} onRetry={() => mark.mutate()} />}
      <QueryView query={messages}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty
              icon="messages"
              title={t('messages.emptyTitle')}
              help={t(mayWrite ? 'messages.emptyHelp' : 'messages.emptyHelpReader', { name: subjectName })}
            />
          ) : (
            <Log
              key={subjectId}
              items={items}
              timeZone={timeZone}
              sentCount={sentCount}
              label={t('messages.threadWith', { name: subjectName })}
            />
          )
        }
      </QueryView>
      {!mayWrite ? (
        <Notice tone="info">{t('messages.readOnly')}</Notice>
      ) : isComplete ? (
        <Notice tone="info">{t('messages.complete')}</Notice>
      ) : (
        <Composer
          key={subjectId}
          studyId={studyId}
          subjectId={subjectId}
          subjectName={subjectName}
          autoFocus={autoFocus}
          onSent={() => {
            setSentCount((count) => count + 1);
            if (unread.length > 0) mark.mutate();
          }}
        />
      )}
    </div>
  );
}
