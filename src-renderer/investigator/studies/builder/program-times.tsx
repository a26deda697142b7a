import { useWords } from '../../../shared/i18n/i18n.ts';
import styles from './builder.module.css';
import type { ProgramEntry, ProgramRow } from './draft.ts';

/** The times of day between which a task is due; a task without any is due the whole day. */
export function ProgramTimes({
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
