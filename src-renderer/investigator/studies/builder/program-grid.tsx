/** The program of a study: its length, and which task is due on which day (in pages of four weeks) at which times. */
import { useState } from 'react';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { IconButton } from '../../../shared/kit/controls.tsx';
import { useGridFocus } from '../../../shared/kit/grid-focus.ts';
import { Empty } from '../../../shared/kit/state.tsx';
import styles from './builder.module.css';
import { type Draft, type Locks, type ProgramEntry, type ProgramRow, toggled } from './draft.ts';
import { NumberField } from './number-field.tsx';
import { ProgramDays } from './program-days.tsx';

const PAGE_DAYS = 28;
/** Length of a new program. */
const FIRST_DAYS = 14;
const MAX_DAYS = 3660;

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
    (type: ProgramRow['type']) =>
    ({ id, displayName }: { id: string; displayName: string }): ProgramRow => ({
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

  type Tasks = NonNullable<Draft['program']>['tasks'];
  const withEntry = (tasks: Tasks, row: ProgramRow, change: Partial<ProgramEntry>): Tasks => {
    const entry: ProgramEntry = { taskId: row.taskId, type: row.type, days: [], ...row.entry, ...change };
    const isEmpty = entry.days !== 'daily' && entry.days.length === 0;
    const others = tasks.filter((task) => task !== row.entry);
    const at = row.entry ? tasks.indexOf(row.entry) : others.length;
    return isEmpty ? others : others.toSpliced(at, 0, entry);
  };
  const put = (row: ProgramRow, change: Partial<ProgramEntry>) =>
    onChange({ ...program, tasks: withEntry(program.tasks, row, change) });
  return (
    <div className={styles.form}>
      <div className={styles.row}>
        <NumberField
          label={t('builder.days')}
          help={locks.days > 0 ? t('builder.daysLocked', { count: locks.days }) : t('builder.daysHelp')}
          isReadOnly={isReadOnly}
          value={program.days}
          limits={{ min: Math.max(1, locks.days), max: MAX_DAYS }}
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
      <ProgramDays
        rows={rows}
        days={days}
        programDays={program.days}
        locks={locks}
        isReadOnly={isReadOnly}
        errorOf={errorOf}
        focus={focus}
        onToggle={(row, day) => put(row, { days: toggled(row.entry?.days, day, program.days) })}
        onPut={put}
        onFill={(filled) => {
          const change = (tasks: Tasks, [at, next]: [number, ProgramEntry['days'] | undefined]) =>
            withEntry(tasks, rows[at]!, { days: next ?? [] });
          onChange({ ...program, tasks: [...filled].reduce(change, program.tasks) });
        }}
      />
    </div>
  );
}
