/**
 * A strip of all days, each with its recorded time as a column. A subject may have a thousand, so only the days in view and some
 * around them are in the document; the strip holds the focus and names the active day.
 */
import { type KeyboardEvent, memo, useCallback, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { DAY_MS } from '../../../../src-server/durations.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { useTypeAhead } from '../../../shared/kit/type-ahead.ts';
import type { DayOption } from '../day-options.ts';
import styles from './day-picker.module.css';

const DAY_SECONDS = DAY_MS / 1000;
/** Days rendered beyond either edge. */
const OVERSCAN = 12;
/** The rendered range begins and ends at multiples of this, so that scrolling renders once in several days. */
const STEP = 8;
/** Days rendered before the first layout. */
const FIRST_GUESS = 40;
const PAGE = 7;

interface Range {
  first: number;
  last: number;
}

/** Days around a part of the strip, in whole steps. */
export function daysInView(count: number, first: number, last: number): Range {
  return {
    first: Math.max(0, Math.floor((first - OVERSCAN) / STEP) * STEP),
    last: Math.min(count, Math.ceil((last + OVERSCAN) / STEP) * STEP),
  };
}

const StripDay = memo(function StripDay({
  id,
  index,
  count,
  day,
  isSelected,
  isActive,
  onDate,
}: {
  id: string;
  index: number;
  count: number;
  day: DayOption;
  isSelected: boolean;
  isActive: boolean;
  onDate: (date: string) => void;
}) {
  const { t, format } = useWords();
  const { date, recordedSeconds } = day;
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the strip holds the focus and names the active day
    // biome-ignore lint/a11y/useKeyWithClickEvents: the strip has the keys
    <div
      id={id}
      role="option"
      className={styles.day}
      style={{ insetInlineStart: `calc(${index} * var(--day-pitch))` }}
      aria-label={
        recordedSeconds > 0
          ? t('days.stripItem', { date: format.date(date), hours: format.duration(recordedSeconds) })
          : t('days.stripEmpty', { date: format.date(date) })
      }
      aria-selected={isSelected}
      aria-setsize={count}
      aria-posinset={index + 1}
      data-active={isActive || undefined}
      onClick={() => onDate(date)}
    >
      <span className={styles.column}>
        <span style={{ height: `${Math.min(100, (100 * recordedSeconds) / DAY_SECONDS)}%` }} />
      </span>
      <span>
        {format.weekday(date)} {Number(date.slice(8))}
      </span>
    </div>
  );
});

/** Where an arrow or page key leads; undefined for other keys. */
function targetOf(key: string, index: number, count: number): number | undefined {
  const steps: Record<string, number> = {
    ArrowLeft: index - 1,
    ArrowRight: index + 1,
    PageUp: index - PAGE,
    PageDown: index + PAGE,
    Home: 0,
    End: count - 1,
  };
  const next = steps[key];
  return next === undefined ? undefined : Math.max(0, Math.min(count - 1, next));
}

/** The days in the document, and scrolling to one of them. */
function useStripWindow(count: number, selected: number) {
  const strip = useRef<HTMLDivElement>(null);
  const [range, setRange] = useState(() => daysInView(count, selected - FIRST_GUESS / 2, selected + FIRST_GUESS / 2));
  const update = useCallback(() => {
    const element = strip.current;
    if (!element) return;
    const pitchPx = element.scrollWidth / count;
    const first = Math.floor(element.scrollLeft / pitchPx);
    const next = daysInView(count, first, first + Math.ceil(element.clientWidth / pitchPx));
    setRange((old) => (old.first === next.first && old.last === next.last ? old : next));
  }, [count]);
  const scrollTo = useCallback(
    (index: number) => {
      const element = strip.current;
      if (!element || index < 0) return;
      const pitchPx = element.scrollWidth / count;
      const latest = index * pitchPx;
      const earliest = latest + pitchPx - element.clientWidth;
      element.scrollLeft = Math.max(earliest, Math.min(latest, element.scrollLeft));
      update();
    },
    [count, update],
  );
  useLayoutEffect(() => scrollTo(selected), [scrollTo, selected]);
  useEffect(() => {
    const element = strip.current;
    if (!element) return;
    const observer = new ResizeObserver(update);
    observer.observe(element);
    return () => observer.disconnect();
  }, [update]);
  return { strip, range, update, scrollTo };
}

export const DayStrip = memo(function DayStrip({
  date,
  days,
  onDate,
}: {
  date: string;
  days: DayOption[];
  onDate: (date: string) => void;
}) {
  const { t, format } = useWords();
  const id = useId();
  const count = days.length;
  const selected = days.findIndex((day) => day.date === date);
  const { strip, range, update, scrollTo } = useStripWindow(count, selected);
  /** The day that keys have reached; null without the focus. */
  const [active, setActive] = useState<number | null>(null);
  const current = active !== null && active < count ? active : Math.max(0, selected);
  const { find: byText } = useTypeAhead(count, (index) => {
    const { date: one } = days[index]!;
    return [format.date(one), format.weekday(one), one, String(Number(one.slice(8)))];
  });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = targetOf(event.key, current, count) ?? byText(event, current);
    if (target !== undefined) {
      // A letter or digit that leads to a day is no command of the page.
      event.stopPropagation();
      setActive(target);
      scrollTo(target);
    } else if (event.key === 'Enter' || event.key === ' ') onDate(days[current]!.date);
    else return;
    event.preventDefault();
  };
  const shown = days.slice(range.first, range.last).map((_, offset) => range.first + offset);
  // The active day is read out wherever the strip is scrolled.
  if (current < range.first) shown.unshift(current);
  else if (current >= range.last) shown.push(current);
  return (
    <div
      ref={strip}
      role="listbox"
      tabIndex={0}
      aria-label={t('days.strip')}
      aria-orientation="horizontal"
      aria-activedescendant={`${id}${current}`}
      className={styles.strip}
      onKeyDown={onKeyDown}
      onScroll={update}
      onBlur={() => setActive(null)}
    >
      <div role="presentation" className={styles.days} style={{ width: `calc(${count} * var(--day-pitch))` }}>
        {shown.map((index) => (
          <StripDay
            key={days[index]!.date}
            {...{ id: `${id}${index}`, index, count, day: days[index]!, onDate }}
            isSelected={index === selected}
            isActive={index === current}
          />
        ))}
      </div>
    </div>
  );
});
