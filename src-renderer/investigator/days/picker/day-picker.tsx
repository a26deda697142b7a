/** Choosing a day: previous and next, the calendar, and the strip of all days. */
import { lazy, Suspense, useEffect, useRef } from 'react';
import { Dialog, DialogTrigger, ListBox, ListBoxItem, Popover } from 'react-aria-components';
import { DAY_MS } from '../../../../src-server/durations.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import kit from '../../../shared/kit/controls.module.css';
import { Button, IconButton } from '../../../shared/kit/controls.tsx';
import type { DayOption } from '../day-options.ts';
import styles from './day-picker.module.css';

const DAY_SECONDS = DAY_MS / 1000;

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

/** A strip of all days, each with its recorded time as a column. */
export function DayStrip({ date, days, onDate }: { date: string; days: DayOption[]; onDate: (date: string) => void }) {
  const { t, format } = useWords();
  const strip = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls to the chosen day whenever it changes
  useEffect(() => {
    strip.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [date]);
  return (
    <ListBox
      ref={strip}
      aria-label={t('days.strip')}
      className={styles.strip}
      orientation="horizontal"
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[date]}
      onSelectionChange={(keys) => {
        if (keys === 'all') return;
        const [key] = keys;
        if (key !== undefined) onDate(String(key));
      }}
    >
      {days.map((day) => {
        const label =
          day.recordedSeconds > 0
            ? t('days.stripItem', { date: format.date(day.date), hours: format.duration(day.recordedSeconds) })
            : t('days.stripEmpty', { date: format.date(day.date) });
        return (
          <ListBoxItem key={day.date} id={day.date} textValue={label} aria-label={label} className={styles.day}>
            <span className={styles.column}>
              <span style={{ height: `${Math.min(100, (100 * day.recordedSeconds) / DAY_SECONDS)}%` }} />
            </span>
            <span>
              {format.weekday(day.date)} {Number(day.date.slice(8))}
            </span>
          </ListBoxItem>
        );
      })}
    </ListBox>
  );
}
