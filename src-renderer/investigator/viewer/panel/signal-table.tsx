/** The signals in view as a table, with rows of a second or longer; gaps show their cause. */
import { useState } from 'react';
import { fileName } from '../../../shared/api/download.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { CsvButton } from '../../../shared/kit/controls.tsx';
import { TableFrame } from '../../../shared/kit/data-table.tsx';
import { Select } from '../../../shared/kit/forms.tsx';
import { panelClass } from '../../../shared/kit/page.tsx';
import table from '../../../shared/kit/table.module.css';
import { useStore } from '../../../shared/store.ts';
import { preciseClock } from '../../../shared/time/local-day.ts';
import { writtenUnit } from '../data/channel-unit.ts';
import type { ViewerModel } from '../data/model.ts';
import { type GapRow, rowMs, type SignalRow, type Statistics } from '../data/table.ts';
import { elapsedText } from '../drawing/axis.ts';
import type { SignalLane } from '../drawing/lanes.ts';
import { useSettledView } from '../readout.tsx';
import type { GapWords } from '../use-gap-words.ts';
import styles from '../viewer.module.css';
import { laneRows, lanesCsv, unitOf, useGapReason } from './signal-rows.ts';

/** Thousandths of a millivolt or of g, which is finer than the resolution of a sensor. */
const DIGITS = 3;

interface Column {
  /** Empty for a channel of one dimension. */
  dimension: string;
  d: number;
  statistic: keyof Statistics;
}

function columnsOf(lane: SignalLane, hasMean: boolean): Column[] {
  const dimensions = lane.channel.dimensions.length > 1 ? lane.channel.dimensions : [''];
  const statistics = hasMean ? (['minimum', 'mean', 'maximum'] as const) : (['minimum', 'maximum'] as const);
  return dimensions.flatMap((dimension, d) => statistics.map((statistic) => ({ dimension, d, statistic })));
}

function HeadRow({ lane, columns, hasBeats }: { lane: SignalLane; columns: readonly Column[]; hasBeats: boolean }) {
  const { t } = useWords();
  return (
    <tr>
      <th scope="col">{t('viewer.tableTime')}</th>
      <th scope="col">{t('viewer.tableElapsed')}</th>
      {columns.map(({ dimension, statistic }) => (
        <th key={`${dimension} ${statistic}`} scope="col" className={table.number}>
          {dimension && `${dimension}: `}
          {t(`viewer.statistics.${statistic}`)} ({writtenUnit(unitOf(lane), t)})
        </th>
      ))}
      {hasBeats && (
        <th scope="col" className={table.number}>
          {t('viewer.tableBeats')}
        </th>
      )}
    </tr>
  );
}

function Row({
  row,
  columns,
  hasBeats,
  clock,
  elapsed,
  reasonOf,
}: {
  row: SignalRow;
  columns: readonly Column[];
  hasBeats: boolean;
  clock: (ms: number) => string;
  elapsed: string;
  reasonOf: (gap: GapRow) => string;
}) {
  const { format } = useWords();
  return (
    <tr className={row.kind === 'gap' ? styles.gapRow : undefined}>
      <td>
        {clock(row.startMs)}
        {row.kind === 'gap' && `–${clock(row.stopMs)}`}
      </td>
      <td>{elapsed}</td>
      {row.kind === 'gap' ? (
        <td colSpan={columns.length + (hasBeats ? 1 : 0)}>{reasonOf(row)}</td>
      ) : (
        <>
          {columns.map(({ dimension, d, statistic }) => (
            <td key={`${dimension} ${statistic}`} className={table.number}>
              {format.number(row.statistics[d]?.[statistic] ?? 0, DIGITS)}
            </td>
          ))}
          {hasBeats && <td className={table.number}>{format.number(row.beats ?? 0)}</td>}
        </>
      )}
    </tr>
  );
}

interface SignalTableProps {
  model: ViewerModel;
  lanes: readonly SignalLane[];
  timeZone: string;
  gapWords: GapWords;
}

/** Renders nothing without a lane; otherwise the first lane until the user chooses another. */
export function SignalTable(props: SignalTableProps) {
  const [laneId, setLaneId] = useState<string | null>(null);
  const lane = props.lanes.find(({ id }) => id === laneId) ?? props.lanes[0];
  return lane && <LaneTable {...props} lane={lane} onLane={setLaneId} />;
}

function LaneTable({
  model,
  lanes,
  timeZone,
  gapWords,
  lane,
  onLane,
}: SignalTableProps & { lane: SignalLane; onLane: (id: string) => void }) {
  const { t, format } = useWords();
  const { startMs, lengthMs } = useSettledView(model);
  useStore(model.arrivals);
  const window = { startMs, stopMs: startMs + lengthMs };
  const rows = laneRows(model, lane, window);
  const hasMean = model.isRaw();
  const hasBeats = hasMean && lane.channel.type === 'ECG';
  const columns = columnsOf(lane, hasMean);
  const stepMs = rowMs(window);
  const clock = (ms: number) => preciseClock(ms, timeZone).clock.slice(0, stepMs < 1000 ? 10 : 8);
  const reasonOf = useGapReason(gapWords);
  const caption = t('viewer.tableCaption', {
    lane: lane.name,
    from: preciseClock(window.startMs, timeZone).clock.slice(0, 8),
    to: preciseClock(window.stopMs, timeZone).clock.slice(0, 8),
    zone: timeZone,
  });
  return (
    <section className={`${panelClass} ${styles.tableView}`} aria-label={t('viewer.table')}>
      <div className={styles.tableHead}>
        <h3>{t('viewer.tableTitle')}</h3>
        <span className={styles.hint}>
          {t(hasMean ? 'viewer.tableHelp' : 'viewer.tableEnvelope', { length: format.duration(stepMs / 1000) })}
        </span>
        <span className={styles.spacer} />
        {lanes.length > 1 && (
          <Select
            isCompact
            label={t('viewer.tableLane')}
            value={lane.id}
            options={lanes.map(({ id, name }) => ({ id, label: name }))}
            onChange={onLane}
          />
        )}
        <CsvButton
          label={t('viewer.tableCsv')}
          fileName={fileName('signals', new Date(Math.round(window.startMs)).toISOString().slice(0, 19), '.csv')}
          text={() => lanesCsv(model, lanes, window, reasonOf)}
        />
      </div>
      <TableFrame
        caption={caption}
        className={styles.tableFrame}
        after={
          rows.length === 0 && (
            <p className={styles.hint}>{t(lane.sensor.error ? 'viewer.tableNone' : 'app.loading')}</p>
          )
        }
      >
        <thead>
          <HeadRow lane={lane} columns={columns} hasBeats={hasBeats} />
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row
              key={`${row.kind} ${row.startMs}`}
              row={row}
              columns={columns}
              hasBeats={hasBeats}
              clock={clock}
              elapsed={elapsedText(row.startMs - model.extent.startMs, stepMs)}
              reasonOf={(gap) => reasonOf(lane, gap)}
            />
          ))}
        </tbody>
      </TableFrame>
    </section>
  );
}
