/** The time left as a ring and in digits; a screen reader hears it at whole minutes only. */
import { useWords } from '../../words/words.ts';
import { spokenSeconds, timerText } from './timer.ts';
import styles from './timer-dial.module.css';

const RADIUS = 92;
const LENGTH = 2 * Math.PI * RADIUS;

export function TimerDial({
  elapsed,
  left,
  durationSec,
  isRunning,
}: {
  elapsed: number;
  left: number | undefined;
  durationSec: number | undefined;
  isRunning: boolean;
}) {
  const { t, format } = useWords();
  const share = left === undefined || !durationSec ? 1 : left / (durationSec * 1000);
  const spoken = left === undefined ? undefined : spokenSeconds(left);
  return (
    <div className={styles.dial}>
      <svg viewBox="0 0 200 200" aria-hidden="true">
        <circle className={styles.ground} cx="100" cy="100" r={RADIUS} />
        <circle
          className={styles.rest}
          cx="100"
          cy="100"
          r={RADIUS}
          strokeDasharray={LENGTH}
          strokeDashoffset={LENGTH * (1 - share)}
          transform="rotate(-90 100 100)"
        />
      </svg>
      <div className={styles.text}>
        <span className={styles.time} role="timer">
          {left === undefined ? timerText(elapsed, 'down') : timerText(left)}
        </span>
        <span className={styles.note}>
          {isRunning ? t(left === undefined ? 'activity.running' : 'activity.left') : t('activity.paused')}
        </span>
      </div>
      <span className="visually-hidden" role="status">
        {!isRunning && t('activity.paused')}
        {isRunning &&
          spoken !== undefined &&
          spoken > 0 &&
          t('activity.spokenLeft', { duration: format.duration(spoken) })}
      </span>
    </div>
  );
}
