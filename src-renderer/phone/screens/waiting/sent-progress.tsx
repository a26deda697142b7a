/** How much of something the site has. */
import type { WaitingItem } from '../../model.ts';
import { useWords } from '../../words/words.ts';
import styles from './waiting.module.css';

export function SentProgress({ item: { state, sentBytes, totalBytes } }: { item: WaitingItem }) {
  const { t, format } = useWords();
  if (totalBytes === undefined) return null;
  const total = format.bytes(totalBytes);
  const size =
    sentBytes === undefined || state === 'REFUSED'
      ? t('waiting.size', { total })
      : t('waiting.bytes', { sent: format.bytes(sentBytes), total });
  return (
    <>
      <p className={styles.note}>
        {size}
        {state === 'SENDING' && ` · ${t('waiting.states.SENDING')}`}
      </p>
      {sentBytes !== undefined && state !== 'REFUSED' && (
        <progress className={styles.progress} max={totalBytes} value={sentBytes} aria-label={size} />
      )}
    </>
  );
}
