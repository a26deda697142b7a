/** The values of a day's timeline as rows of 10, 30 or 60 minutes. */
import { useMemo, useState } from 'react';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Segments } from '../../shared/kit/controls.tsx';
import { Faint, TableFrame } from '../../shared/kit/data-table.tsx';
import { noteClass } from '../../shared/kit/page.tsx';
import table from '../../shared/kit/table.module.css';
import { clockChanges, clockReading, type DayClock } from '../../shared/time/local-day.ts';
import styles from './days.module.css';
import { type DayData, type Span, tableRows } from './lanes/day-data.ts';
import { postureText } from './lanes/lane-styles.ts';
import { spanWords } from './span-words.ts';

const STEPS_MIN = ['10', '30', '60'] as const;

/** The timeline as a table, for readers who prefer rows to lines. */
export function DayTable({ data, view, clock }: { data: DayData; view: Span; clock: DayClock }) {
  const { t, format } = useWords();
  const [minutes, setMinutes] = useState<(typeof STEPS_MIN)[number]>('30');
  const rows = useMemo(() => tableRows(data, view, Number(minutes)), [data, view, minutes]);
  const showsOffset = clockChanges(view.startMs, view.stopMs, clock).length > 0;
  const caption = t('days.tableCaption', { span: spanWords(view, clock, t, format), minutes });
  const none = <Faint>{t('days.noValue')}</Faint>;
  const value = (number: number | undefined, digits: number) =>
    number === undefined ? none : format.number(number, digits);
  return (
    <div className={styles.table}>
      <div className={styles.tableHead}>
        <p className={noteClass}>{t('days.tableNote', { minutes })}</p>
        <Segments
          label={t('days.step')}
          value={minutes}
          options={STEPS_MIN.map((id) => ({ id, label: t('days.minutes', { count: Number(id) }) }))}
          onChange={setMinutes}
        />
      </div>
      <TableFrame caption={caption} className={styles.tableFrame}>
        <thead>
          <tr>
            <th scope="col">{t('days.time')}</th>
            <th scope="col">{t('lanes.wear')}</th>
            <th scope="col">{t('lanes.activity')}</th>
            <th scope="col">{t('lanes.posture')}</th>
            <th scope="col" className={table.number}>
              {t('table.withNote', { name: t('lanes.heartRate'), aside: t('lanes.units.bpm') })}
            </th>
            <th scope="col" className={table.number}>
              {t('table.withNote', { name: t('lanes.variability'), aside: t('lanes.units.milliseconds') })}
            </th>
            <th scope="col" className={table.number}>
              {t('lanes.steps')}
            </th>
            <th scope="col" className={table.number}>
              {t('table.withNote', { name: t('lanes.respiration'), aside: t('lanes.units.breaths') })}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const start = clockReading(row.startMs, clock);
            return (
              <tr key={row.startMs}>
                <td>
                  {format.shortDate(start.date)} {start.clock} {showsOffset && <Faint>{start.offset}</Faint>}
                </td>
                <td>{t(`wear.${row.wear}`)}</td>
                <td>{row.activity ? t(`activity.${row.activity}`) : none}</td>
                <td>{row.posture ? postureText(row.posture, t) : none}</td>
                <td className={table.number}>
                  {row.heartRate ? (
                    <>
                      {format.number(row.heartRate.mean)}{' '}
                      <Faint>
                        (
                        {t('table.range', {
                          low: format.number(row.heartRate.low),
                          high: format.number(row.heartRate.high),
                        })}
                        )
                      </Faint>
                    </>
                  ) : (
                    none
                  )}
                </td>
                <td className={table.number}>{value(row.variability, 0)}</td>
                <td className={table.number}>{value(row.steps, 0)}</td>
                <td className={table.number}>{value(row.respiration, 1)}</td>
              </tr>
            );
          })}
        </tbody>
      </TableFrame>
    </div>
  );
}
