/** Subjects against days. A cell shows one measure, tasks or wear time; its label describes both. */
import { Link } from '@tanstack/react-router';
import { useLayoutEffect, useRef } from 'react';
import type { Subject } from '../../../../src-server/api/contract/index.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { WindowedRows } from '../../../shared/kit/data-table.tsx';
import { useGridFocus } from '../../../shared/kit/grid-focus.ts';
import { useRowWindow } from '../../../shared/kit/row-window.ts';
import { dayFacts, type SubjectDays } from '../../adherence/day-state.ts';
import { TaskMark, useDaySentence, WearMark } from '../../adherence/marks.tsx';
import styles from './overview.module.css';

/** From as many days on the grid is as wide as the page. */
const FILLS_FROM_DAYS = 12;

export interface MatrixRow {
  subject: Subject;
  days: SubjectDays;
  faults: number | undefined;
}

export interface DayTotal {
  date: string;
  recordings: number;
  durationMs: number;
}

function Row({
  row,
  index,
  dates,
  measure,
  focus,
  rowIndex,
}: {
  row: MatrixRow;
  index: number;
  dates: readonly string[];
  measure: 'tasks' | 'wear';
  focus: ReturnType<typeof useGridFocus>;
  /** Of WAI-ARIA, where rows are left out. */
  rowIndex: number | undefined;
}) {
  const { t, format } = useWords();
  const sentence = useDaySentence();
  const { subject, faults } = row;
  const params = { studyId: subject.studyId, subjectId: subject.id };
  return (
    <tr data-row={index} aria-rowindex={rowIndex}>
      <th scope="row" className={styles.name}>
        <Link to="/studies/$studyId/subjects/$subjectId/days" params={params} {...focus.cell(index, 0)}>
          {subject.displayName}
        </Link>
      </th>
      <td className={styles.faults}>
        {faults === undefined
          ? ''
          : faults === 0
            ? t('overview.noFaults')
            : t('overview.faultCount', { count: faults, value: format.number(faults) })}
      </td>
      {dates.map((date, column) => {
        const day = dayFacts(row.days, date);
        return (
          <td key={date}>
            <Link
              to="/studies/$studyId/subjects/$subjectId/tasks"
              params={params}
              search={{ date }}
              className={styles.cell}
              aria-label={`${subject.displayName}. ${sentence(day)}`}
              title={sentence(day)}
              aria-current={day.isToday ? 'date' : undefined}
              {...focus.cell(index, column + 1)}
            >
              {measure === 'tasks' ? <TaskMark day={day} /> : <WearMark day={day} isAlone />}
            </Link>
          </td>
        );
      })}
    </tr>
  );
}

export function Matrix({
  groups,
  dates,
  totals,
  measure,
  onPage,
}: {
  groups: readonly { id: string; title: string; rows: readonly MatrixRow[] }[];
  dates: readonly string[];
  totals: ReadonlyMap<string, DayTotal>;
  measure: 'tasks' | 'wear';
  onPage: (step: -1 | 1) => void;
}) {
  const { t, format } = useWords();
  const count = groups.reduce((sum, group) => sum + group.rows.length, 0);
  // The group of the participants may be long; its rows are as high as each other.
  const firstRows = groups[0]?.rows.length ?? 0;
  const tabStop = useRef(0);
  const rowWindow = useRowWindow(firstRows, tabStop);
  const focus = useGridFocus(count, dates.length + 1, onPage, {
    show: (row) => {
      if (row < firstRows) rowWindow.show(row);
    },
  });
  useLayoutEffect(() => {
    tabStop.current = focus.at.row;
  }, [focus.at.row]);
  const frame = useRef<HTMLDivElement>(null);
  // Where not all days fit, show the latest ones.
  const last = dates[dates.length - 1];
  const isComplete = groups.some(({ rows }) => rows.some(({ faults }) => faults !== undefined));
  useLayoutEffect(() => {
    if (last !== undefined && isComplete && frame.current) frame.current.scrollLeft = frame.current.scrollWidth;
  }, [last, isComplete]);
  const isToday = (date: string) => groups.some(({ rows }) => rows.some((row) => row.days.today === date));
  // Few days would be stretched to bars of the whole width.
  const className = dates.length < FILLS_FROM_DAYS ? `${styles.matrix} ${styles.few}` : styles.matrix;
  const titleRows = groups.length > 1 ? 1 : 0;
  const rowIndexOf = (group: number, index: number) =>
    rowWindow.isPartial ? 2 + index + (group + 1) * titleRows : undefined;
  const rowCount = { 'aria-rowcount': rowWindow.isPartial ? count + 2 + groups.length * titleRows : undefined };
  return (
    <div ref={frame} className={styles.scroll}>
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a grid of WAI-ARIA, with one tab stop */}
      <table role="grid" ref={focus.grid} className={className} onKeyDown={focus.onKeyDown} {...rowCount}>
        <caption className="visually-hidden">{t('overview.caption')}</caption>
        <thead>
          <tr>
            <th scope="col" className={styles.name}>
              {t('subjects.name')}
            </th>
            <th scope="col">{t('overview.faults')}</th>
            {dates.map((date) => (
              <th key={date} scope="col" title={format.date(date)} aria-current={isToday(date) ? 'date' : undefined}>
                <small>{format.weekday(date)}</small>
                {format.monthDay(date)}
              </th>
            ))}
          </tr>
        </thead>
        {groups.map((group, number) => (
          <tbody key={group.id} ref={number === 0 ? rowWindow.body : undefined}>
            {groups.length > 1 && (
              <tr>
                <th scope="rowgroup" colSpan={dates.length + 2} className={styles.group}>
                  <span>{group.title}</span>
                </th>
              </tr>
            )}
            <WindowedRows
              rowWindow={number === 0 ? rowWindow : undefined}
              rows={group.rows}
              columns={dates.length + 2}
              keyOf={(row) => row.subject.id}
            >
              {(row, place) => {
                const index = place + (number === 0 ? 0 : firstRows);
                return (
                  <Row
                    key={row.subject.id}
                    {...{ row, index, dates, measure, focus }}
                    rowIndex={rowIndexOf(number, index)}
                  />
                );
              }}
            </WindowedRows>
          </tbody>
        ))}
        <tfoot>
          <tr>
            <th scope="row" className={styles.name}>
              {t('overview.recordings')}
            </th>
            <td />
            {dates.map((date) => {
              const total = totals.get(date);
              return (
                <td key={date}>
                  {total && (
                    <span
                      title={t('overview.recordingsOf', {
                        date: format.date(date),
                        count: total.recordings,
                        duration: format.duration(total.durationMs / 1000),
                      })}
                    >
                      {format.number(total.recordings)}
                    </span>
                  )}
                </td>
              );
            })}
          </tr>
        </tfoot>
      </table>
    </div>
  );
}
