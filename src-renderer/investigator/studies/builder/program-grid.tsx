/** The program: tasks against days, in pages of four weeks; Space or Enter puts a task on a day. */
import { useState } from 'react';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { IconButton } from '../../../shared/kit/controls.tsx';
import { Checkbox } from '../../../shared/kit/forms.tsx';
import { useGridFocus } from '../../../shared/kit/grid-focus.ts';
import { Icon } from '../../../shared/kit/icon.tsx';
import { Empty } from '../../../shared/kit/state.tsx';
import styles from './builder.module.css';
import { type Draft, isDue, type Locks, type ProgramEntry, toggled } from './draft.ts';
import { NumberField } from './number-field.tsx';

const PAGE_DAYS = 28;
const FIRST_DAYS = 14;
const MOST_DAYS = 3660;

interface Row {
  taskId: string;
  type: 'activity' | 'diary';
  name: string;
  entry: ProgramEntry | undefined;
}

export function ProgramGrid({
  draft,
  locks,
  isReadOnly,
  errorOf,
  onChange,
}: {
  draft: Draft;
  locks: Locks;
  isReadOnly: boolean;
  errorOf: (path: string) => string | undefined;
  onChange: (program: NonNullable<Draft['program']>) => void;
}) {
  const { t } = useWords();
  const [page, setPage] = useState(0);
  const program = draft.program ?? { days: FIRST_DAYS, tasks: [] };
  const rowOf =
    (type: Row['type']) =>
    ({ id, displayName }: { id: string; displayName: string }): Row => ({
      taskId: id,
      type,
      name: displayName || t('builder.unnamed'),
      entry: program.tasks.find((task) => task.taskId === id),
    });
  const rows = [...draft.activities.map(rowOf('activity')), ...draft.diaries.map(rowOf('diary'))];
  const first = page * PAGE_DAYS;
  const days = Array.from({ length: Math.max(0, Math.min(PAGE_DAYS, program.days - first)) }, (_, at) => first + at);
  const turn = (by: -1 | 1) => {
    const next = page + by;
    if (next >= 0 && next * PAGE_DAYS < program.days) setPage(next);
  };
  const focus = useGridFocus(rows.length, days.length, turn);
  if (rows.length === 0)
    return <Empty icon="calendar" title={t('builder.emptyTitle.program')} help={t('builder.emptyHelp.program')} />;

  const put = (row: Row, change: Partial<ProgramEntry>) => {
    const entry: ProgramEntry = { taskId: row.taskId, type: row.type, days: [], ...row.entry, ...change };
    const isEmpty = entry.days !== 'daily' && entry.days.length === 0;
    const others = program.tasks.filter((task) => task !== row.entry);
    const at = row.entry ? program.tasks.indexOf(row.entry) : others.length;
    onChange({ ...program, tasks: isEmpty ? others : others.toSpliced(at, 0, entry) });
  };
  const isKept = (row: Row, day: number) => day < locks.days && isDue(locks.entries.get(row.taskId), day);
  return (
    <div className={styles.form}>
      <div className={styles.row}>
        <NumberField
          label={t('builder.days')}
          help={locks.days > 0 ? t('builder.daysLocked', { count: locks.days }) : t('builder.daysHelp')}
          isReadOnly={isReadOnly}
          value={program.days}
          limits={{ min: Math.max(1, locks.days), max: MOST_DAYS }}
          onChange={(next) => {
            setPage(Math.min(page, Math.ceil(next / PAGE_DAYS) - 1));
            onChange({ ...program, days: next });
          }}
          error={errorOf('program.days')}
        />
        <span>{t('builder.shownDays', { first, last: first + days.length - 1 })}</span>
        <IconButton kind="quiet" icon="left" label={t('builder.earlierDays')} onPress={() => turn(-1)} />
        <IconButton kind="quiet" icon="right" label={t('builder.laterDays')} onPress={() => turn(1)} />
      </div>
      <p>{t('builder.gridHelp')}</p>
      <div className={styles.scroll}>
        {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a grid of WAI-ARIA, with one tab stop */}
        <table role="grid" ref={focus.grid} className={styles.program} onKeyDown={focus.onKeyDown}>
          <caption className="visually-hidden">{t('builder.parts.program')}</caption>
          <thead>
            <tr>
              <th scope="col">{t('builder.task')}</th>
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
                {days.map((day, column) => {
                  const due = isDue(row.entry?.days, day);
                  const label = t(due ? 'builder.cellOn' : 'builder.cellOff', { name: row.name, day });
                  return (
                    <td key={day}>
                      <button
                        type="button"
                        aria-pressed={due}
                        aria-label={isKept(row, day) ? t('builder.cellLocked', { label }) : label}
                        aria-disabled={isReadOnly || isKept(row, day)}
                        onClick={() => {
                          if (isReadOnly || isKept(row, day)) return;
                          put(row, { days: toggled(row.entry?.days, day, program.days) });
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
      <table className={styles.times}>
        <caption className="visually-hidden">{t('builder.scheduleTimes')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('builder.task')}</th>
            <th scope="col">{t('builder.everyDay')}</th>
            <th scope="col">{t('builder.between')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const problem = row.entry && errorOf(`program.tasks.${row.taskId}.window`);
            return (
              <tr key={row.taskId}>
                <th scope="row">{row.name}</th>
                <td>
                  <Checkbox
                    label={<span className="visually-hidden">{t('builder.daily', { name: row.name })}</span>}
                    isSelected={row.entry?.days === 'daily'}
                    isDisabled={isReadOnly || locks.entries.get(row.taskId) === 'daily'}
                    onChange={(on) =>
                      put(row, { days: on ? 'daily' : [...(asList(locks.entries.get(row.taskId)) ?? [])] })
                    }
                  />
                </td>
                <td>
                  {row.entry ? (
                    (['start', 'end'] as const).map((end) => (
                      <input
                        key={end}
                        type="time"
                        aria-label={t(end === 'start' ? 'builder.from' : 'builder.to', { name: row.name })}
                        aria-invalid={problem !== undefined}
                        value={row.entry?.window?.[end] ?? ''}
                        disabled={isReadOnly}
                        onChange={({ target }) => {
                          const before = row.entry?.window ?? { start: '00:00', end: '23:59' };
                          put(row, { window: target.value ? { ...before, [end]: target.value } : undefined });
                        }}
                      />
                    ))
                  ) : (
                    <small>{t('builder.noDay')}</small>
                  )}
                  {row.entry && !row.entry.window && <small>{t('builder.wholeDay')}</small>}
                  {problem !== undefined && <small className={styles.wrong}>{problem}</small>}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

const asList = (days: ProgramEntry['days'] | undefined) => (days === 'daily' ? undefined : days);
