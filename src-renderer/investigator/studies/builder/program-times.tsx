/** Per task of the program: whether it is due every day, and between which times. */
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Checkbox } from '../../../shared/kit/forms.tsx';
import styles from './builder.module.css';
import type { Locks, ProgramEntry, ProgramRow } from './draft.ts';

const asList = (days: ProgramEntry['days'] | undefined) => (days === 'daily' ? undefined : days);

/** The times of day between which a task is due; a task without any is due the whole day. */
function Window({
  row,
  problem,
  isReadOnly,
  onChange,
}: {
  row: ProgramRow;
  problem: string | undefined;
  isReadOnly: boolean;
  onChange: (window: ProgramEntry['window']) => void;
}) {
  const { t } = useWords();
  const { entry } = row;
  return (
    <>
      {entry ? (
        (['start', 'end'] as const).map((end) => (
          <input
            key={end}
            type="time"
            aria-label={t(end === 'start' ? 'builder.from' : 'builder.to', { name: row.name })}
            aria-invalid={problem !== undefined}
            value={entry.window?.[end] ?? ''}
            disabled={isReadOnly}
            onChange={({ target }) => {
              const before = entry.window ?? { start: '00:00', end: '23:59' };
              onChange(target.value ? { ...before, [end]: target.value } : undefined);
            }}
          />
        ))
      ) : (
        <small>{t('builder.noDay')}</small>
      )}
      {entry && !entry.window && <small>{t('builder.wholeDay')}</small>}
      {problem !== undefined && <small className={styles.wrong}>{problem}</small>}
    </>
  );
}

export function ProgramTimes({
  rows,
  locks,
  isReadOnly,
  errorOf,
  onPut,
}: {
  rows: readonly ProgramRow[];
  locks: Locks;
  isReadOnly: boolean;
  errorOf: (path: string) => string | undefined;
  onPut: (row: ProgramRow, change: Partial<ProgramEntry>) => void;
}) {
  const { t } = useWords();
  return (
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
          const lockedDays = locks.entries.get(row.taskId);
          return (
            <tr key={row.taskId}>
              <th scope="row">{row.name}</th>
              <td>
                <Checkbox
                  label={<span className="visually-hidden">{t('builder.daily', { name: row.name })}</span>}
                  isSelected={row.entry?.days === 'daily'}
                  isDisabled={isReadOnly || lockedDays === 'daily'}
                  onChange={(on) => onPut(row, { days: on ? 'daily' : [...(asList(lockedDays) ?? [])] })}
                />
              </td>
              <td>
                <Window
                  row={row}
                  problem={row.entry && errorOf(`program.tasks.${row.taskId}.window`)}
                  isReadOnly={isReadOnly}
                  onChange={(window) => onPut(row, { window })}
                />
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
