/** Month calendar of a subject's days. Loaded lazily on first opening, because its calendar library is large. */
import { type CalendarDate, parseDate } from '@internationalized/date';
import { Calendar, CalendarCell, CalendarGrid, Heading, Button as SlotButton } from 'react-aria-components';
import { useWords } from '../../../shared/i18n/i18n.ts';
import kit from '../../../shared/kit/controls.module.css';
import { Icon } from '../../../shared/kit/icon.tsx';
import type { DayOption } from '../day-options.ts';
import styles from './day-picker.module.css';

/** Marks days with recordings with a dot. */
export function DayCalendar({
  date,
  days,
  onDate,
}: {
  date: string;
  days: DayOption[];
  onDate: (date: string) => void;
}) {
  const { t } = useWords();
  const recorded = new Set(days.filter((day) => day.recordedSeconds > 0).map((day) => day.date));
  return (
    <Calendar
      autoFocus
      aria-label={t('days.picker')}
      value={parseDate(date)}
      onChange={(chosen: CalendarDate) => onDate(chosen.toString())}
    >
      <header>
        <SlotButton slot="previous" className={`${kit.button} ${kit.quiet} ${kit.icon}`}>
          <Icon name="left" />
        </SlotButton>
        <Heading />
        <SlotButton slot="next" className={`${kit.button} ${kit.quiet} ${kit.icon}`}>
          <Icon name="right" />
        </SlotButton>
      </header>
      <CalendarGrid weekdayStyle="short">
        {(cell) => (
          <CalendarCell date={cell} className={styles.cell}>
            {({ formattedDate }) => (
              <>
                {formattedDate}
                {recorded.has(cell.toString()) && <span className={styles.dot} />}
              </>
            )}
          </CalendarCell>
        )}
      </CalendarGrid>
    </Calendar>
  );
}
