/** Choosing a day: previous and next, and the calendar. */
import { lazy, Suspense } from 'react';
import { Dialog, DialogTrigger, Popover } from 'react-aria-components';
import { useWords } from '../../../shared/i18n/i18n.ts';
import kit from '../../../shared/kit/controls.module.css';
import { Button, IconButton } from '../../../shared/kit/controls.tsx';
import type { DayOption } from '../day-options.ts';
import styles from './day-picker.module.css';

const DayCalendar = lazy(async () => ({ default: (await import('./day-calendar.tsx')).DayCalendar }));

function CalendarButton({ date, days, onDate }: { date: string; days: DayOption[]; onDate: (date: string) => void }) {
  const { t, format } = useWords();
  return (
    <DialogTrigger>
      <Button icon="calendar" className={styles.date} aria-label={`${format.date(date)}. ${t('days.open')}`}>
        {format.date(date)}
      </Button>
      <Popover className={kit.popover}>
        <Dialog aria-label={t('days.picker')} className={styles.calendar}>
          {({ close }) => (
            <Suspense>
              <DayCalendar
                date={date}
                days={days}
                onDate={(chosen) => {
                  onDate(chosen);
                  close();
                }}
              />
            </Suspense>
          )}
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}

/** Previous day, the date with its calendar, next day. */
export function DayPicker({
  date,
  days,
  onDate,
  onStep,
  isWeek,
}: {
  date: string;
  days: DayOption[];
  onDate: (date: string) => void;
  onStep: (step: -1 | 1) => void;
  /** True where a step is a week. */
  isWeek: boolean;
}) {
  const { t } = useWords();
  return (
    <>
      <IconButton
        icon="left"
        label={t(isWeek ? 'days.previousWeek' : 'days.previous')}
        onPress={() => onStep(-1)}
        isDisabled={date <= (days[0]?.date ?? date)}
      />
      <CalendarButton date={date} days={days} onDate={onDate} />
      <IconButton
        icon="right"
        label={t(isWeek ? 'days.nextWeek' : 'days.next')}
        onPress={() => onStep(1)}
        isDisabled={date >= (days.at(-1)?.date ?? date)}
      />
    </>
  );
}
