/**
 * Tasks against days as a grid with one tab stop: Space or Enter puts a task on a day, or removes it. Each row begins with its times of day.
 * Ranges are filled by dragging, or chosen with Shift and the arrow keys and filled by key or button.
 */

import { useState } from 'react';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Button } from '../../../shared/kit/controls.tsx';
import { Checkbox } from '../../../shared/kit/forms.tsx';
import type { useGridFocus } from '../../../shared/kit/grid-focus.ts';
import { Icon } from '../../../shared/kit/icon.tsx';
import styles from './builder.module.css';
import { isDue, type Locks, type ProgramEntry, type ProgramRow } from './draft.ts';
import { boundsOf, type Cell, contains, type Fill, filled, type Range } from './program-fill.ts';
import { ProgramTimes } from './program-times.tsx';
import { useRange } from './use-range.ts';

export function ProgramDays({
  rows,
  days,
  programDays,
  locks,
  isReadOnly,
  errorOf,
  focus,
  onToggle,
  onPut,
  onFill,
}: {
  rows: readonly ProgramRow[];
  /** The days that show, numbered from 0. */
  days: readonly number[];
  programDays: number;
  locks: Locks;
  isReadOnly: boolean;
  errorOf: (path: string) => string | undefined;
  focus: ReturnType<typeof useGridFocus>;
  onToggle: (row: ProgramRow, day: number) => void;
  onPut: (row: ProgramRow, change: Partial<ProgramEntry>) => void;
  onFill: (days: ReadonlyMap<number, ProgramEntry['days'] | undefined>) => void;
}) {
  const { t, format } = useWords();
  const [said, setSaid] = useState('');
  const isLocked = ({ row, day }: Cell) => day < locks.days && isDue(locks.entries.get(rows[row]?.taskId ?? ''), day);
  const fillRange = (range: Range, fill: Fill) => {
    if (isReadOnly) return;
    const bounds = boundsOf(range);
    const entries = rows.map(({ entry }) => entry?.days);
    onFill(filled(entries, bounds, fill, programDays, isLocked));
    setSaid(t('builder.filled'));
  };
  const firstDay = days[0] ?? 0;
  const chosen = useRange(
    { rows: rows.length, days: days.length, firstDay },
    ({ row, day }) => isDue(rows[row]?.entry?.days, day),
    fillRange,
    focus.focus,
  );
  const bounds = chosen.range && chosen.count > 1 ? boundsOf(chosen.range) : undefined;
  const daily = (row: ProgramRow) => {
    const lockedDays = locks.entries.get(row.taskId);
    return (
      <Checkbox
        label={<span className="visually-hidden">{t('builder.daily', { name: row.name })}</span>}
        isSelected={row.entry?.days === 'daily'}
        isDisabled={isReadOnly || lockedDays === 'daily'}
        onChange={(on) => onPut(row, { days: on ? 'daily' : [...(lockedDays === 'daily' ? [] : (lockedDays ?? []))] })}
      />
    );
  };
  return (
    <>
      <div className={styles.scroll}>
        <table
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a grid of WAI-ARIA, with one tab stop
          role="grid"
          ref={focus.grid}
          className={styles.program}
          aria-multiselectable="true"
          onPointerDown={chosen.onPointerDown}
          onPointerOver={chosen.onPointerOver}
          onPointerUp={chosen.onPointerUp}
          onKeyDown={(event) => {
            // The arrow keys of a time field are its own.
            if (!(event.target instanceof Element) || !event.target.closest('[data-cell]')) return;
            if (chosen.onKeyDown(event)) event.preventDefault();
            else focus.onKeyDown(event);
          }}
        >
          <caption className="visually-hidden">{t('builder.parts.program')}</caption>
          <thead>
            <tr>
              <th scope="col">{t('builder.task')}</th>
              <th scope="col">{t('builder.everyDay')}</th>
              <th scope="col">{t('builder.between')}</th>
              {days.map((day) => (
                <th key={day} scope="col">
                  {day}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, at) => (
              <tr key={row.taskId}>
                <th scope="row">{row.name}</th>
                <td>{daily(row)}</td>
                <td className={styles.times}>
                  <ProgramTimes
                    row={row}
                    problem={row.entry && errorOf(`program.tasks.${row.taskId}.window`)}
                    isReadOnly={isReadOnly}
                    onChange={(window) => onPut(row, { window })}
                  />
                </td>
                {days.map((day, column) => {
                  const due = isDue(row.entry?.days, day);
                  const label = t(due ? 'builder.cellOn' : 'builder.cellOff', { name: row.name, day });
                  const locked = isLocked({ row: at, day });
                  return (
                    // biome-ignore lint/a11y/useFocusableInteractive: the button in it has the focus
                    <td
                      key={day}
                      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a cell that can be part of a range
                      role="gridcell"
                      aria-selected={bounds !== undefined && contains(bounds, { row: at, day })}
                    >
                      <button
                        type="button"
                        aria-pressed={due}
                        aria-label={locked ? t('builder.cellLocked', { label }) : label}
                        aria-disabled={isReadOnly || locked}
                        onClick={() => {
                          // The end of a drag, which has filled its range.
                          if (bounds || isReadOnly || locked) return;
                          onToggle(row, day);
                        }}
                        {...focus.cell(at, column)}
                      >
                        {due && <Icon name="check" size={16} />}
                      </button>
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {!isReadOnly && (
        <div className={styles.row}>
          <span role="status">
            {bounds
              ? t('builder.chosenRange', {
                  tasks: format.number(bounds.lastRow - bounds.firstRow + 1),
                  first: bounds.firstDay,
                  last: bounds.lastDay,
                })
              : said}
          </span>
          {bounds && chosen.range && (
            <>
              {(
                [
                  ['fillOn', true],
                  ['fillOff', false],
                  ['fillDown', 'down'],
                  ['fillRight', 'right'],
                ] as const
              ).map(([word, fill]) => (
                <Button
                  key={word}
                  small
                  isDisabled={
                    (fill === 'down' && bounds.firstRow === bounds.lastRow) ||
                    (fill === 'right' && bounds.firstDay === bounds.lastDay)
                  }
                  onPress={() => chosen.range && fillRange(chosen.range, fill)}
                >
                  {t(`builder.${word}`)}
                </Button>
              ))}
              <Button small kind="quiet" onPress={chosen.clear}>
                {t('builder.clearRange')}
              </Button>
            </>
          )}
        </div>
      )}
    </>
  );
}
