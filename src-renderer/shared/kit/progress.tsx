import styles from './progress.module.css';

/**
 * How far something is, as a bar with a name; what it says is also written beside it. Without a total it only shows that the
 * work is under way.
 */
export function ProgressBar({ label, done, total }: { label: string; done: number; total: number }) {
  if (total <= 0)
    return (
      <span className={styles.bar} role="progressbar" aria-label={label} data-unknown>
        <span />
      </span>
    );
  const percent = Math.min(100, Math.round((100 * done) / total));
  return (
    <span
      className={styles.bar}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
    >
      <span style={{ width: `${percent}%` }} />
    </span>
  );
}
