/** The part of a day's page below the timeline: totals of the view, labels and faults, metrics of the day. */
import { memo } from 'react';
import type { DeskSubject } from '../../shared/api/queries.ts';
import type { Format } from '../../shared/i18n/format.ts';
import { type Translate, useWords } from '../../shared/i18n/i18n.ts';
import { panelClass } from '../../shared/kit/page.tsx';
import { QueryView } from '../../shared/kit/state.tsx';
import { localDate, zoneAt } from '../../shared/time/local-day.ts';
import { DayMetrics } from '../metrics/day-metrics.tsx';
import { SignedBy } from '../signatures/signed-by.tsx';
import { Totals } from './day-parts.tsx';
import styles from './days.module.css';
import type { DayTotals } from './lanes/day-data.ts';
import type { DayMark } from './lanes/day-marks.ts';
import { MarkList } from './mark-list.tsx';
import { spanWords } from './span-words.ts';
import type { DayReads } from './use-day.ts';

/** Lowest, highest and mean heart rate in words. */
export function heartSummary(heartRate: DayTotals['heartRate'], t: Translate, format: Format): string {
  if (!heartRate) return t('days.summaryNoHeart');
  const { low, high, mean } = heartRate;
  return t('days.summaryHeart', { low: format.number(low), high: format.number(high), mean: format.number(mean) });
}

export const DayBelow = memo(function DayBelow({
  subject,
  date,
  totals,
  annotations,
  metrics,
  marks,
}: {
  subject: DeskSubject;
  date: string;
  totals: DayTotals | undefined;
  annotations: DayReads['annotations'];
  metrics: DayReads['metrics'];
  marks: readonly DayMark[];
}) {
  const { t, format } = useWords();
  const { timezones } = subject;
  const item = metrics.data?.items.find(({ dayStartMsUtc, subjectTz }) => localDate(dayStartMsUtc, subjectTz) === date);
  return (
    <div className={styles.below}>
      <div className={styles.beside}>
        {totals && (
          <section className={`${panelClass} ${styles.panel}`} aria-label={t('days.inView')}>
            <h2>{t('days.inView')}</h2>
            <p className={styles.summary}>
              {t('days.summary', {
                span: spanWords(totals, timezones, t, format),
                zone: item?.subjectTz ?? zoneAt(totals.startMs, timezones),
                worn: format.duration(totals.wornSeconds),
                asleep: format.duration(totals.asleepSeconds),
                heartRate: heartSummary(totals.heartRate, t, format),
                steps: totals.steps === undefined ? t('days.summaryNoHeart') : format.number(totals.steps),
                gap: format.duration(totals.gapSeconds),
              })}
            </p>
            <Totals totals={totals} />
          </section>
        )}
        <QueryView query={annotations}>{() => <MarkList marks={marks} clock={timezones} />}</QueryView>
      </div>
      <QueryView query={metrics}>{() => <DayMetrics item={item} date={date} clock={timezones} />}</QueryView>
      {item && (
        <SignedBy
          studyId={subject.studyId}
          target={{ kind: 'subject-day', targetId: subject.id, date }}
          name={t('signatures.ofDay', { subject: subject.displayName, date: format.date(date) })}
        />
      )}
    </div>
  );
});
