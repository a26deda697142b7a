/** The conversation with the study team, and a field to write below it. */
import { useEffect, useState } from 'react';
import { LONGEST_MESSAGE } from '../../../../src-server/vocabulary/message-placeholders.ts';
import { Nothing } from '../../kit/body.tsx';
import { Button } from '../../kit/button.tsx';
import { Icon } from '../../kit/icon.tsx';
import { Failure } from '../../kit/notice.tsx';
import { Page } from '../../kit/page.tsx';
import { useAction } from '../../kit/use-action.ts';
import { useKeptWriting } from '../../kit/use-kept-writing.ts';
import { useActions, useNow, usePhone } from '../../kit/use-phone.ts';
import type { PhoneMessage } from '../../model.ts';
import { useWords } from '../../words/words.ts';
import { localDate, sinceText } from '../waiting/since.ts';
import styles from './messages.module.css';
import { PictureTray, usePictureBlobs, usePictures } from './pictures.tsx';

export function MessagesScreen() {
  const { t } = useWords();
  const { messages } = usePhone();
  const actions = useActions();
  const unread = messages.filter(({ from, isRead }) => from === 'TEAM' && !isRead).map(({ id }) => id);
  const unreadKey = unread.join();
  useEffect(() => {
    // Reading is noted when the messages are on the screen; without a network it waits with the rest.
    if (unreadKey !== '') actions.markRead(unreadKey.split(',')).catch(() => undefined);
  }, [actions, unreadKey]);
  useEffect(() => {
    if (messages.length === 0) return;
    const frame = requestAnimationFrame(() => scrollTo(0, document.documentElement.scrollHeight));
    return () => cancelAnimationFrame(frame);
  }, [messages.length]);
  return (
    <Page title={t('messages.title')} screen="messages">
      {messages.length === 0 ? (
        <Nothing>
          <Icon name="message" size={40} />
          <h2>{t('messages.emptyTitle')}</h2>
          <p>{t('messages.emptyHelp')}</p>
        </Nothing>
      ) : (
        <Conversation messages={messages} />
      )}
      <Composer />
    </Page>
  );
}

function Conversation({ messages }: { messages: readonly PhoneMessage[] }) {
  const { t, format } = useWords();
  const { timeZone } = usePhone();
  let lastDate = '';
  return (
    <ol className={styles.list} aria-label={t('messages.list')}>
      {messages.map((message) => {
        const date = localDate(message.createdTs, timeZone);
        const isNewDate = date !== lastDate;
        lastDate = date;
        return (
          <li key={message.id} className={message.from === 'SUBJECT' ? styles.mine : styles.theirs}>
            {isNewDate && <p className={styles.date}>{format.shortDate(date)}</p>}
            <Bubble message={message} />
          </li>
        );
      })}
    </ol>
  );
}

function Bubble({ message }: { message: PhoneMessage }) {
  const { t, format } = useWords();
  const { timeZone } = usePhone();
  const now = useNow();
  const { state, createdTs, body, pictures, from } = message;
  const isWaiting = state === 'WAITING' || state === 'SENDING' || state === 'REFUSED';
  const stateText =
    state === undefined
      ? undefined
      : state === 'SENT' && message.isRead
        ? t('messages.states.READ')
        : t(`messages.states.${state}`, { since: sinceText(createdTs, now, { t, format, timeZone }) });
  return (
    <article className={isWaiting ? `${styles.bubble} ${styles.unsent}` : styles.bubble}>
      <p className={styles.author}>
        {from === 'SUBJECT' ? t('messages.you') : message.authorName}
        {message.isProblem && <span className={styles.tag}>{t('messages.problem')}</span>}
      </p>
      {body !== '' && <p className={styles.body}>{body}</p>}
      {pictures.map(({ id, url }) =>
        url === undefined ? (
          <p key={id} className={styles.noPicture}>
            <Icon name="picture" size={20} /> {t('messages.notHere')}
          </p>
        ) : (
          <img key={id} className={styles.picture} src={url} alt={t('messages.picture')} loading="lazy" />
        ),
      )}
      <p className={styles.meta}>
        {isWaiting && <Icon name={state === 'REFUSED' ? 'warn' : 'waiting'} size={18} />}
        <span>
          {stateText !== undefined && isWaiting
            ? stateText
            : [format.clock(createdTs, timeZone), stateText].filter(Boolean).join(' · ')}
        </span>
      </p>
    </article>
  );
}

function Composer() {
  const { t } = useWords();
  const actions = useActions();
  const { run, isBusy, failure } = useAction();
  const pictures = usePictures();
  const [body, setBody] = useState('');
  const isEmpty = body.trim() === '' && pictures.list.length === 0;
  useKeptWriting({
    place: 'MESSAGE',
    body,
    pictures: usePictureBlobs(pictures),
    isSending: isBusy,
    restore: (kept) => {
      setBody(kept.body);
      pictures.set(kept.pictures);
    },
  });
  const send = async () => {
    if (isEmpty || pictures.isPreparing) return;
    const sent = await run(() =>
      actions.sendMessage({ body: body.trim(), pictures: pictures.list.map(({ blob }) => blob) }),
    );
    if (!sent) return;
    setBody('');
    pictures.set([]);
  };
  return (
    <section className={styles.composer} aria-label={t('messages.write')}>
      <label htmlFor="message">{t('messages.write')}</label>
      <textarea
        id="message"
        rows={2}
        value={body}
        maxLength={LONGEST_MESSAGE}
        onChange={(event) => setBody(event.target.value)}
      />
      <Failure text={failure} />
      <PictureTray pictures={pictures}>
        <Button look="primary" icon="send" aria-disabled={isBusy || isEmpty || pictures.isPreparing} onClick={send}>
          {t('messages.send')}
        </Button>
      </PictureTray>
      <p className={styles.notUrgent}>{t('messages.notUrgent')}</p>
    </section>
  );
}
