/** What works on this phone, and what does not, each in a sentence that says what to do. */

import { Icon } from '../../kit/icon.tsx';
import { TrustLink } from '../../kit/trust-link.tsx';
import type { Reach, StorageState } from '../../model.ts';
import { useWords, type WordKey } from '../../words/words.ts';
import styles from './more.module.css';

interface Point {
  id: string;
  works: boolean;
  text: WordKey;
}

function pointsOf(reach: Reach, storage: StorageState): Point[] {
  const bluetooth: WordKey = `reach.bluetooth.${reach.bluetooth}`;
  return [
    {
      id: 'tasks',
      works: storage.state !== 'UNAVAILABLE',
      text: storage.state === 'UNAVAILABLE' ? 'reach.noStorage' : 'reach.tasks',
    },
    { id: 'secure', works: reach.isSecure, text: reach.isSecure ? 'reach.secure' : 'reach.notSecure' },
    { id: 'offline', works: reach.opensOffline, text: reach.opensOffline ? 'reach.offline' : 'reach.notOffline' },
    { id: 'bluetooth', works: reach.bluetooth === 'YES', text: bluetooth },
    ...(reach.canKeepScreenOn ? [] : [{ id: 'screen', works: false, text: 'reach.notScreen' as const }]),
    ...(reach.canVibrate ? [] : [{ id: 'vibrate', works: false, text: 'reach.notVibrate' as const }]),
    ...(storage.isPersistent === false
      ? [{ id: 'persistent', works: false, text: 'reach.notPersistent' as const }]
      : []),
  ];
}

export function ReachList({ reach, storage }: { reach: Reach; storage: StorageState }) {
  const { t } = useWords();
  return (
    <ul className={styles.reach}>
      {pointsOf(reach, storage).map(({ id, works, text }) => (
        <li key={id}>
          <span className={works ? styles.works : styles.worksNot}>
            <Icon name={works ? 'check' : 'info'} size={20} />
          </span>
          <div className={styles.reachText}>
            <span>{t(text)}</span>
            {id === 'secure' && !works && <TrustLink />}
          </div>
        </li>
      ))}
    </ul>
  );
}
