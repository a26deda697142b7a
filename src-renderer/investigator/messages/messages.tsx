/** Conversations with the subjects of all studies. */
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { conversationsQuery } from '../../shared/api/message-queries.ts';
import { isLocked } from '../../shared/api/permission-check.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { studiesQuery, subjectQuery } from '../../shared/api/queries.ts';
import { useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button } from '../../shared/kit/controls.tsx';
import { panelClass } from '../../shared/kit/page.tsx';
import { ToStudies } from '../../shared/kit/refused.tsx';
import { Empty, QueryView, ReadError, SkeletonRows } from '../../shared/kit/state.tsx';
import { ConversationList } from './conversation-list.tsx';
import styles from './messages.module.css';
import type { Partner } from './partner.ts';
import { Thread } from './thread.tsx';
import { usePartners } from './use-partners.ts';

const BatchDialog = lazy(async () => ({ default: (await import('./batch/batch-dialog.tsx')).BatchDialog }));

/** The conversation that is open, under the name of its subject. */
function Chosen({ partner: { subject, studyName, conversation } }: { partner: Partner }) {
  return (
    <>
      <h2 className={styles.chosenHead}>
        <Link
          to="/studies/$studyId/subjects/$subjectId/days"
          params={{ studyId: subject.studyId, subjectId: subject.id }}
        >
          {subject.displayName}
        </Link>
        <small>{studyName}</small>
      </h2>
      <Thread
        key={subject.id}
        studyId={subject.studyId}
        subjectId={subject.id}
        subjectName={subject.displayName}
        timeZone={subject.timezone}
        autoFocus={conversation === undefined}
      />
    </>
  );
}

export function Messages() {
  const { t } = useWords();
  const { user } = useSession();
  const can = usePermissions();
  const { subject: selectedId } = useSearch({ from: '/desk/messages' });
  const [isNew, setNew] = useState(false);
  const [isBatch, setBatch] = useState(false);
  const studies = useQuery(studiesQuery(user.accountId));
  const conversations = useQuery(conversationsQuery(user.accountId));
  const { partners, isPending, failed } = usePartners(studies.data, conversations.data?.items);
  // Complete and archived studies accept no messages.
  const open = new Set(studies.data?.flatMap((one) => (isLocked(one) || !can('message.send', one.id) ? [] : [one.id])));
  const mayWrite = partners.some(({ subject }) => open.has(subject.studyId));
  const selected = partners.find(({ subject }) => subject.id === selectedId);
  const unread = conversations.data?.items.reduce((sum, { unreadCount }) => sum + unreadCount, 0) ?? 0;

  return (
    <div className={styles.page}>
      <div className={styles.pageHead}>
        <h1>{t('messages.title')}</h1>
        <p>
          {unread > 0
            ? t('messages.unread', { count: unread })
            : conversations.data && conversations.data.items.length > 0 && t('messages.allRead')}
        </p>
        {mayWrite && (
          <Button kind="primary" icon="plus" aria-pressed={isNew} onPress={() => setNew(!isNew)}>
            {t('messages.newMessage')}
          </Button>
        )}
        {mayWrite && <Button onPress={() => setBatch(true)}>{t('messages.batch.open')}</Button>}
        <Suspense>
          {isBatch && (
            <BatchDialog
              studies={studies.data?.filter(({ id }) => open.has(id)) ?? []}
              onClose={() => setBatch(false)}
            />
          )}
        </Suspense>
      </div>
      {failed?.error && <ReadError error={failed.error} onRetry={() => void failed?.refetch()} />}
      <QueryView query={conversations}>
        {({ items }) =>
          isPending && partners.length === 0 ? (
            <SkeletonRows />
          ) : partners.length === 0 ? (
            <Empty icon="messages" title={t('messages.noSubjectsTitle')} help={t('messages.noSubjectsHelp')}>
              <ToStudies />
            </Empty>
          ) : (
            <div className={styles.columns}>
              <ConversationList
                partners={partners}
                openStudies={open}
                selectedId={selectedId}
                isNew={isNew}
                onNew={setNew}
              />
              <section className={`${panelClass} ${styles.chosen}`} aria-label={t('messages.conversation')}>
                {selected ? (
                  <Chosen partner={selected} />
                ) : (
                  <Empty
                    icon="messages"
                    title={t(items.length > 0 ? 'messages.chooseTitle' : 'messages.noneTitle')}
                    help={t(items.length > 0 ? 'messages.chooseHelp' : 'messages.noneHelp')}
                  />
                )}
              </section>
            </div>
          )
        }
      </QueryView>
    </div>
  );
}

/** The conversation with one subject, as a page of the subject. */
export function SubjectMessages() {
  const { studyId, subjectId } = useParams({ from: '/desk/studies/$studyId/subjects/$subjectId/messages' });
  const { show } = useSearch({ from: '/desk/studies/$studyId/subjects/$subjectId/messages' });
  const navigate = useNavigate({ from: '/studies/$studyId/subjects/$subjectId/messages' });
  const subject = useQuery(subjectQuery(studyId, subjectId));
  return (
    <div className={`${panelClass} ${styles.ofSubject}`}>
      <QueryView query={subject}>
        {({ displayName, timezone }) => (
          <Thread
            key={subjectId}
            studyId={studyId}
            subjectId={subjectId}
            subjectName={displayName}
            timeZone={timezone}
            shownId={show}
            onNewest={() => void navigate({ search: {}, replace: true })}
          />
        )}
      </QueryView>
    </div>
  );
}
