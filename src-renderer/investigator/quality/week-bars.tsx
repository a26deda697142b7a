/** Valid days per week as small bars; a week without any is a line at the bottom. */
import { meetsValidDays } from '../../../src-server/study/quality.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import styles from './quality.module.css';

export function WeekBars({
  weeks,
  validDays,
}: {
  weeks: readonly { week: string; expectedDays: number; validDays: number }[];
  validDays: number | null;
}) {
  const { t, format } = useWords();
  return (
    <span className={styles.bars} role="img" aria-label={t('quality.trend')}>
      {weeks.map((week) => {
        const isMissed = meetsValidDays(week, { validDays }) === false;
        return (
          <span
            key={week.week}
            data-missed={isMissed || undefined}
            style={{ height: `${Math.max(6, (100 * week.validDays) / Math.max(1, week.expectedDays))}%` }}
            title={t('quality.trendText', {
              week: format.date(week.week),
              value: week.validDays,
              days: week.expectedDays,
            })}
          />
        );
      })}
    </span>
  );
}
