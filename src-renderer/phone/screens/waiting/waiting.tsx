/** What was made on this phone and is not at the site yet, since when, and what the site refused. */
import { useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { Confirm } from '../../kit/confirm.tsx';
import { Icon, type IconName } from '../../kit/icon.tsx';
import { Failure, Notice } from '../../kit/notice.tsx';
import { Page, Section } from '../../kit/page.tsx';
import { useAction } from '../../kit/use-action.ts';
import { useActions, useNow, usePhone } from '../../kit/use-phone.ts';
import type { WaitingItem } from '../../model.ts';
import { useWords } from '../../words/words.ts';
import { SentProgress } from './sent-progress.tsx';
import { sinceText } from './since.ts';
import styles from './waiting.module.css';

const ICONS: Record<WaitingItem['kind'], IconName> = {
  REPORT: 'survey',
  MESSAGE: 'message',
  PROBLEM: 'help',
  RECORDING: 'sensor',
};

export function WaitingScreen() {
  const { t } = useWords();
  const { waiting, storage } = usePhone();
  const actions = useActions();
  const { run, isBusy, failure } = useAction();
  const pending = waiting.filter(({ state }) => state !== 'REFUSED');
  const refused = waiting.filter(({ state }) => state === 'REFUSED');
  return (
    <Page
      title={t('waiting.title')}
      backTo="/more"
      actions={
        pending.some(({ state }) => state !== 'RECORDING') && (
          <Button look="primary" aria-disabled={isBusy} onClick={() => run(() => actions.syncNow())}>
            {t(isBusy ? 'waiting.sending' : 'waiting.sendNow')}
          </Button>
        )
      }
    >
      {storage.state !== 'FINE' && (
        <Notice tone={storage.state === 'NEARLY_FULL' ? 'warn' : 'bad'} title={t(`storage.${storage.state}`)}>
          {t(storage.state === 'UNAVAILABLE' ? 'storage.UNAVAILABLE_help' : 'storage.FULL_help')}
        </Notice>
      )}
      <Contact />
      <Failure text={failure} />
      {waiting.length === 0 && (
        <Notice tone="good" title={t('waiting.none')}>
          {t('waiting.noneHelp')}
        </Notice>
      )}
      {refused.length > 0 && (
        <Section title={t('waiting.refusedTitle')}>
          <Notice tone="bad">{t('waiting.refusedHelp')}</Notice>
          <Items items={refused} />
        </Section>
      )}
      {pending.length > 0 && (
        <Section title={t('waiting.states.WAITING')} count={String(pending.length)}>
          <Items items={pending} />
        </Section>
      )}
    </Page>
  );
}

function Contact() {
  const { t, format } = useWords();
  const { connection, timeZone } = usePhone();
  const now = useNow();
  const { lastContactTs } = connection;
  const nextTryTs = connection.state === 'REFUSED' ? undefined : connection.nextTryTs;
  return (
    <div className={styles.contact}>
      {connection.state === 'REFUSED' && <Notice tone="bad">{t('connection.refused')}</Notice>}
      <p>
        {lastContactTs === undefined
          ? t('waiting.neverContact')
          : t('waiting.lastContact', { since: sinceText(lastContactTs, now, { t, format, timeZone }) })}
      </p>
      {nextTryTs !== undefined && nextTryTs > now && (
        <p>{t('waiting.nextTry', { time: format.clock(nextTryTs, timeZone) })}</p>
      )}
    </div>
  );
}

function Items({ items }: { items: readonly WaitingItem[] }) {
  return (
    <ul className={styles.items}>
      {items.map((item) => (
        <Item key={item.id} item={item} />
      ))}
    </ul>
  );
}

function Item({ item }: { item: WaitingItem }) {
  const { t, has, format } = useWords();
  const { timeZone } = usePhone();
  const actions = useActions();
  const now = useNow();
  const { run, isBusy, failure } = useAction();
  const [isAsking, setAsking] = useState(false);
  const kind = t(`waiting.kinds.${item.kind}`);
  // A message may be a picture alone.
  const title = item.title || kind;
  const reason = `waiting.reasons.${item.code ?? 'other'}`;
  return (
    <li className={styles.item}>
      <span className={item.state === 'REFUSED' ? `${styles.icon} ${styles.bad}` : styles.icon}>
        <Icon name={ICONS[item.kind]} />
      </span>
      <div className={styles.text}>
        <p className={styles.title}>{title}</p>
        <p className={styles.note}>
          {item.title !== '' && `${kind} · `}
          {t('waiting.made', { since: sinceText(item.createdTs, now, { t, format, timeZone }) })}
        </p>
        <SentProgress item={item} />
        {item.state === 'RECORDING' && <p className={styles.note}>{t('waiting.states.RECORDING')}</p>}
        {item.state === 'REFUSED' && (
          <>
            <p className={styles.reason}>{t(has(reason) ? reason : 'waiting.reasons.other')}</p>
            {item.kind === 'RECORDING' && (
              <Button
                look="quiet"
                icon="send"
                aria-disabled={isBusy}
                onClick={() => run(() => actions.sendAgain(item.id))}
              >
                {t('waiting.again')}
                <span className="visually-hidden">: {title}</span>
              </Button>
            )}
            <Button look="quiet" icon="trash" onClick={() => setAsking(true)}>
              {t('waiting.remove')}
              <span className="visually-hidden">: {title}</span>
            </Button>
          </>
        )}
        {!isAsking && <Failure text={failure} />}
      </div>
      {isAsking && (
        <Confirm
          title={t('waiting.removeTitle')}
          action={t('waiting.remove')}
          isBusy={isBusy}
          onConfirm={() => run(() => actions.removeRefused(item.id))}
          onClose={() => setAsking(false)}
        >
          <p>{t('waiting.removeHelp')}</p>
          <Failure text={failure} />
        </Confirm>
      )}
    </li>
  );
}
