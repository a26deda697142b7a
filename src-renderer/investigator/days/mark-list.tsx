/** The list of labels, tasks and faults of a day. */
import { memo } from 'react';
import { useWords } from '../../shared/i18n/i18n.ts';
import { panelClass } from '../../shared/kit/page.tsx';
import { clockReading, type DayClock } from '../../shared/time/local-day.ts';
import styles from './days.module.css';
import type { DayMark } from './lanes/day-marks.ts';

/** Labels, tasks and faults of a day as rows: the same as the marks of the timeline, as text. */
export const MarkList = memo(function MarkList({ marks, clock }: { marks: readonly DayMark[]; clock: DayClock }) {
  const { t, format } = useWords();
  const time = (ms: number) => {
    const reading = clockReading(ms, clock);
    return `${format.dayOfMonth(reading.date)} ${reading.clock}`;
  };
  return (
    <section className={`${panelClass} ${styles.panel}`} aria-label={t('marks.title')}>
      <h2>{t('marks.title')}</h2>
      {marks.length === 0 ? (
        <p className={styles.summary}>{t('marks.none')}</p>
      ) : (
        <table className={styles.marks}>
          <caption className="visually-hidden">{t('marks.title')}</caption>
          <thead>
            <tr>
              <th scope="col">{t('days.time')}</th>
              <th scope="col">{t('marks.kind')}</th>
              <th scope="col">{t('marks.name')}</th>
            </tr>
          </thead>
          <tbody>
            {marks.map((mark) => (
              <tr key={mark.id}>
                <td>
                  {time(mark.startMs)}
                  {mark.stopMs > mark.startMs && <small>{format.duration((mark.stopMs - mark.startMs) / 1000)}</small>}
                </td>
                <td>{t(`marks.kinds.${mark.kind}`)}</td>
                <td>
                  {mark.name}
                  {mark.detail !== '' && <small>{mark.detail}</small>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
});
