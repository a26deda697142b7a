/** A study as a ZIP of Parquet files: daily metrics, channels per minute, and every recording sample by sample. */
import { join } from 'node:path';
import { joinedVersion } from '../../analytics/version.ts';
import type { RecordingRecord, StudyDetailRecord } from '../../db/index.ts';
import { BinReader, binRuns } from '../analytics/bins.ts';
import { exportedStudy, StudyZip } from '../study-export/study-zip.ts';
import { exportedSubjects } from '../study-export/subjects.ts';
import type {
  StudyExportContext,
  StudyExportFacts,
  StudyExportOptions,
  StudyExportWriter,
} from '../study-export/types.ts';
import { toldProblems, unreadable } from '../study-export/unreadable.ts';
import { recordingParquet } from './recording.ts';
import { type ParquetColumn, parquetFile, ROWS_PER_GROUP, RowBuffer, type RowGroup } from './table.ts';
import {
  type Cell,
  CHANNELS_COLUMNS,
  CHANNELS_INTERVAL_MS,
  channelsRow,
  isEmptyBin,
  METRICS_COLUMNS,
  metricsRow,
  type NamedSubject,
  nameSubject,
  RECORDINGS_COLUMNS,
  recordingsRow,
} from './tables.ts';

const README = `This archive holds one study as Apache Parquet files (Zstandard pages).

manifest.json       what this archive is, size and SHA-256 of every other file, and under "problems" what could not be read
metrics.parquet     daily metrics, one row per subject and local day; what each means stands in the data dictionary
channels.parquet    one row per subject and minute in which anything is known
recordings.parquet  the recordings and their files
raw/<subject>/<recording>.parquet
                    one row per sample: type, time, and one column per dimension (v, or x, y and z), null where the
                    type has none; a break in the times is a break in the recording

Instants are UTC; utc_offset is what the subject's clock then showed beyond it. date is local to the subject.
Units stand in each file's key-value metadata under "units", and the version of the algorithms behind metrics and channels
under "algorithm_version": several joined by + where days were computed by different ones.
`;

interface ExportedRecording {
  row: RecordingRecord;
  recordingId: string;
  udid: string;
  /** Path in the archive. */
  file: string;
}

/** @throws NOT_FOUND (study), SIGNAL_FILE_DAMAGED, CANCELLED, and what writing throws (DISK_FULL) */
export const writeParquetStudy: StudyExportWriter = async (context, options, out) => {
  const study = await exportedStudy(context, options);
  return await new ParquetStudy(context, options, study, new StudyZip(context, out, '.parquet')).write();
};

class ParquetStudy {
  readonly #context: StudyExportContext;
  readonly #options: StudyExportOptions;
  readonly #study: StudyDetailRecord;
  readonly #zip: StudyZip;
  #algorithmVersion: string | undefined;

  constructor(context: StudyExportContext, options: StudyExportOptions, study: StudyDetailRecord, zip: StudyZip) {
    this.#context = context;
    this.#options = options;
    this.#study = study;
    this.#zip = zip;
  }

  async write(): Promise<StudyExportFacts> {
    return await this.#zip.complete(async () => {
      const { store } = this.#context;
      const subjects: NamedSubject[] = [];
      for (const subject of await exportedSubjects(this.#context, this.#options)) {
        subjects.push(nameSubject(subject, await store.subjects.zones(subject.id), this.#options.deidentify));
      }
      await this.#zip.add('README.txt', [README]);
      const version = await this.#version(subjects);
      await this.#table('metrics.parquet', METRICS_COLUMNS, this.#metrics(subjects), version);
      await this.#table('channels.parquet', CHANNELS_COLUMNS, this.#channels(subjects), version);
      await this.#table('recordings.parquet', RECORDINGS_COLUMNS, this.#recordings(subjects));
      const recordings = await this.#raw(subjects);
      await this.#zip.add('manifest.json', [this.#manifest()]);
      return { subjects: subjects.length, recordings };
    });
  }

  /** Version of the algorithms behind the metrics and channels, for the metadata of their files; none without any. */
  async #version(subjects: readonly NamedSubject[]): Promise<Record<string, string>> {
    const versions: string[] = [];
    for (const { subject } of subjects) {
      const { analytics } = this.#context.store;
      for (const { algorithmVersion } of await analytics.windows(subject.id)) versions.push(algorithmVersion);
      for (const { algorithmVersion } of await analytics.days(subject.id)) versions.push(algorithmVersion);
    }
    if (versions.length === 0) return {};
    this.#algorithmVersion = joinedVersion(versions);
    return { algorithm_version: JSON.stringify(this.#algorithmVersion) };
  }

  async #table(
    path: string,
    columns: readonly ParquetColumn[],
    rows: AsyncIterable<readonly Cell[]>,
    metadata: Record<string, string> = {},
  ): Promise<void> {
    const { throwIfCancelled } = this.#context;
    async function* groups(): AsyncGenerator<RowGroup> {
      const buffer = new RowBuffer(columns);
      for await (const row of rows) {
        buffer.add(row);
        if (buffer.rows < ROWS_PER_GROUP) continue;
        throwIfCancelled();
        yield buffer.take();
      }
      yield buffer.take();
    }
    await this.#zip.add(path, parquetFile(columns, groups(), metadata));
  }

  async *#metrics(subjects: readonly NamedSubject[]): AsyncGenerator<Cell[]> {
    for (const named of subjects) {
      for (const day of await this.#context.store.analytics.days(named.subject.id)) yield metricsRow(named, day);
    }
  }

  async *#channels(subjects: readonly NamedSubject[]): AsyncGenerator<Cell[]> {
    const { store, throwIfCancelled } = this.#context;
    for (const named of subjects) {
      const { id } = named.subject;
      const recorded = await this.#recordingsOf(named);
      if (recorded.length === 0) continue;
      const extent = {
        startMs: Math.min(...recorded.map(({ row }) => row.startUs)) / 1000,
        stopMs: Math.max(...recorded.map(({ row }) => row.stopUs)) / 1000,
      };
      const windows = await store.analytics.windows(id);
      const request = { fromMs: extent.startMs, toMs: extent.stopMs, intervalMs: CHANNELS_INTERVAL_MS };
      const reader = new BinReader(store, id, windows);
      for await (const piece of reader.pieces(binRuns(windows, extent, request), CHANNELS_INTERVAL_MS)) {
        throwIfCancelled();
        for (let i = 0; i < piece.times.length; i++) if (!isEmptyBin(piece, i)) yield channelsRow(named, piece, i);
      }
    }
  }

  async *#recordings(subjects: readonly NamedSubject[]): AsyncGenerator<Cell[]> {
    for (const named of subjects) {
      for (const { row, ...names } of await this.#recordingsOf(named)) yield recordingsRow(named, row, names);
    }
  }

  /** Whole recordings that were there at the time of the request, as the export names them. */
  async #recordingsOf({ subject, id }: NamedSubject): Promise<ExportedRecording[]> {
    const { deidentify, asOfTs } = this.#options;
    const rows = await this.#context.store.recordings.listForSubject(subject.id);
    return rows
      .filter(({ createdTs, status }) => createdTs <= asOfTs && status === 'COMPLETE')
      .map((row) => {
        const recordingId = deidentify?.code('recording', row.id) ?? row.id;
        const udid = deidentify?.code('equipment', row.udid) ?? row.udid;
        return { row, recordingId, udid, file: `raw/${id}/${recordingId}.parquet` };
      });
  }

  /** Writes the samples of every recording; answers how many there are. */
  async #raw(subjects: readonly NamedSubject[]): Promise<number> {
    const { signal, signalsDir, progress } = this.#context;
    const all: (ExportedRecording & { named: NamedSubject })[] = [];
    for (const named of subjects) {
      for (const recording of await this.#recordingsOf(named)) all.push({ ...recording, named });
    }
    let written = 0;
    for (const [i, { row, recordingId, udid, file, named }] of all.entries()) {
      const disguise = this.#options.deidentify ? { recordingId, udid, shiftMs: named.shiftMs } : undefined;
      const path = join(signalsDir, `${row.id}.sig`);
      const problem = await unreadable(path);
      if (problem === undefined) {
        const onDamage = (problems: readonly string[]) =>
          this.#zip.problems.push({ recordingId, problems: toldProblems(problems, disguise !== undefined) });
        await this.#zip.add(file, recordingParquet(path, { signal, onDamage, ...(disguise ? { disguise } : {}) }));
        written++;
      } else this.#zip.problems.push({ recordingId, problems: [problem] });
      progress(i + 1, all.length, 'writing recordings');
    }
    return written;
  }

  #manifest(): string {
    const { asOfTs, dataTs, deidentify } = this.#options;
    const { id, displayName, definitionVersion } = this.#study;
    const study = deidentify ? { id: deidentify.code('study', id) } : { id, displayName, definitionVersion };
    const times = deidentify ? {} : { requestedTs: asOfTs, dataTs };
    const manifest = {
      format: 'outpost-study-parquet',
      formatVersion: 1,
      isDeidentified: deidentify !== null,
      study,
      ...times,
      ...(this.#algorithmVersion !== undefined && { algorithmVersion: this.#algorithmVersion }),
      problems: this.#zip.problems,
      files: this.#zip.members,
    };
    return `${JSON.stringify(manifest, null, 2)}\n`;
  }
}
