/** Labels, tasks and faults of a day as a table. */
import type { Format } from '../../../shared/i18n/format.ts';
import type { Translate } from '../../../shared/i18n/i18n.ts';
import { clockReading, type DayClock } from '../../../shared/time/local-day.ts';
import type { DayMark } from '../../days/lanes/day-marks.ts';
import type { Content } from '../contents.tsx';
import styles from '../paper.module.css';

/** About eight pages; a day with more is better read on the screen. */
export const MOST_MARKS = 250;

export function marksTable(marks: readonly DayMark[], clock: DayClock, t: Translate, format: Format): Content[] {
  if (marks.length === 0) return [{ id: 'marks', block: <p className={styles.muted}>{t('marks.none')}</p> }];
  const time = (ms: number) => {
    const reading = clockReading(ms, clock);
    return `${reading.date} ${reading.clock}`;
  };
  const cut = marks.length - MOST_MARKS;
  return [
    {
      id: 'marks',
      table: {
        caption: t('marks.title'),
        columns: [
          { id: 'time', label: t('days.time'), share: 3 },
          { id: 'duration', label: t('days.duration'), share: 2, isNumber: true },
          { id: 'kind', label: t('marks.kind'), share: 2 },
          { id: 'name', label: t('marks.name'), share: 5 },
          { id: 'detail', label: t('paper.details'), share: 9 },
        ],
        rows: marks.slice(0, MOST_MARKS).map(({ id, kind, name, detail, startMs, stopMs }) => ({
          id,
          cells: [
            time(startMs),
            stopMs > startMs ? format.duration((stopMs - startMs) / 1000) : undefined,
            t(`marks.kinds.${kind}`),
            name,
            detail,
          ],
        })),
      },
    },
    ...(cut > 0
      ? [{ id: 'marksCut', block: <p>{t('paper.more', { count: cut, value: format.number(cut) })}</p> }]
      : []),
  ];
}
