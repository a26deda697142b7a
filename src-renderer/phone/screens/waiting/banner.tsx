/** One line above the tabs: what the subject should know on any screen. The most pressing alone is shown. */
import { Icon, type IconName } from '../../kit/icon.tsx';
import { hrefOf } from '../../kit/route.ts';
import { useActions, useNow, usePhone } from '../../kit/use-phone.ts';
import { useWords } from '../../words/words.ts';
import { isFree } from '../../worker/free.ts';
import styles from './banner.module.css';
import { sinceText } from './since.ts';

export function StatusBanner() {
  const phone = usePhone();
  return (
    <div role="status" className={styles.region}>
      {phone.phase === 'READY' && <Line />}
    </div>
  );
}

function Line() {
  const { t, format } = useWords();
  const phone = usePhone();
  const actions = useActions();
  const now = useNow();
  const { connection, storage, updateWaits, timeZone } = phone;
  const waiting = phone.waiting.filter(({ state }) => state === 'WAITING' || state === 'SENDING');
  const refused = phone.waiting.filter(({ state }) => state === 'REFUSED').length;
  if (storage.state === 'FULL' || storage.state === 'UNAVAILABLE')
    return <BannerLink to="/waiting" tone="bad" icon="warn" text={t(`storage.${storage.state}`)} />;
  if (refused > 0)
    return <BannerLink to="/waiting" tone="bad" icon="warn" text={t('waiting.refused', { count: refused })} />;
  if (connection.state === 'REFUSED')
    return <BannerLink to="/waiting" tone="bad" icon="warn" text={t('connection.refused')} />;
  if (connection.state === 'OFFLINE') {
    const oldest = Math.min(...waiting.map(({ createdTs }) => createdTs));
    const text =
      waiting.length === 0
        ? t('connection.offline')
        : t('connection.offlineWaiting', {
            count: waiting.length,
            since: sinceText(oldest, now, { t, format, timeZone }),
          });
    return <BannerLink to="/waiting" tone="plain" icon="offline" text={text} />;
  }
  // Where something is typed, or recorded, the page cannot be loaded again.
  if (updateWaits && isFree() && !phone.waiting.some(({ state }) => state === 'RECORDING'))
    return (
      <button type="button" className={`${styles.line} ${styles.info}`} onClick={() => void actions.applyUpdate()}>
        <Icon name="info" size={20} />
        <span>{t('frame.updateWaits')}</span>
      </button>
    );
  if (waiting.length > 0)
    return (
      <BannerLink to="/waiting" tone="plain" icon="waiting" text={t('connection.sending', { count: waiting.length })} />
    );
  return null;
}

function BannerLink({ to, tone, icon, text }: { to: string; tone: 'plain' | 'bad'; icon: IconName; text: string }) {
  return (
    <a href={hrefOf(to)} className={`${styles.line} ${styles[tone]}`}>
      <Icon name={icon} size={20} />
      <span>{text}</span>
      <Icon name="forward" size={18} />
    </a>
  );
}
