/** What the strips show as a table: per second, or longer rows in a longer window; gaps with their reasons. */
import { useState } from 'react';
import { fileName, saveText } from '../../../shared/api/download.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Button } from '../../../shared/kit/controls.tsx';
import { Select } from '../../../shared/kit/forms.tsx';
import { panelClass } from '../../../shared/kit/page.tsx';
import table from '../../../shared/kit/table.module.css';
import { useStore } from '../../../shared/store.ts';
import { preciseClock } from '../../../shared/time/local-day.ts';
import type { ViewerModel } from '../data/model.ts';
import { type GapRow, rowMs, signalCsv, signalRows } from '../data/table.ts';
import { elapsedText } from '../drawing/axis.ts';
import type { SignalLane } from '../drawing/lanes.ts';
import { useSettledView } from '../readout.tsx';
import type { GapWords } from '../use-gap-words.ts';
import styles from '../viewer.module.css';

/** Thousandths of a millivolt or of g: finer than a sensor counts. */
const DIGITS = 3;

function rowsOf(model: ViewerModel, lane: SignalLane, window: { startMs: number; stopMs: number }) {
  const { sensor, channel } = lane;
  const isRaw = model.isRaw();
  const envelopes = isRaw
    ? []
    : sensor.envelope(window).flatMap((piece) => piece.find(({ type }) => type === channel.type) ?? []);
  return signalRows(
    {
      dimensions: channel.dimensions.length,
      parts: isRaw ? model.parts(sensor, channel.type, window) : undefined,
      envelopes,
      factor: lane.isElectric ? 1000 : 1,
      gaps: channel.gaps,
      lost: isRaw ? model.lost(sensor, channel, window) : [],
      beats: isRaw && channel.type === 'ECG' ? sensor.beats(window).beats : undefined,
    },
    window,
  );
}

export function SignalTable({
  model,
  lanes,
  timeZone,
  gapWords,
}: {
  model: ViewerModel;
  lanes: readonly SignalLane[];
  timeZone: string;
  gapWords: GapWords;
}) {
  const { t, format } = useWords();
  const { startMs, lengthMs } = useSettledView(model);
  useStore(model.arrivals);
  const [laneId, setLaneId] = useState<string | null>(null);
  const lane = lanes.find(({ id }) => id === laneId) ?? lanes[0];
  const { sensor, channel } = lane;
  const window = { startMs, stopMs: startMs + lengthMs };
  const rows = rowsOf(model, lane, window);
  const hasMean = model.isRaw();
  const hasBeats = hasMean && channel.type === 'ECG';
  const stepMs = rowMs(window);
  const clock = (ms: number) => preciseClock(ms, timeZone).clock.slice(0, stepMs < 1000 ? 10 : 8);
  const reasonOf = (of: SignalLane, { startMs: from, stopMs: to, isLost }: GapRow) => {
    const length = t('viewer.gap', { length: format.duration((to - from) / 1000) });
    return isLost ? gapWords.lost(from, to)[0] : `${length}. ${gapWords.sentence(of.sensor, from, to)}`.trim();
  };
  const dimensions = channel.dimensions.length > 1 ? channel.dimensions : [''];
  const figures = hasMean ? (['minimum', 'mean', 'maximum'] as const) : (['minimum', 'maximum'] as const);
  const columns = dimensions.flatMap((dimension, d) => figures.map((figure) => ({ dimension, d, figure })));
  const caption = t('viewer.tableCaption', {
    lane: lane.name,
    from: preciseClock(window.startMs, timeZone).clock.slice(0, 8),
    to: preciseClock(window.stopMs, timeZone).clock.slice(0, 8),
    zone: timeZone,
  });
  const save = () => {
    const csv = signalCsv(
      lanes.map((one) => ({
        name: one.name,
        sensor: one.sensor.udid,
        unit: one.isElectric ? 'mV' : one.channel.unit,
        dimensions: one.channel.dimensions,
        rows: rowsOf(model, one, window),
        reasonOf: (gap) => reasonOf(one, gap),
      })),
    );
    saveText(
      csv,
      fileName('signals', new Date(Math.round(window.startMs)).toISOString().slice(0, 19), '.csv'),
      'text/csv',
    );
  };
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
            onChange={setLaneId}
          />
        )}
        <Button icon="download" onPress={save} aria-label={t('viewer.tableCsv')}>
          CSV
        </Button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section className={`${table.frame} ${styles.tableFrame}`} aria-label={caption} tabIndex={0}>
        <table className={table.table}>
          <caption className="visually-hidden">{caption}</caption>
          <thead>
            <tr>
              <th scope="col">{t('viewer.tableTime')}</th>
              <th scope="col">{t('viewer.tableElapsed')}</th>
              {columns.map(({ dimension, figure }) => (
                <th key={`${dimension} ${figure}`} scope="col" className={table.number}>
                  {dimension && `${dimension}: `}
                  {t(`viewer.statistics.${figure}`)} ({lane.isElectric ? 'mV' : channel.unit})
                </th>
              ))}
              {hasBeats && (
                <th scope="col" className={table.number}>
                  {t('viewer.tableBeats')}
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={`${row.kind} ${row.startMs}`} className={row.kind === 'gap' ? styles.gapRow : undefined}>
                <td>
                  {clock(row.startMs)}
                  {row.kind === 'gap' && `–${clock(row.stopMs)}`}
                </td>
                <td>{elapsedText(row.startMs - model.extent.startMs, stepMs)}</td>
                {row.kind === 'gap' ? (
                  <td colSpan={columns.length + (hasBeats ? 1 : 0)}>{reasonOf(lane, row)}</td>
                ) : (
                  <>
                    {columns.map(({ dimension, d, figure }) => (
                      <td key={`${dimension} ${figure}`} className={table.number}>
                        {format.number(row.figures[d][figure] ?? 0, DIGITS)}
                      </td>
                    ))}
                    {hasBeats && <td className={table.number}>{format.number(row.beats ?? 0)}</td>}
                  </>
                )}
              </tr>
            ))}
          </tbody>
        </table>
        {rows.length === 0 && <p className={styles.hint}>{t(sensor.error ? 'viewer.tableNone' : 'app.loading')}</p>}
      </section>
    </section>
  );
}
