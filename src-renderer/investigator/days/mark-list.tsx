import { useWords } from '../../shared/i18n/i18n.ts';
import { panelClass } from '../../shared/kit/page.tsx';
import { clockReading } from '../../shared/time/local-day.ts';
import type { DayMark } from './day-marks.ts';
import styles from './days.module.css';

/** Labels, tasks and faults as rows: what the marks of the drawing say, for reading and for whoever does not see them. */
export function MarkList({ marks, timeZone }: { marks: readonly DayMark[]; timeZone: string }) {
  const { t, format } = useWords();
  const time = (ms: number) => {
    const { date, clock } = clockReading(ms, timeZone);
    return `${format.dayOfMonth(date)} ${clock}`;
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
}
