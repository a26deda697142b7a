/** What became of a recording after Stop. */
import { Notice } from '../../kit/notice.tsx';
import type { WaitingItem } from '../../model.ts';
import { useWords } from '../../words/words.ts';
import { SentProgress } from '../waiting/sent-progress.tsx';
import styles from './record.module.css';

export interface Ended {
  recordedMs: number;
}

/** @param unsent files of it that the site does not have yet */
export function EndedRecording({
  ended,
  unsent,
  hasRefused,
}: {
  ended: Ended;
  unsent: readonly WaitingItem[];
  /** The site refused one of this sensor; another notice says so. */
  hasRefused: boolean;
}) {
  const { t } = useWords();
  const sending = unsent.find(({ state }) => state === 'SENDING');
  const [first] = unsent;
  return (
    <div role="status" className={styles.ended}>
      {ended.recordedMs === 0 ? (
        <Notice tone="warn" title={t('record.ended')}>
          {t('record.endedEmpty')}
        </Notice>
      ) : first ? (
        <>
          <Notice title={t('record.ended')}>{t(sending ? 'record.endedSending' : 'record.endedWaits')}</Notice>
          <SentProgress item={sending ?? first} />
        </>
      ) : (
        <Notice tone={hasRefused ? 'info' : 'good'} title={t('record.ended')}>
          {!hasRefused && t('record.endedSent')}
        </Notice>
      )}
    </div>
  );
}
