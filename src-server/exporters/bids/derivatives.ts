/**
 * What Outpost computed, as the dataset `derivatives/outpost` of a BIDS dataset: the beats of every recording, and per participant the
 * metrics of days, the channels per minute, variability per five minutes, corrections, and the days as computed without these. Tables
 * have the columns of the Parquet export. BIDS 1.10 has no suffix for them but `beh`, with a description of what each is.
 */
import { binChannels } from '../../analytics/channels.ts';
import { binFurtherChannels } from '../../analytics/further-channels.ts';
import { ANALYTICS_VERSION } from '../../analytics/index.ts';
import { DAY_MS } from '../../durations.ts';
import { BinReader, binRuns } from '../../stored-analytics/bin-reader.ts';
import { VERSION } from '../../version.ts';
import { type BeatsMethod, methodRecord } from '../beats/method.ts';
import type { BeatOrigin } from '../beats/origins.ts';
import {
  type Cell,
  CHANNELS_INTERVAL_MS,
  channelsColumns,
  dayRow,
  isEmptyBin,
  metricsColumns,
  ParquetTable,
  sharedColumns,
} from '../parquet/tables.ts';
import { CORRECTIONS, CorrectionReader } from '../study-export/corrections.ts';
import type { ExportView } from '../study-export/export-view.ts';
import type { FramedSubject } from '../study-export/exported-recordings.ts';
import { HRV_WINDOWS, hrvWindowsOf } from '../study-export/hrv-windows.ts';
import type { Part } from '../study-export/part-file.ts';
import type { StudyZip } from '../study-export/study-zip.ts';
import type { StudyExportContext, StudyExportOptions } from '../study-export/types.ts';
import { BEAT_COLUMNS, type DerivedTable, derivedSidecar } from './derived-columns.ts';
import { BIDS_VERSION, jsonText, SCANS_HEADER, scansSidecar, TASK, tsvRow } from './names.ts';
import { BEATS_MEMBER } from './runs.ts';

/** Ends with a slash. */
export const DERIVATIVES = 'derivatives/outpost/';

/** Rows that are joined before they are written. */
const ROWS_PER_CHUNK = 1440;

const README = `What Outpost computed from the recordings of the dataset above, which is research data, computed after the fact: not for
diagnosis and not for monitoring.

sub-*/beh/*_desc-metrics_beh.tsv
    Metrics of local days.
sub-*/beh/*_desc-minutes_beh.tsv
    Channels per minute in which anything is known.
sub-*/beh/*_desc-hrv5min_beh.tsv
    Variability of the heart rate per five minutes in which normal intervals (NN) end; n/a where these cover less than 80 %.
sub-*/beh/*_desc-corrections_beh.tsv, sub-*/beh/*_desc-uncorrected_beh.tsv
    What people corrected of beats, sleep and wear, and the metrics of the days that it touches as computed without it. The other
    tables hold the corrected values. Absent where nobody corrected anything.
sub-*/ses-*/beh/*_desc-beats_beh.tsv
    The heartbeats of one recording. Onsets count from its start, which is acq_time in the scans file of the session. The JSON file
    beside it says with what they were found.

Columns are described in the JSON files. Instants are UTC and end with Z. Nothing was filled in: what is not known is n/a.
`;

/** A session of the dataset, and where a recording was worn. */
export interface BeatsPlace {
  subject: string;
  session: string;
  /** Label of the channel. */
  label: string;
  /** From 1, among recordings of the session with this label. */
  run: number;
}

export class Derivatives {
  readonly #context: StudyExportContext;
  readonly #view: ExportView;
  readonly #zip: StudyZip;
  readonly #corrections: CorrectionReader;
  /** Columns of the tables that are written, for their sidecars. */
  readonly #written = new Map<DerivedTable, readonly string[]>();

  constructor(context: StudyExportContext, options: StudyExportOptions, view: ExportView, zip: StudyZip) {
    this.#context = context;
    this.#view = view;
    this.#zip = zip;
    this.#corrections = new CorrectionReader(context, options);
  }

  /** Writes the beats of a recording; returns their name in the scans file of the session. */
  async beats(place: BeatsPlace, part: Part, method: BeatsMethod, origin: BeatOrigin): Promise<string> {
    const { subject, session, label, run } = place;
    const stem = `sub-${subject}_ses-${session}_task-${TASK}_acq-${label}_run-${run}_desc-beats_beh`;
    const folder = `${DERIVATIVES}sub-${subject}/ses-${session}`;
    await this.#zip.add(`${folder}/beh/${stem}.tsv`, part.read(BEATS_MEMBER));
    await this.#zip.add(`${folder}/beh/${stem}.json`, [jsonText({ ...methodRecord(method, origin), ...BEAT_COLUMNS })]);
    return `beh/${stem}.tsv`;
  }

  async scans({ subject, session }: Pick<BeatsPlace, 'subject' | 'session'>, rows: readonly string[]): Promise<void> {
    if (rows.length === 0) return;
    const stem = `${DERIVATIVES}sub-${subject}/ses-${session}/sub-${subject}_ses-${session}_scans`;
    await this.#zip.add(`${stem}.tsv`, [SCANS_HEADER, ...rows]);
    await this.#zip.add(`${stem}.json`, [scansSidecar('Start of the recording, from which onsets count')]);
  }

  /** Writes the tables of a participant, each where it has rows. */
  async tables(label: string, of: FramedSubject): Promise<void> {
    const { store } = this.#context;
    const { id } = of.subject;
    const view = this.#view;
    const days = await store.analytics.days(id);
    const metrics = new ParquetTable(metricsColumns(view), view);
    await this.#table('metrics', label, metrics, () => days.map((day) => dayRow(view, of, day)));
    const channels = new ParquetTable(channelsColumns(view), view);
    await this.#table('minutes', label, channels, () => this.#minutes(of));
    const variability = new ParquetTable(sharedColumns(HRV_WINDOWS, view), view);
    await this.#table('hrv5min', label, variability, async function* () {
      for await (const row of hrvWindowsOf(store, of)) yield { of, row };
    });
    const corrected = await this.#corrections.of(of);
    if (corrected.length === 0) return;
    const corrections = new ParquetTable(sharedColumns(CORRECTIONS, view), view);
    await this.#table('corrections', label, corrections, () => corrected.map((row) => ({ of, row })));
    const without = await store.analytics.uncorrectedDays(id);
    await this.#table('uncorrected', label, metrics, () => without.map((day) => dayRow(view, of, day)));
  }

  /** Writes what describes the dataset; last, because BIDS forbids a sidecar of a table that is not there. */
  async finish(name: string): Promise<void> {
    const description = {
      Name: `${name}, computed by Outpost`,
      BIDSVersion: BIDS_VERSION,
      DatasetType: 'derivative',
      GeneratedBy: [{ Name: 'Outpost', Version: VERSION, Description: `Outpost analytics ${ANALYTICS_VERSION}` }],
      SourceDatasets: [{ URL: '../../' }],
    };
    await this.#zip.add(`${DERIVATIVES}dataset_description.json`, [jsonText(description)]);
    await this.#zip.add(`${DERIVATIVES}README`, [README]);
    for (const [table, columns] of this.#written) {
      const path = `${DERIVATIVES}task-${TASK}_desc-${table}_beh.json`;
      await this.#zip.add(path, [jsonText(derivedSidecar(table, columns))]);
    }
  }

  /** Times of de-identified exports are those of the frame. */
  async *#minutes(of: FramedSubject) {
    const { store, throwIfCancelled } = this.#context;
    const windows = await store.analytics.windows(of.subject.id);
    if (windows.length === 0) return;
    // The last window runs until noon after the day on which a subject withdrew.
    const endMs = Math.min(windows.at(-1)!.stopTs, of.untilMs ?? Number.POSITIVE_INFINITY);
    const extent = { startMs: windows[0]!.startTs, stopMs: endMs - 1 };
    const request = { fromMs: extent.startMs, toMs: extent.stopMs, intervalMs: CHANNELS_INTERVAL_MS };
    const reader = new BinReader(store, of.subject.id, windows);
    const bins = reader.binned(binRuns(windows, extent, request), CHANNELS_INTERVAL_MS, (...span) => ({
      chunk: binChannels(...span),
      further: binFurtherChannels(...span),
    }));
    for await (const { chunk, further } of bins) {
      throwIfCancelled();
      for (let i = 0; i < chunk.times.length; i++) if (!isEmptyBin(chunk, i)) yield { of, chunk, further, i };
    }
  }

  async #table<T extends { of: FramedSubject }>(
    name: DerivedTable,
    label: string,
    table: ParquetTable<T>,
    rows: () => Iterable<T> | AsyncIterable<T>,
  ): Promise<void> {
    // The file is of one subject.
    const places = [...table.columns.keys()].filter((i) => !/^subject(?:_id)?$/.test(table.columns[i]!.name));
    const columns = places.map((i) => table.columns[i]!);
    const cellsOf = (row: T) => {
      const cells = table.row(row);
      return places.map((i, at) => cellText(cells[i], columns[at]!.type));
    };
    const names = columns.map((column) => column.name);
    async function* chunks(): AsyncGenerator<string> {
      let lines: string[] = [];
      for await (const row of rows()) {
        lines.push(tsvRow(cellsOf(row)));
        if (lines.length < ROWS_PER_CHUNK) continue;
        yield lines.join('');
        lines = [];
      }
      if (lines.length > 0) yield lines.join('');
    }
    const content = chunks();
    const first = await content.next();
    if (first.done) return;
    this.#written.set(name, names);
    const path = `${DERIVATIVES}sub-${label}/beh/sub-${label}_task-${TASK}_desc-${name}_beh.tsv`;
    await this.#zip.add(
      path,
      (async function* all() {
        yield tsvRow(names);
        yield first.value;
        yield* content;
      })(),
    );
  }
}

/** Instants and dates as text; undefined where nothing is known. */
function cellText(cell: Cell, type: string): string | undefined {
  if (cell === null || cell === undefined) return undefined;
  if (type === 'timestamp-ms') return new Date(Number(cell)).toISOString();
  return type === 'date' ? new Date(Number(cell) * DAY_MS).toISOString().slice(0, 10) : String(cell);
}
