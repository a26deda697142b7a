/** A study as a ZIP of Parquet files: daily metrics, channels per minute, and every recording sample by sample. */
import { binChannels } from '../../analytics/channels.ts';
import { binFurtherChannels } from '../../analytics/further-channels.ts';
import { joinedVersion } from '../../analytics/version.ts';
import type { RecordingRecord, StudyDetailRecord } from '../../db/index.ts';
import { BinReader, binRuns } from '../../stored-analytics/bin-reader.ts';
import { distinctParameters, type GivenAnalysisParameters } from '../../vocabulary/analysis-parameters.ts';
import { ExportView } from '../study-export/export-view.ts';
import {
  addPart,
  completeRecordings,
  type FramedSubject,
  framedSubjects,
} from '../study-export/exported-recordings.ts';
import { type PartRequest, StudyParts } from '../study-export/parts.ts';
import { deidentificationText } from '../study-export/readme.ts';
import { signaturesCsv } from '../study-export/signatures.ts';
import { exportedStudy, StudyZip } from '../study-export/study-zip.ts';
import type {
  StudyExportContext,
  StudyExportFacts,
  StudyExportOptions,
  StudyExportWriter,
} from '../study-export/types.ts';
import { parquetFile, ROWS_PER_GROUP, RowBuffer, type RowGroup } from './table.ts';
import {
  CHANNELS_INTERVAL_MS,
  channelsColumns,
  dayRow,
  isEmptyBin,
  metricsColumns,
  ParquetTable,
  recordingsColumns,
} from './tables.ts';

const README = `This archive holds one study as Apache Parquet files (Zstandard pages).

manifest.json       what this archive is, size and SHA-256 of every other file, and under "problems" what could not be read
metrics.parquet     daily metrics, one row per subject and local day; the data dictionary defines each of them
channels.parquet    one row per subject and minute in which anything is known
recordings.parquet  the recordings and their files
signatures.csv      electronic signatures: who, when (UTC), in which meaning, on which record; state says whether the
                    record still was what was signed when this archive was made
raw/<subject>/<recording>.parquet
                    one row per sample: type, time, and one column per dimension (v, or x, y and z), null where the
                    type has none; a break in the times is a break in the recording

Instants are UTC; utc_offset is what the subject's clock then showed beyond it. date is local to the subject.
Units are in each file's key-value metadata under "units", and the version of the algorithms behind metrics and channels
under "algorithm_version": several joined by + where days were computed by different ones.
`;

interface ExportedRecording {
  row: RecordingRecord;
  /** Id, or code. */
  recordingId: string;
  /** Path in the archive. */
  file: string;
}

/** @throws NOT_FOUND (study), SIGNAL_FILE_DAMAGED, CANCELLED, DISK_FULL and other errors of writing */
export const writeParquetStudy: StudyExportWriter = async (context, options, out) => {
  const study = await exportedStudy(context, options);
  return await new ParquetStudy(context, options, study, new StudyZip(context, out)).write();
};

class ParquetStudy {
  readonly #context: StudyExportContext;
  readonly #options: StudyExportOptions;
  readonly #view: ExportView;
  readonly #zip: StudyZip;
  #algorithmVersion: string | undefined;

  constructor(context: StudyExportContext, options: StudyExportOptions, study: StudyDetailRecord, zip: StudyZip) {
    this.#context = context;
    this.#options = options;
    this.#view = new ExportView(study, options.deidentify, options.words);
    this.#zip = zip;
  }

  async write(): Promise<StudyExportFacts> {
    return await this.#zip.complete(async () => {
      const subjects = await framedSubjects(this.#context, this.#options, this.#view);
      const parts = await StudyParts.start('PARQUET', () => this.#requests(subjects), this.#context);
      try {
        return { subjects: subjects.length, recordings: await this.#members(subjects, parts) };
      } finally {
        await parts.close();
      }
    });
  }

  /** Writes everything; returns the number of recordings. */
  async #members(subjects: readonly FramedSubject[], parts: StudyParts): Promise<number> {
    const view = this.#view;
    await this.#zip.add('README.txt', [
      view.isDeidentified ? `${README}${deidentificationText(this.#options.words)}` : README,
    ]);
    const version = await this.#version(subjects);
    const metricsTable = new ParquetTable(metricsColumns(view), view);
    await this.#table('metrics.parquet', metricsTable, this.#metrics(subjects), version);
    const channelsTable = new ParquetTable(channelsColumns(view), view);
    await this.#table('channels.parquet', channelsTable, this.#channels(subjects), version);
    const recordingsTable = new ParquetTable(recordingsColumns(view), view);
    await this.#table('recordings.parquet', recordingsTable, this.#recordings(subjects));
    const frames = subjects.map(({ frame }) => frame);
    await this.#zip.add('signatures.csv', signaturesCsv(this.#context, this.#options, view, frames));
    const recordings = await this.#raw(subjects, parts);
    await this.#zip.add('manifest.json', [this.#manifest()]);
    return recordings;
  }

  /** Version and chosen parameters of the algorithms behind metrics and channels, for the metadata of their files; none without results. */
  async #version(subjects: readonly FramedSubject[]): Promise<Record<string, string>> {
    const versions: string[] = [];
    const chosen: (GivenAnalysisParameters | undefined)[] = [];
    for (const { subject } of subjects) {
      const { analytics } = this.#context.store;
      for (const one of [...(await analytics.windows(subject.id)), ...(await analytics.days(subject.id))]) {
        versions.push(one.algorithmVersion);
        chosen.push(one.parameters);
      }
    }
    if (versions.length === 0) return {};
    this.#algorithmVersion = joinedVersion(versions);
    return {
      algorithm_version: JSON.stringify(this.#algorithmVersion),
      analysis_parameters: JSON.stringify(distinctParameters(chosen)),
    };
  }

  async #table<T extends { of: FramedSubject }>(
    path: string,
    table: ParquetTable<T>,
    rows: AsyncIterable<T>,
    metadata: Record<string, string> = {},
  ): Promise<void> {
    const { throwIfCancelled } = this.#context;
    async function* groups(): AsyncGenerator<RowGroup> {
      const buffer = new RowBuffer(table.columns);
      for await (const row of rows) {
        buffer.add(table.row(row));
        if (buffer.rows < ROWS_PER_GROUP) continue;
        throwIfCancelled();
        yield buffer.take();
      }
      yield buffer.take();
    }
    await this.#zip.add(path, parquetFile(table.columns, groups(), metadata));
  }

  async *#metrics(subjects: readonly FramedSubject[]) {
    for (const of of subjects) {
      for (const day of await this.#context.store.analytics.days(of.subject.id)) yield dayRow(this.#view, of, day);
    }
  }

  async *#channels(subjects: readonly FramedSubject[]) {
    const { store, throwIfCancelled } = this.#context;
    for (const of of subjects) {
      const { id } = of.subject;
      const recorded = await this.#recordingsOf(of);
      if (recorded.length === 0) continue;
      const extent = {
        startMs: Math.min(...recorded.map(({ row }) => row.startUs)) / 1000,
        stopMs: Math.max(...recorded.map(({ row }) => row.stopUs)) / 1000,
      };
      const windows = await store.analytics.windows(id);
      const request = { fromMs: extent.startMs, toMs: extent.stopMs, intervalMs: CHANNELS_INTERVAL_MS };
      const reader = new BinReader(store, id, windows);
      const bins = reader.binned(binRuns(windows, extent, request), CHANNELS_INTERVAL_MS, (...span) => ({
        chunk: binChannels(...span),
        further: binFurtherChannels(...span),
      }));
      for await (const { chunk, further } of bins) {
        throwIfCancelled();
        for (let i = 0; i < chunk.times.length; i++) if (!isEmptyBin(chunk, i)) yield { of, chunk, further, i };
      }
    }
  }

  async *#recordings(subjects: readonly FramedSubject[]) {
    for (const of of subjects) for (const recording of await this.#recordingsOf(of)) yield { of, ...recording };
  }

  /** The recordings of a subject under their names in the export. */
  async #recordingsOf(of: FramedSubject): Promise<ExportedRecording[]> {
    const rows = await completeRecordings(this.#context, this.#options, of);
    return rows.map((row) => {
      const recordingId = this.#view.id('recording', row.id);
      return { row, recordingId, file: `raw/${of.id}/${recordingId}.parquet` };
    });
  }

  async *#requests(subjects: readonly FramedSubject[]): AsyncGenerator<PartRequest> {
    for (const of of subjects) {
      const view = this.#view.signalView(of.frame);
      for (const { row } of await this.#recordingsOf(of)) yield { row, view };
    }
  }

  /** Writes the samples of every recording; returns the number of recordings. */
  async #raw(subjects: readonly FramedSubject[], parts: StudyParts): Promise<number> {
    let written = 0;
    for await (const { row, file } of this.#recordings(subjects)) {
      if (await addPart(this.#zip, parts, row, this.#view, () => file)) written += 1;
    }
    return written;
  }

  #manifest(): string {
    const { asOfTs, dataTs } = this.#options;
    const { isDeidentified } = this.#view;
    const { id, displayName, definitionVersion } = this.#view.study;
    const study = isDeidentified ? { id: this.#view.id('study', id) } : { id, displayName, definitionVersion };
    const times = isDeidentified ? {} : { requestedTs: asOfTs, dataTs };
    const manifest = {
      format: 'outpost-study-parquet',
      formatVersion: 1,
      isDeidentified,
      study,
      ...times,
      ...(this.#algorithmVersion !== undefined && { algorithmVersion: this.#algorithmVersion }),
      problems: this.#zip.problems,
      files: this.#zip.members,
    };
    return `${JSON.stringify(manifest, null, 2)}\n`;
  }
}
