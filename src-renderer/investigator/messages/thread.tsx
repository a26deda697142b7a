/** The conversation with one subject. New messages do not scroll a reader who has scrolled up. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { Message } from '../../../src-server/api/contract/index.ts';
import { client } from '../../shared/api/client.ts';
import { loadPages } from '../../shared/api/list-queries.ts';
import { type ListAround, useListAround } from '../../shared/api/long-list.ts';
import { fetchMessages, messagePagesQuery } from '../../shared/api/message-queries.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { studiesQuery } from '../../shared/api/queries.ts';
import { useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button } from '../../shared/kit/controls.tsx';
import { MoreRows } from '../../shared/kit/more-rows.tsx';
import { Empty, ErrorNotice, Notice, QueryView } from '../../shared/kit/state.tsx';
import { localDate } from '../../shared/time/local-day.ts';
import { useCommands } from '../commands/commands.ts';
import { Composer } from './composer.tsx';
import { MessageItem } from './message-item.tsx';
import styles from './messages.module.css';

/** Distance from the end that still counts as being at the end. */
const END_PX = 48;
/** Older messages are read when the reader comes this near to the oldest one. */
const OLDER_PX = 400;

const isUnread = (message: Message) => message.author.principalType === 'SUBJECT' && !message.isRead;

const centre = (element: HTMLElement | null) =>
  element?.querySelector('[data-shown]')?.scrollIntoView({ block: 'center' });

function scrollToEnd(element: HTMLElement | null): void {
  if (element) element.scrollTop = element.scrollHeight;
}

/** Messages grouped by local day; stays scrolled to the end until the reader scrolls up. */
function Log({
  items,
  list,
  timeZone,
  label,
  sentCount,
  shownId,
  onNewest,
}: {
  /** In order of time. */
  items: readonly Message[];
  list: ListAround<Message>;
  /** The message that the address names. */
  shownId: string | undefined;
  onNewest: () => void;
  timeZone: string;
  label: string;
  /** How many messages were sent from this page; each one scrolls to the end. */
  sentCount: number;
}) {
  const { t, format } = useWords();
  const frame = useRef<HTMLElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const isShown = shownId !== undefined && list.shownIndex >= 0;
  const isAtEnd = useRef(!isShown);
  /** Whether the message that the address names stays in the middle: until the reader scrolls. */
  const isAtShown = useRef(isShown);
  const hasNewer = list.newer !== undefined;
  const [belowCount, setBelowCount] = useState(0);
  /** What showed before: its ends and its height, with the pictures that have loaded. */
  const before = useRef({ firstId: items[0]?.id, lastId: items.at(-1)?.id, heightPx: 0, hasNewer });

  // Images load after the text and change the height, so scroll to the end again if the reader was there.
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      if (isAtEnd.current) scrollToEnd(frame.current);
      else if (isAtShown.current) centre(frame.current);
      before.current.heightPx = frame.current?.scrollHeight ?? 0;
    });
    if (content.current) observer.observe(content.current);
    if (frame.current) observer.observe(frame.current);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    const { firstId, lastId, heightPx, hasNewer: hadNewer } = before.current;
    const element = frame.current;
    if (!element) return;
    const isLonger = firstId !== items[0]?.id && items.some(({ id }) => id === firstId);
    // Older messages above must not move those that are being read.
    if (isLonger && !isAtEnd.current) element.scrollTop += element.scrollHeight - heightPx;
    const added = items.length - 1 - items.findLastIndex(({ id }) => id === lastId);
    if (isAtEnd.current) scrollToEnd(element);
    else if (isAtShown.current) centre(element);
    // A page of what was there before is no arrival.
    else if (!hadNewer && added > 0 && added < items.length) setBelowCount((count) => count + added);
    before.current = { firstId: items[0]?.id, lastId: items.at(-1)?.id, heightPx: element.scrollHeight, hasNewer };
  }, [items, hasNewer]);
  const readOlder = () => {
    const element = frame.current;
    if (!element) return;
    const { scrollTop, scrollHeight, clientHeight } = element;
    if (scrollTop < OLDER_PX && list.moreError === null) list.more();
    if (scrollHeight - scrollTop - clientHeight < OLDER_PX && list.newer?.moreError === null) list.newer.more();
  };
  // A short conversation does not scroll.
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each page, and when reading is possible again
  useEffect(readOlder, [items, list.canReadMore, list.newer?.canReadMore]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each message that is sent from here
  useEffect(() => {
    if (isAtShown.current) return;
    isAtEnd.current = true;
    scrollToEnd(frame.current);
  }, [sentCount]);

  const letGo = () => {
    isAtShown.current = false;
  };

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
        onWheel={letGo}
        onPointerDown={letGo}
        onKeyDown={letGo}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          isAtEnd.current = !isAtShown.current && !hasNewer && scrollHeight - scrollTop - clientHeight < END_PX;
          if (isAtEnd.current) setBelowCount(0);
          readOlder();
        }}
      >
        <div ref={content}>
          <MoreRows list={list} text={t('messages.older')} />
          {days.map(([date, dayMessages]) => (
            <section key={date} aria-label={format.date(date)}>
              <p className={styles.day}>{format.date(date)}</p>
              <ol>
                {dayMessages.map((message) => (
                  <li key={message.id}>
                    <MessageItem message={message} timeZone={timeZone} isShown={message.id === shownId} />
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
      {hasNewer && (
        <Button small icon="down" className={styles.below} onPress={onNewest}>
          {t('messages.newest')}
        </Button>
      )}
      {!hasNewer && belowCount > 0 && (
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
  shownId,
  onNewest = () => undefined,
}: {
  studyId: string;
  subjectId: string;
  subjectName: string;
  timeZone: string;
  /** Focus the text field, as after "New message". */
  autoFocus?: boolean;
  /** A message to begin with, wherever in the conversation it is. */
  shownId?: string | undefined;
  /** Shows the newest messages instead. */
  onNewest?: () => void;
}) {
  const { t } = useWords();
  const { user } = useSession();
  const can = usePermissions();
  const queries = useQueryClient();
  const [sentCount, setSentCount] = useState(0);
  const list = useListAround(shownId, (around) => messagePagesQuery(studyId, subjectId, around));
  const messages = useMemo(() => list.items.toReversed(), [list.items]);
  const studies = useQuery(studiesQuery(user.accountId));
  const isComplete = studies.data?.find(({ id }) => id === studyId)?.lifecycleState === 'COMPLETE';
  const mayWrite = can('message.send', studyId);
  const unread = messages.filter(isUnread);
  const mark = useMutation({
    mutationFn: async () => {
      const params = { studyId, subjectId };
      const all =
        list.hasMore || list.newer ? (await loadPages(true, (page) => fetchMessages(params, page))).items : messages;
      for (const { id: messageId } of all.filter(isUnread)) {
        await client.call('markMessageRead', { params: { ...params, messageId }, body: { isRead: true } });
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
      {list.isMissing && <Notice tone="warn">{t('table.shownMissing')}</Notice>}
      {mark.error && <ErrorNotice error={mark.error} onRetry={() => mark.mutate()} />}
      <QueryView query={list.query}>
        {() =>
          messages.length === 0 ? (
            <Empty
              icon="messages"
              title={t('messages.emptyTitle')}
              help={t(mayWrite ? 'messages.emptyHelp' : 'messages.emptyHelpReader', { name: subjectName })}
            />
          ) : (
            <Log
              key={`${subjectId} ${shownId ?? ''}`}
              items={messages}
              list={list}
              shownId={shownId}
              onNewest={onNewest}
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
            if (shownId !== undefined) onNewest();
            if (unread.length > 0) mark.mutate();
          }}
        />
      )}
    </div>
  );
}
