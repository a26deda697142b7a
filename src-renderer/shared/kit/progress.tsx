/** Progress bars. */
import styles from './progress.module.css';

/**
 * A named progress bar; the caller writes the same numbers beside it. With a total of 0 it is indeterminate.
 */
export function ProgressBar({ label, done, total }: { label: string; done: number; total: number }) {
  if (total <= 0)
    return (
      <span className={styles.bar} role="progressbar" aria-label={label} data-unknown>
        <span />
      </span>
    );
  return (
    <ProgressTrack className={styles.bar} label={label} percent={Math.min(100, Math.round((100 * done) / total))} />
  );
}

/** The track of a progress bar, in a style of the caller's own. */
export function ProgressTrack({
  className,
  label,
  percent,
}: {
  className: string | undefined;
  label: string;
  percent: number;
}) {
  return (
    <span
      className={className}
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
