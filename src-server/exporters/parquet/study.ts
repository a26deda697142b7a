/**
 * A study as a ZIP of Parquet files, one per table and subject and one per recording. An export that continues an earlier one holds the
 * files that changed.
 */
import { binChannels } from '../../analytics/channels.ts';
import { binFurtherChannels } from '../../analytics/further-channels.ts';
import { joinedVersion } from '../../analytics/version.ts';
import type { RecordingRecord, StudyDetailRecord, WindowRecord } from '../../db/index.ts';
import { BinReader, binRuns } from '../../stored-analytics/bin-reader.ts';
import { VERSION } from '../../version.ts';
import { distinctParameters } from '../../vocabulary/analysis-parameters.ts';
import { CORRECTIONS, CorrectionReader } from '../study-export/corrections.ts';
import { decisionsInManifest } from '../study-export/data-decisions.ts';
import { ExportView } from '../study-export/export-view.ts';
import { completeRecordings, type FramedSubject, framedSubjects } from '../study-export/exported-recordings.ts';
import { HRV_WINDOWS, hrvWindowsOf } from '../study-export/hrv-windows.ts';
import { PARTICIPATION_STEPS_TABLE, VISITS } from '../study-export/participation.ts';
import { type PartRequest, planPart, StudyParts } from '../study-export/parts.ts';
import { deidentificationText } from '../study-export/readme.ts';
import { signaturesCsv } from '../study-export/signatures.ts';
import { exportedStudy, StudyZip } from '../study-export/study-zip.ts';
import type {
  StudyExportContext,
  StudyExportFacts,
  StudyExportOptions,
  StudyExportWriter,
} from '../study-export/types.ts';
import { disclosedProblems } from '../study-export/unreadable.ts';
import { APPLY_PYTHON, LOAD_PYTHON, LOAD_R } from './load-scripts.ts';
import { BaseExport, PARQUET_FORMAT, Partitions } from './partitions.ts';
import { PARQUET_MEMBER } from './recording.ts';
import { parquetFile, ROWS_PER_GROUP, RowBuffer, type RowGroup } from './table.ts';
import {
  CHANNELS_INTERVAL_MS,
  channelsColumns,
  dayRow,
  isEmptyBin,
  metricsColumns,
  ParquetTable,
  recordingsColumns,
  sharedColumns,
} from './tables.ts';

const README = `This archive holds one study as Apache Parquet files (Zstandard pages): a folder per table, in it a file per subject
with rows.

manifest.json       what this archive is, size and SHA-256 of every other file, and under "problems" what could not be read
metrics/            daily metrics, one row per subject and local day; the data dictionary defines each of them
metrics_uncorrected/
                    the days that corrections touch as computed without them, with the columns of metrics, which hold the
                    corrected values
channels/           one row per subject and minute in which anything is known
hrv_5min/           variability of the heart rate per five minutes in which normal intervals (NN) end; nn_count says how many.
                    Values are null where these cover less than 80 % of the five minutes
corrections/        what people corrected of beats, sleep and wear, who and why. is_in_force is false for what was undone, and the
                    columns that begin with undone say by whom
recordings/         the recordings and their files
signatures.csv      electronic signatures: who, when (UTC), in which meaning, on which record; state says whether the
                    record still was what was signed when this archive was made
raw/<subject>/<recording>.parquet
                    one row per sample: type, time, and one column per dimension (v, or x, y and z), null where the
                    type has none; a break in the times is a break in the recording
load.py, load.R     load a table with all subjects, for pandas and for R; each begins with what it needs
apply.py            puts an archive of changes onto an earlier one

Instants are UTC; utc_offset is what the subject's clock then showed beyond it. date is local to the subject.
Units are in each file's key-value metadata under "units", where the name of the column has none, and the version of the
algorithms behind metrics and channels under "algorithm_version": several joined by + where days were computed by different ones.

An archive that was requested with the changes since an earlier one names that one in manifest.json under "base". Its "files"
list every file of the result with its state: ADDED and REPLACED ones are in this archive, UNCHANGED ones in the earlier one;
"removed" names those that no longer exist. To put it onto the unpacked earlier archive, run in the folder of that one

    python3 apply.py <the archive of changes, zip or unpacked>

which needs Python alone, checks every file by its SHA-256 and leaves what a full archive of that moment holds.
`;

interface ExportedRecording {
  row: RecordingRecord;
  /** Id, or code. */
  recordingId: string;
  /** Path in the archive. */
  file: string;
}

/** Recordings whose file in the earlier export stays, by their ids, with what is known to be wrong with them. */
type KeptRecordings = ReadonlyMap<string, readonly string[]>;

/** @throws NOT_FOUND (study), CONFLICT (an earlier export of another layout), SIGNAL_FILE_DAMAGED, CANCELLED, DISK_FULL and other errors of writing */
export const writeParquetStudy: StudyExportWriter = async (context, options, out) => {
  const study = await exportedStudy(context, options);
  const base = options.baseManifest === null ? null : new BaseExport(options.baseManifest);
  return await new ParquetStudy(context, options, study, new StudyZip(context, out), base).write();
};

class ParquetStudy {
  readonly #context: StudyExportContext;
  readonly #options: StudyExportOptions;
  readonly #view: ExportView;
  readonly #zip: StudyZip;
  readonly #base: BaseExport | null;
  readonly #partitions: Partitions;
  readonly #corrections: CorrectionReader;
  readonly #versions = new Set<string>();

  constructor(
    context: StudyExportContext,
    options: StudyExportOptions,
    study: StudyDetailRecord,
    zip: StudyZip,
    base: BaseExport | null,
  ) {
    this.#context = context;
    this.#options = options;
    this.#view = new ExportView(study, options, context);
    this.#zip = zip;
    this.#base = base;
    this.#partitions = new Partitions(zip, this.#view, base);
    this.#corrections = new CorrectionReader(context, options);
  }

  async write(): Promise<StudyExportFacts> {
    return await this.#zip.complete(async () => {
      const subjects = await framedSubjects(this.#context, this.#options, this.#view);
      const kept = await this.#keptRecordings(subjects);
      const parts = await StudyParts.start('PARQUET', () => this.#requests(subjects, kept), this.#context);
      try {
        return { subjects: subjects.length, recordings: await this.#members(subjects, parts, kept) };
      } finally {
        await parts.close();
      }
    });
  }

  /** Writes everything; returns the number of recordings. */
  async #members(subjects: readonly FramedSubject[], parts: StudyParts, kept: KeptRecordings): Promise<number> {
    const view = this.#view;
    const partitions = this.#partitions;
    await partitions.add('README.txt', () => [
      view.isDeidentified ? `${README}${deidentificationText(this.#options.words)}` : README,
    ]);
    await partitions.add('load.py', () => [LOAD_PYTHON]);
    await partitions.add('load.R', () => [LOAD_R]);
    await partitions.add('apply.py', () => [APPLY_PYTHON]);
    for (const of of subjects) await this.#tables(of);
    const frames = subjects.map(({ frame }) => frame);
    await partitions.add('signatures.csv', () => signaturesCsv(this.#context, this.#options, view, frames));
    const recordings = await this.#raw(subjects, parts, kept);
    await this.#zip.add('manifest.json', [this.#manifest()]);
    return recordings;
  }

  /** The tables of one subject, each where it has rows. */
  async #tables(of: FramedSubject): Promise<void> {
    const { analytics } = this.#context.store;
    const { id } = of.subject;
    const view = this.#view;
    const windows = await analytics.windows(id);
    const days = await analytics.days(id);
    const versions = [...windows, ...days].map(({ algorithmVersion }) => algorithmVersion);
    for (const version of versions) this.#versions.add(version);
    const metadata: Record<string, string> =
      versions.length === 0
        ? {}
        : {
            algorithm_version: JSON.stringify(joinedVersion(versions)),
            analysis_parameters: JSON.stringify(
              distinctParameters([...windows, ...days].map(({ parameters }) => parameters)),
            ),
          };
    const metricsTable = new ParquetTable(metricsColumns(view), view);
    await this.#table('metrics', of, metricsTable, metadata, () => days.map((day) => dayRow(view, of, day)));
    const corrections = await this.#corrections.of(of);
    if (corrections.length > 0) {
      const uncorrected = await analytics.uncorrectedDays(id);
      await this.#table('metrics_uncorrected', of, metricsTable, metadata, () =>
        uncorrected.map((day) => dayRow(view, of, day)),
      );
      const table = new ParquetTable(sharedColumns(CORRECTIONS, view), view);
      await this.#table('corrections', of, table, {}, () => corrections.map((row) => ({ of, row })));
    }
    const { participation } = this.#context.store;
    if (await participation.isUsed([id])) {
      const steps = new ParquetTable(sharedColumns(PARTICIPATION_STEPS_TABLE, view), view);
      const { asOfTs } = this.#options;
      const rows = (await participation.steps(id)).filter(({ createdTs }) => createdTs <= asOfTs);
      await this.#table('participation', of, steps, {}, () => rows.map((row) => ({ of, row })));
      const visits = new ParquetTable(sharedColumns(VISITS, view), view);
      const planned = await participation.visits(id);
      await this.#table('visits', of, visits, {}, () => planned.map((row) => ({ of, row })));
    }
    const recorded = await this.#recordingsOf(of);
    const columnsOf: unknown[] = [];
    for (const { date, startTs, stopTs, computedTs, algorithmVersion, parameters } of windows) {
      const content = await analytics.windowContent(id, date);
      // Each row of hrv_5min names the version of its window, which the joined one of the metadata does not tell.
      const method = [algorithmVersion, parameters ?? null];
      columnsOf.push([startTs, stopTs, content?.columnsSha256 ?? computedTs, ...method]);
    }
    // What is decoded from windows is by far the largest of the tables, so it is left unread where nothing changed. Another version of
    // the program may bin or encode it otherwise.
    const windowFacts = [VERSION, columnsOf, of.frame, metadata, extentOf(recorded) ?? null, of.untilMs ?? null];
    const channelsTable = new ParquetTable(channelsColumns(view), view);
    await this.#table(
      'channels',
      of,
      channelsTable,
      metadata,
      () => this.#channels(of, windows, recorded),
      windowFacts,
    );
    const hrvTable = new ParquetTable(sharedColumns(HRV_WINDOWS, view), view);
    await this.#table('hrv_5min', of, hrvTable, metadata, () => this.#variability(of), windowFacts);
    const recordingsTable = new ParquetTable(recordingsColumns(view), view);
    await this.#table('recordings', of, recordingsTable, {}, () => recorded.map((one) => ({ of, ...one })));
  }

  /**
   * Writes one table of a subject; nothing without rows.
   * @param facts that decide the rows, for a table that is too large to be compared with that of the earlier export
   */
  async #table<T extends { of: FramedSubject }>(
    name: string,
    of: FramedSubject,
    table: ParquetTable<T>,
    metadata: Record<string, string>,
    rows: () => Iterable<T> | AsyncIterable<T>,
    facts?: unknown,
  ): Promise<void> {
    const path = `${name}/${of.id}.parquet`;
    const key =
      facts === undefined
        ? undefined
        : this.#partitions.shownKey([name, table.columns.map((column) => column.name), of.subject.displayName, facts]);
    if (key !== undefined && this.#partitions.isKept(path, key)) return this.#partitions.keep(path);
    const { throwIfCancelled } = this.#context;
    const first = await firstOf(rows());
    if (!first) return;
    async function* groups(): AsyncGenerator<RowGroup> {
      const buffer = new RowBuffer(table.columns);
      for await (const row of first!) {
        buffer.add(table.row(row));
        if (buffer.rows < ROWS_PER_GROUP) continue;
        throwIfCancelled();
        yield buffer.take();
      }
      yield buffer.take();
    }
    await this.#partitions.add(path, () => parquetFile(table.columns, groups(), metadata), key);
  }

  async *#channels(of: FramedSubject, windows: WindowRecord[], recorded: readonly ExportedRecording[]) {
    const { store, throwIfCancelled } = this.#context;
    const extent = extentOf(recorded);
    if (!extent) return;
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

  async *#variability(of: FramedSubject) {
    for await (const row of hrvWindowsOf(this.#context.store, of)) yield { of, row };
  }

  /** The recordings of a subject under their names in the export. */
  async #recordingsOf(of: FramedSubject): Promise<ExportedRecording[]> {
    const rows = await completeRecordings(this.#context, this.#options, of);
    return rows.map((row) => {
      const recordingId = this.#view.id('recording', row.id);
      return { row, recordingId, file: `raw/${of.id}/${recordingId}.parquet` };
    });
  }

  /**
   * Finds the recordings whose samples the earlier export holds already. The key of a part names the bytes that the file should have,
   * not those that could be read, so a recording with problems in the earlier export is read again; while it cannot be read at all,
   * what the earlier export holds of it stays.
   */
  async #keptRecordings(subjects: readonly FramedSubject[]): Promise<KeptRecordings> {
    const kept = new Map<string, readonly string[]>();
    if (!this.#base) return kept;
    for (const of of subjects) {
      const view = this.#view.signalView(of.frame);
      for (const { row, recordingId, file } of await this.#recordingsOf(of)) {
        if (!this.#partitions.isInBase(file)) continue;
        this.#context.throwIfCancelled();
        const problems = this.#base.problemsOf(recordingId);
        const plan = await planPart('PARQUET', { row, view }, this.#context);
        if ('problem' in plan) kept.set(row.id, [...new Set([...problems, plan.problem])]);
        else if (problems.length === 0 && this.#partitions.isKept(file, this.#partitions.shownHash(plan.key))) {
          kept.set(row.id, []);
        }
      }
    }
    return kept;
  }

  async *#requests(subjects: readonly FramedSubject[], kept: KeptRecordings): AsyncGenerator<PartRequest> {
    for (const of of subjects) {
      const view = this.#view.signalView(of.frame);
      for (const { row } of await this.#recordingsOf(of)) if (!kept.has(row.id)) yield { row, view };
    }
  }

  /** Writes the samples of every recording; returns the number of recordings. */
  async #raw(subjects: readonly FramedSubject[], parts: StudyParts, kept: KeptRecordings): Promise<number> {
    let written = 0;
    for (const of of subjects) {
      for (const { row, recordingId, file } of await this.#recordingsOf(of)) {
        const problems = kept.get(row.id);
        if (problems) {
          this.#partitions.keep(file);
          this.#addProblems(recordingId, problems);
          written += 1;
        } else if (await this.#part(parts, row, recordingId, file)) written += 1;
      }
    }
    return written;
  }

  /** @returns false when the recording cannot be read at all */
  async #part(parts: StudyParts, row: RecordingRecord, recordingId: string, file: string): Promise<boolean> {
    const part = await parts.take(row.id);
    if ('problem' in part) {
      this.#addProblems(recordingId, [part.problem]);
      return false;
    }
    try {
      await this.#partitions.addPacked(file, part.read(PARQUET_MEMBER), this.#partitions.shownHash(part.key));
    } finally {
      await part.close();
    }
    if (part.problems.length > 0) {
      this.#addProblems(recordingId, disclosedProblems(part.problems, this.#view.isDeidentified));
    }
    return true;
  }

  #addProblems(recordingId: string, problems: readonly string[]): void {
    if (problems.length > 0) this.#zip.problems.push({ recordingId, problems: [...problems] });
  }

  #manifest(): string {
    const { asOfTs, dataTs, exportId, auditReceipt } = this.#options;
    const { isDeidentified } = this.#view;
    const { id, displayName, definitionVersion } = this.#view.study;
    const study = isDeidentified ? { id: this.#view.id('study', id) } : { id, displayName, definitionVersion };
    const times = isDeidentified ? {} : { requestedTs: asOfTs, dataTs, auditReceipt };
    const { base, files, removed } = this.#partitions.described();
    const manifest = {
      ...PARQUET_FORMAT,
      exportId: this.#view.id('export', exportId),
      isDeidentified,
      study,
      ...times,
      ...(base && { base }),
      ...(this.#versions.size > 0 && { algorithmVersion: joinedVersion(this.#versions) }),
      ...decisionsInManifest(this.#context, (subjectId) => this.#view.id('subject', subjectId)),
      problems: this.#zip.problems,
      files,
      ...(removed && { removed }),
    };
    return `${JSON.stringify(manifest, null, 2)}\n`;
  }
}

/** First and last recorded instant. */
function extentOf(recorded: readonly ExportedRecording[]): { startMs: number; stopMs: number } | undefined {
  if (recorded.length === 0) return undefined;
  return {
    startMs: Math.min(...recorded.map(({ row }) => row.startUs)) / 1000,
    stopMs: Math.max(...recorded.map(({ row }) => row.stopUs)) / 1000,
  };
}

/** Rows, once it is known that there is one. */
async function firstOf<T>(rows: Iterable<T> | AsyncIterable<T>): Promise<AsyncIterable<T> | undefined> {
  const iterator = Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]();
  const first = await iterator.next();
  if (first.done) return undefined;
  return (async function* all() {
    yield first.value;
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
  })();
}
