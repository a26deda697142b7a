/** One message: author, time, text, image, and whether the recipient has read it. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Message } from '../../../src-server/api/contract/index.ts';
import { MINUTE_MS } from '../../../src-server/durations.ts';
import { messagePictureQuery } from '../../shared/api/message-queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, Pill } from '../../shared/kit/controls.tsx';
import { errorSentence } from '../../shared/kit/state.tsx';
import { problemText } from '../coverage/words.ts';
import { useSenders } from '../equipment/device-names.ts';
import styles from './messages.module.css';

/** A message that was written this much earlier than it arrived says when. */
const LATE_MS = 10 * MINUTE_MS;

function Picture({ message, timeZone }: { message: Message; timeZone: string }) {
  const { t, format, language } = useWords();
  const address = useQuery(messagePictureQuery(message.studyId, message.subjectId, message.id));
  const [isBroken, setBroken] = useState(false);
  const name = t('messages.pictureOf', {
    name: message.author.displayName,
    time: format.dateTime(message.createdTs, timeZone),
  });
  if (address.error || isBroken) {
    return (
      <p className={styles.noPicture} role="alert">
        {address.error ? errorSentence(address.error, t, language) : t('messages.pictureBroken')}
        <Button
          small
          onPress={() => {
            setBroken(false);
            void address.refetch();
          }}
        >
          {t('state.retry')}
        </Button>
      </p>
    );
  }
  return (
    <a
      className={styles.picture}
      href={address.data}
      target="_blank"
      rel="noreferrer"
      title={t('messages.openPicture')}
    >
      {address.data && <img src={address.data} alt={name} onError={() => setBroken(true)} />}
    </a>
  );
}

/** What the subject reported, with the name of the sensor while it is registered. */
function Problem({ kind, sensorSerial }: NonNullable<Message['problem']>) {
  const { t } = useWords();
  const { nameOf } = useSenders();
  return (
    <Pill tone={kind === 'SKIN' ? 'bad' : 'warn'}>
      {problemText(kind, sensorSerial === undefined ? undefined : nameOf(sensorSerial), t)}
    </Pill>
  );
}

export function MessageItem({
  message,
  timeZone,
  isShown,
}: {
  message: Message;
  timeZone: string;
  /** Whether the address names this message. */
  isShown: boolean;
}) {
  const { t, format } = useWords();
  const isOurs = message.author.principalType === 'USER';
  return (
    <article
      className={styles.message}
      data-ours={isOurs || undefined}
      data-shown={isShown || undefined}
      aria-current={isShown || undefined}
    >
      <p className={styles.meta}>
        <strong>{message.author.displayName}</strong>
        <time dateTime={new Date(message.createdTs).toISOString()} title={format.dateTime(message.createdTs, timeZone)}>
          {format.clock(message.createdTs, timeZone)}
        </time>
        {message.writtenTs !== undefined && message.createdTs - message.writtenTs >= LATE_MS && (
          <span title={format.dateTime(message.writtenTs, timeZone)}>
            {t('messages.written', { time: format.moment(message.writtenTs, timeZone) })}
          </span>
        )}
        {isOurs ? (
          <span>{t(message.isRead ? 'messages.readBySubject' : 'messages.notReadBySubject')}</span>
        ) : (
          !message.isRead && <Pill tone="info">{t('messages.new')}</Pill>
        )}
      </p>
      {message.problem && (
        <p>
          <Problem {...message.problem} />
        </p>
      )}
      {message.body !== '' && <p className={styles.body}>{message.body}</p>}
      {message.image && <Picture message={message} timeZone={timeZone} />}
    </article>
  );
}
