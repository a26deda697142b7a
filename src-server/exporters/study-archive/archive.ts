/**
 * The study archive: a ZIP of all data of a study except its signals, as CSV, with a manifest of hashes. Written subject by
 * subject and day by day, so memory does not grow with the study.
 */

import { metricsDocument } from '../../analytics/dictionary/document.ts';
import { joinedVersion } from '../../analytics/version.ts';
import { csvRow } from '../../csv-row.ts';
import {
  ArrayPool,
  type DataQueryRecord,
  type NoteRecord,
  type ReadStore,
  type StudyDetailRecord,
} from '../../db/index.ts';
import { OutpostError } from '../../errors.ts';
import { CHANNELS_COLUMNS } from '../../stored-analytics/csv.ts';
import { DayChannels } from '../../stored-analytics/day-channels.ts';
import { QualityReport } from '../../stored-analytics/quality-report.ts';
import { midnightWindowsBetween } from '../../study/day-windows.ts';
import type { QuestionDefinition } from '../../study/definition.ts';
import { definitionDocument } from '../../study/definition-document.ts';
import { scoresOfReport } from '../../study/questionnaires/reports.ts';
import { isScorable } from '../../study/questionnaires/score.ts';
import { completeParameters } from '../../vocabulary/analysis-parameters.ts';
import { Changes } from '../study-export/changes.ts';
import { CORRECTIONS, CorrectionReader } from '../study-export/corrections.ts';
import { decisionsInManifest } from '../study-export/data-decisions.ts';
import { ExportView } from '../study-export/export-view.ts';
import { type FramedSubject, framedSubjects } from '../study-export/exported-recordings.ts';
import { HRV_WINDOWS, hrvWindowsOf } from '../study-export/hrv-windows.ts';
import { PARTICIPATION_STEPS_TABLE, VISITS } from '../study-export/participation.ts';
import { signaturesCsv } from '../study-export/signatures.ts';
import type {
  StudyExportContext,
  StudyExportFacts,
  StudyExportOptions,
  StudyExportWriter,
} from '../study-export/types.ts';
import { type WrittenMember, ZipWriter } from '../zip-writer.ts';
import { columnsCsv, type TypedColumn, typesOfUnits } from './column-types.ts';
import { GGIR_TABLE_COUNT, ggirTables, hasEpochs, mvpaNames } from './ggir.ts';
import { LOAD_PYTHON, LOAD_R } from './load-scripts.ts';
import { readmeOf } from './readme.ts';
import {
  ANALYSIS_METHODS,
  ANNOTATIONS,
  DAILY_METRICS_HEADER,
  DATA_QUALITY,
  DEVICE_CONFIGS,
  dailyMetricsRow,
  dailyMetricsTypes,
  EQUIPMENT,
  FAULTS,
  metricDictionary,
  NOTES,
  programDaysOf,
  QUERIES,
  QUERY_STEPS_TABLE,
  questions as questionColumns,
  RECORDINGS,
  SCORES,
  type ScoreRow,
  STUDY,
  subjects as subjectColumns,
  TASKS,
  Table,
} from './tables.ts';

interface Member extends WrittenMember {
  /** Tables that hold only new and changed rows in an incremental archive, with their key columns. */
  rows?: 'CHANGED';
  key?: readonly string[];
}

/**
 * Writes the archive and ends `out`.
 * @throws NOT_FOUND (study), CANCELLED, DISK_FULL and other errors of writing
 */
export const writeStudyArchive: StudyExportWriter = async (context, options, out) => {
  const study = await context.store.studies.getDetail(options.studyId);
  if (!study) throw new OutpostError('NOT_FOUND', 'There is no such study.');
  const changes =
    options.sinceTs === null ? null : await Changes.since(context.store, options.studyId, options.sinceTs);
  return await new StudyArchive(context, options, study, changes, new ZipWriter(out, 'many')).write();
};

/** The local dates of a subject whose channels may be written. */
interface DayPlan {
  exported: FramedSubject;
  dates: string[];
}

/** The answers of a question's condition as the export shows them: texts, or the numbers of the choices. */
function shownConditionOf(
  view: ExportView,
  { showIf }: QuestionDefinition,
  others: readonly QuestionDefinition[],
): readonly string[] | undefined {
  const deciding = others.find(({ id }) => id === showIf?.questionId);
  const shown = deciding && view.choices(deciding);
  return deciding && showIf?.values.flatMap((value) => shown?.[deciding.values.indexOf(value)] ?? []);
}

const channelsTypes = (): TypedColumn[] => typesOfUnits('channels/*.csv', CHANNELS_COLUMNS);

/** Equipment, faults, recordings, annotations, metrics, methods, variability and quality, each written subject after subject. */
const TABLES_BY_SUBJECT = 8;
/** Rows of five minutes that are written at once. */
const ROWS_AT_ONCE = 288;
/** Of each subject with corrections. */
const TABLES_OF_CORRECTIONS = 2;
/** Of the study and of each subject with notes. */
const TABLES_OF_NOTES = 1;
/** Of each subject, in a study that uses status, consent, groups or visits. */
const TABLES_OF_PARTICIPATION = 2;
/** Of each subject with queries. */
const TABLES_OF_QUERIES = 2;
/** Of each subject with scored questionnaires. */
const TABLES_OF_SCORES = 1;
/** Of each subject with a wrist or waist. */
const TABLES_OF_GGIR = GGIR_TABLE_COUNT;

class StudyArchive {
  readonly #context: StudyExportContext;
  readonly #options: StudyExportOptions;
  readonly #store: ReadStore;
  readonly #study: StudyDetailRecord;
  readonly #changes: Changes | null;
  readonly #view: ExportView;
  readonly #zip: ZipWriter;
  readonly #correctionReader: CorrectionReader;
  /** Versions of the algorithms behind the days; several when some days were computed by older versions. */
  readonly #versions = new Set<string>();
  readonly #steps = { done: 0, total: 0 };
  readonly #members: Member[] = [];
  readonly #types: TypedColumn[] = [];
  /** Tombstones: files and row keys that an earlier archive may hold and that no longer exist. */
  readonly #removed: [file: string, key: string][] = [];

  constructor(
    context: StudyExportContext,
    options: StudyExportOptions,
    study: StudyDetailRecord,
    changes: Changes | null,
    zip: ZipWriter,
  ) {
    this.#context = context;
    this.#options = options;
    this.#store = context.store;
    this.#study = study;
    this.#changes = changes;
    this.#view = new ExportView(study, options, context);
    this.#zip = zip;
    this.#correctionReader = new CorrectionReader(context, options);
  }

  async write(): Promise<StudyExportFacts> {
    try {
      const subjects = await framedSubjects(this.#context, this.#options, this.#view);
      const { isDeidentified } = this.#view;
      await this.#add('README.txt', [
        readmeOf({ isDeidentified, isIncremental: this.#changes !== null, words: this.#options.words }),
      ]);
      await this.#definition();
      const table = this.#table('subjects.csv', subjectColumns(this.#view));
      await this.#add('subjects.csv', [
        table.header,
        ...subjects.map(({ subject, frame }) => table.row(subject, frame)),
      ]);
      const frames = subjects.map(({ frame }) => frame);
      await this.#add('signatures.csv', signaturesCsv(this.#context, this.#options, this.#view, frames));
      const plan: DayPlan[] = [];
      for (const exported of subjects) plan.push({ exported, dates: await this.#datesOf(exported) });
      const days = plan.reduce((sum, { dates }) => sum + dates.length, 0);
      const corrected: FramedSubject[] = [];
      for (const one of subjects) if (await this.#correctionReader.hasAny(one)) corrected.push(one);
      const noted: FramedSubject[] = [];
      for (const one of subjects) if ((await this.#notesOf(one.subject.id)).length > 0) noted.push(one);
      const queried: FramedSubject[] = [];
      for (const one of subjects) if ((await this.#queriesOf(one.subject.id)).length > 0) queried.push(one);
      const isFollowed = await this.#store.participation.isUsed(subjects.map(({ subject }) => subject.id));
      const followed = isFollowed ? subjects : [];
      const scored: FramedSubject[] = [];
      if (isScorable(await this.#store.studies.questionTexts(this.#study.id)))
        for (const one of subjects) if (await this.#hasScores(one.subject.id)) scored.push(one);
      const limbs: FramedSubject[] = [];
      const mvpa = new Set<string>();
      for (const one of subjects) {
        const ofSubject = await this.#store.analytics.days(one.subject.id);
        if (!hasEpochs(ofSubject)) continue;
        limbs.push(one);
        for (const name of mvpaNames(ofSubject)) mvpa.add(name);
      }
      this.#steps.total =
        subjects.length * TABLES_BY_SUBJECT +
        corrected.length * TABLES_OF_CORRECTIONS +
        noted.length * TABLES_OF_NOTES +
        queried.length * TABLES_OF_QUERIES +
        followed.length * TABLES_OF_PARTICIPATION +
        scored.length * TABLES_OF_SCORES +
        limbs.length * TABLES_OF_GGIR +
        days;
      await this.#subjectTables(subjects);
      await this.#methods(subjects);
      await this.#variability(subjects);
      await this.#quality(subjects);
      await this.#corrections(corrected);
      await this.#notes(noted);
      await this.#queries(queried);
      await this.#participation(followed);
      await this.#scores(scored);
      await this.#ggir(limbs, [...mvpa].sort());
      await this.#add('metric-dictionary.csv', [metricDictionary()]);
      await this.#add('metrics.md', [metricsDocument()]);
      await this.#add('columns.csv', [
        columnsCsv([...this.#types, ...dailyMetricsTypes('metrics.csv'), ...channelsTypes()]),
      ]);
      await this.#add('load.py', [LOAD_PYTHON]);
      await this.#add('load.R', [LOAD_R]);
      const written = await this.#channels(plan);
      if (this.#changes) await this.#add('removed.csv', this.#removedRows(subjects));
      await this.#add('manifest.json', [this.#manifest()]);
      return { ...(await this.#zip.finish()), subjects: subjects.length, days: written };
    } catch (thrown) {
      this.#zip.abort(thrown instanceof Error ? thrown : new Error(String(thrown)));
      throw thrown;
    }
  }

  /** Counts tables of subjects and days as steps of one total, so that progress never restarts. */
  #stepDone(step: string): void {
    this.#steps.done += 1;
    this.#context.progress(this.#steps.done, this.#steps.total, step);
  }

  #isAsked({ createdTs }: { createdTs: number }): boolean {
    return createdTs <= this.#options.asOfTs;
  }

  async #add(path: string, content: Iterable<string> | AsyncIterable<string>): Promise<Member> {
    this.#context.throwIfCancelled();
    const member = await this.#zip.add(path, content);
    this.#members.push(member);
    return member;
  }

  /** A table whose column types the archive lists. */
  #table<T>(file: string, columns: ConstructorParameters<typeof Table<T>>[0]): Table<T> {
    const table = new Table(columns, this.#view);
    this.#types.push(...table.types(file));
    return table;
  }

  async #definition(): Promise<void> {
    const study = this.#study;
    const view = this.#view;
    const tasks = [...study.activities, ...study.diaries];
    const questions = tasks.flatMap((task) =>
      task.questions.map((question) => ({
        ...question,
        taskId: task.id,
        shownShowIfValues: shownConditionOf(view, question, task.questions),
      })),
    );
    const studyTable = this.#table('study.csv', STUDY);
    await this.#add('study.csv', [studyTable.header, studyTable.row(study, null)]);
    if (!view.isDeidentified) {
      await this.#add('definition.json', [`${JSON.stringify(definitionDocument(study), null, 2)}\n`]);
    }
    const taskTable = this.#table('tasks.csv', TASKS);
    await this.#add('tasks.csv', [
      taskTable.header,
      ...tasks.map((task) => taskTable.row({ ...task, programDays: programDaysOf(study, task) }, null)),
    ]);
    const questionTable = this.#table('questions.csv', questionColumns(view));
    await this.#add('questions.csv', [
      questionTable.header,
      ...questions.map((question) => questionTable.row(question, null)),
    ]);
    const configTable = this.#table('device-configs.csv', DEVICE_CONFIGS);
    await this.#add('device-configs.csv', [
      configTable.header,
      ...study.deviceConfigs.map((config) => configTable.row(config, null)),
    ]);
  }

  /** Writes one member with the rows of all subjects; in an incremental archive, tables with keys hold only changed rows. */
  async #perSubject(
    path: string,
    header: string,
    key: readonly string[] | null,
    subjects: readonly FramedSubject[],
    batchesOf: (subject: FramedSubject) => AsyncIterable<string[]>,
  ): Promise<void> {
    const context = this.#context;
    const stepDone = (step: string) => this.#stepDone(step);
    async function* content() {
      yield header;
      for (const subject of subjects) {
        for await (const rows of batchesOf(subject)) {
          context.throwIfCancelled();
          if (rows.length > 0) yield rows.join('');
        }
        stepDone('writing subjects');
      }
    }
    const member = await this.#add(path, content());
    if (this.#changes && key) Object.assign(member, { rows: 'CHANGED', key });
  }

  async #subjectTables(subjects: readonly FramedSubject[]): Promise<void> {
    const { equipment, faults, recordings, annotations, analytics } = this.#store;
    const view = this.#view;
    const changes = this.#changes;
    const equipmentTable = this.#table('equipment.csv', EQUIPMENT);
    await this.#perSubject(
      'equipment.csv',
      equipmentTable.header,
      null,
      subjects,
      async function* ({ subject, frame }) {
        const items = await equipment.everHeldBy(subject.id);
        yield items.map((item) => equipmentTable.row({ ...item, subjectId: subject.id }, frame));
      },
    );
    const isAsked = (row: { createdTs: number }) => this.#isAsked(row);
    const faultTable = this.#table('faults.csv', FAULTS);
    await this.#perSubject('faults.csv', faultTable.header, ['id'], subjects, async function* ({ subject, frame }) {
      const rows = (await faults.listForSubject(subject.id)).filter(isAsked);
      yield rows
        .filter((row) => changes?.hasFault(row) ?? true)
        .map((row) => faultTable.row({ ...row, clock: frame.clock }, frame));
    });
    const recordingTable = this.#table('recordings.csv', RECORDINGS);
    const recordingsHeader = recordingTable.header;
    await this.#perSubject('recordings.csv', recordingsHeader, ['id'], subjects, async function* ({ subject, frame }) {
      const rows = (await recordings.listForSubject(subject.id)).filter(isAsked);
      yield rows
        .filter((row) => changes?.hasRecording(row) ?? true)
        .map((row) => recordingTable.row({ ...row, clock: frame.clock }, frame));
    });
    const annotationTable = this.#table('annotations.csv', ANNOTATIONS);
    await this.#perSubject('annotations.csv', annotationTable.header, ['id'], subjects, async function* (one) {
      for await (const slice of annotations.slices(one.subject.id)) {
        yield slice
          .filter((row) => isAsked(row) && (changes?.hasAnnotation(row) ?? true))
          .map((row) => annotationTable.row({ ...row, clock: one.frame.clock }, one.frame));
      }
    });
    const dayKey = ['subjectId', 'DATE'];
    const versions = this.#versions;
    await this.#perSubject('metrics.csv', DAILY_METRICS_HEADER, dayKey, subjects, async function* (one) {
      const { subject, zones, frame } = one;
      const days = await analytics.days(subject.id);
      for (const { algorithmVersion } of days) versions.add(algorithmVersion);
      yield days
        .filter((day) => changes?.hasDay(day, subject) ?? true)
        .map((day) => dailyMetricsRow(view, subject, day, zones, frame));
    });
  }

  /** With what each day was computed. */
  async #methods(subjects: readonly FramedSubject[]): Promise<void> {
    const { analytics } = this.#store;
    const table = this.#table('analysis-methods.csv', ANALYSIS_METHODS);
    await this.#perSubject('analysis-methods.csv', table.header, null, subjects, async function* ({ subject, frame }) {
      const days = await analytics.days(subject.id);
      yield days.map((day) => table.row({ ...day, chosen: completeParameters(day.parameters) }, frame));
    });
  }

  /** Variability per five minutes. */
  async #variability(subjects: readonly FramedSubject[]): Promise<void> {
    const store = this.#store;
    const table = this.#table('hrv-5min.csv', HRV_WINDOWS);
    await this.#perSubject('hrv-5min.csv', table.header, null, subjects, async function* (one) {
      let rows: string[] = [];
      for await (const window of hrvWindowsOf(store, one)) {
        rows.push(table.row(window, one.frame));
        if (rows.length < ROWS_AT_ONCE) continue;
        yield rows;
        rows = [];
      }
      yield rows;
    });
  }

  /** What people corrected, and the metrics of the days it touches as computed without; nothing in a study without corrections. */
  async #corrections(corrected: readonly FramedSubject[]): Promise<void> {
    const { analytics } = this.#store;
    const view = this.#view;
    const corrections = this.#correctionReader;
    if (corrected.length === 0) return;
    const table = this.#table('corrections.csv', CORRECTIONS);
    await this.#perSubject('corrections.csv', table.header, null, corrected, async function* (one) {
      yield (await corrections.of(one)).map((row) => table.row(row, one.frame));
    });
    this.#types.push(...dailyMetricsTypes('metrics-uncorrected.csv'));
    await this.#perSubject('metrics-uncorrected.csv', DAILY_METRICS_HEADER, null, corrected, async function* (one) {
      const { subject, zones, frame } = one;
      const days = await analytics.uncorrectedDays(subject.id);
      yield days.map((day) => dailyMetricsRow(view, subject, day, zones, frame));
    });
  }

  /** Notes of a subject that the export asks for; without one, those about the study. */
  async #notesOf(subjectId?: string): Promise<NoteRecord[]> {
    const asked: NoteRecord[] = [];
    const place = { studyId: this.#study.id, ...(subjectId !== undefined && { subjectId }) };
    for await (const slice of this.#store.notes.slices(place)) {
      asked.push(...slice.filter((row) => this.#isAsked(row)));
    }
    return asked;
  }

  /**
   * Notes and calls of staff; nothing in a study without. Those about the study are of no use without their text, and may name
   * subjects that were not chosen.
   */
  async #notes(noted: readonly FramedSubject[]): Promise<void> {
    const isWhole = !this.#view.isDeidentified && this.#options.subjectIds === null;
    const ofStudy = isWhole ? await this.#notesOf() : [];
    if (noted.length === 0 && ofStudy.length === 0) return;
    const table = this.#table('notes.csv', NOTES);
    const notesOf = (subjectId: string) => this.#notesOf(subjectId);
    const first = [table.header, ...ofStudy.map((row) => table.row(row, null))].join('');
    await this.#perSubject('notes.csv', first, null, noted, async function* ({ subject, frame }) {
      yield (await notesOf(subject.id)).map((row) => table.row(row, frame));
    });
  }

  async #queriesOf(subjectId: string): Promise<DataQueryRecord[]> {
    const rows = await this.#store.dataQueries.ofSubject(subjectId);
    return rows.filter(({ openedTs }) => this.#isAsked({ createdTs: openedTs }));
  }

  /** The data quality of each subject per week, by the days that were complete when the archive was asked for. */
  async #quality(subjects: readonly FramedSubject[]): Promise<void> {
    const report = new QualityReport(this.#store, this.#study, Math.min(this.#options.asOfTs, Date.now()));
    const table = this.#table('data-quality.csv', DATA_QUALITY);
    await this.#perSubject(
      'data-quality.csv',
      table.header,
      null,
      subjects,
      async function* ({ subject, frame, untilMs }) {
        const stopTs = Math.min(subject.programStopTs ?? Number.POSITIVE_INFINITY, untilMs ?? Number.POSITIVE_INFINITY);
        const [found] = await report.of([{ ...subject, ...(Number.isFinite(stopTs) && { programStopTs: stopTs }) }]);
        const row = { subjectId: subject.id, targets: report.targets };
        yield (found?.quality?.weeks ?? []).map((week) => table.row({ ...week, ...row }, frame));
      },
    );
  }

  /** Data queries and their steps; nothing in a study without. */
  async #queries(queried: readonly FramedSubject[]): Promise<void> {
    if (queried.length === 0) return;
    const { dataQueries } = this.#store;
    const table = this.#table('queries.csv', QUERIES);
    const queriesOf = (subjectId: string) => this.#queriesOf(subjectId);
    await this.#perSubject('queries.csv', table.header, null, queried, async function* ({ subject, frame }) {
      yield (await queriesOf(subject.id)).map((row) => table.row(row, frame));
    });
    const steps = this.#table('query-steps.csv', QUERY_STEPS_TABLE);
    await this.#perSubject('query-steps.csv', steps.header, null, queried, async function* ({ subject, frame }) {
      const rows = await dataQueries.stepsOf((await queriesOf(subject.id)).map(({ id }) => id));
      yield [...rows.values()].flat().map((row) => steps.row(row, frame));
    });
  }

  /** Status, consent, group and visits; nothing in a study that does not use them. */
  async #participation(followed: readonly FramedSubject[]): Promise<void> {
    if (followed.length === 0) return;
    const { participation } = this.#store;
    const isAsked = (row: { createdTs: number }) => this.#isAsked(row);
    const steps = this.#table('participation.csv', PARTICIPATION_STEPS_TABLE);
    await this.#perSubject('participation.csv', steps.header, null, followed, async function* ({ subject, frame }) {
      yield (await participation.steps(subject.id)).filter(isAsked).map((row) => steps.row(row, frame));
    });
    const visits = this.#table('visits.csv', VISITS);
    await this.#perSubject('visits.csv', visits.header, null, followed, async function* ({ subject, frame }) {
      yield (await participation.visits(subject.id)).map((row) => visits.row(row, frame));
    });
  }

  /** The scores of a subject in the order of the reports, a slice at a time. */
  async *#scoresOf(subjectId: string): AsyncGenerator<ScoreRow[]> {
    const { annotations } = this.#store;
    for await (const slice of annotations.slices(subjectId, { types: ['activity', 'diary'] })) {
      const asked = slice.filter((row) => this.#isAsked(row));
      const answers = await annotations.answersOf(asked.map(({ id }) => id));
      const rows = asked.flatMap((report) =>
        scoresOfReport(answers.get(report.id) ?? [], report.skipped).map((score) => ({ ...score, report })),
      );
      if (rows.length > 0) yield rows;
    }
  }

  async #hasScores(subjectId: string): Promise<boolean> {
    for await (const _ of this.#scoresOf(subjectId)) return true;
    return false;
  }

  /** Scores of questionnaires, one row for each that was completed; nothing in a study without. */
  async #scores(scored: readonly FramedSubject[]): Promise<void> {
    if (scored.length === 0) return;
    const table = this.#table('scores.csv', SCORES);
    const scoresOf = (subjectId: string) => this.#scoresOf(subjectId);
    await this.#perSubject('scores.csv', table.header, null, scored, async function* ({ subject, frame }) {
      for await (const rows of scoresOf(subject.id)) yield rows.map((row) => table.row(row, frame));
    });
  }

  /** Days and nights of wrists and waists for scripts that read GGIR's reports; nothing in a study without them. */
  async #ggir(limbs: readonly FramedSubject[], mvpa: readonly string[]): Promise<void> {
    if (limbs.length === 0) return;
    const { analytics } = this.#store;
    const view = this.#view;
    for (const { file, header, types, rows } of ggirTables(mvpa)) {
      this.#types.push(...types);
      await this.#perSubject(file, header, null, limbs, async function* (one) {
        yield rows(view, one, await analytics.days(one.subject.id));
      });
    }
  }

  /** Local dates of a subject with recordings at the time of the request. */
  async #datesOf({ subject, frame }: FramedSubject): Promise<string[]> {
    const dates = new Set<string>();
    for (const recording of await this.#store.recordings.listForSubject(subject.id)) {
      if (!this.#isAsked(recording)) continue;
      const days = midnightWindowsBetween(recording.startUs / 1000, recording.stopUs / 1000, frame.clock);
      for (const { date } of days) dates.add(date);
    }
    return [...dates].sort();
  }

  #channelsPath({ id, frame }: FramedSubject, date: string): string {
    return `channels/${id}/${this.#view.date(date, frame)}.csv`;
  }

  /** Writes the channels of every day that has any; returns the number of days. */
  async #channels(plan: readonly DayPlan[]): Promise<number> {
    const pool = new ArrayPool();
    let written = 0;
    for (const { exported, dates } of plan) {
      const { subject, frame, untilMs } = exported;
      const channels = new DayChannels(this.#store, subject.id, frame.clock, { pool });
      const present = new Set<string>();
      for (const date of dates) {
        const windows = await channels.windows(date);
        if (windows.length > 0) present.add(date);
        if (windows.length > 0 && (this.#changes?.hasChannels(subject, date, windows) ?? true)) {
          const csv = (await channels.csv(date, { windows, shiftMs: frame.shiftMs, untilMs })) as string;
          await this.#add(this.#channelsPath(exported, date), [csv]);
          written += 1;
        }
        this.#stepDone('writing days');
      }
      channels.release();
      for (const date of this.#changes?.lostChannelDates(subject, present) ?? []) {
        this.#removed.push([this.#channelsPath(exported, date), '']);
      }
    }
    return written;
  }

  async *#removedRows(subjects: readonly FramedSubject[]): AsyncGenerator<string> {
    yield csvRow(['file', 'key']);
    const view = this.#view;
    const exported = new Map(subjects.map((one) => [one.subject.id, one]));
    for (const { subjectId, id } of this.#changes?.removedLabels ?? []) {
      if (exported.has(subjectId)) yield csvRow(['annotations.csv', view.id('annotation', id)]);
    }
    for (const { subject, frame, id } of subjects) {
      const removed = this.#changes?.removedDates(subject) ?? [];
      if (removed.length === 0) continue;
      const present = new Set((await this.#store.analytics.days(subject.id)).map(({ date }) => date));
      for (const date of removed) {
        if (!present.has(date)) yield csvRow(['metrics.csv', `${id} ${view.date(date, frame)}`]);
      }
    }
    for (const row of this.#removed) yield csvRow(row);
  }

  /** A de-identified archive omits its own date, since the newest day lies shortly before it. */
  #manifest(): string {
    const { requestedTs, dataTs, exportId, sinceTs, sinceExportId, deidentify, auditReceipt } = this.#options;
    const { id, accountId, displayName, definitionVersion } = this.#study;
    const base = sinceExportId === null ? {} : { exportId: this.#view.id('export', sinceExportId) };
    const study = deidentify
      ? { id: this.#view.id('study', id), displayName: this.#view.id('study', id), definitionVersion }
      : { id, accountId, displayName, definitionVersion };
    const manifest = {
      format: 'outpost-study-archive',
      formatVersion: 2,
      exportId: this.#view.id('export', exportId),
      isDeidentified: deidentify !== null,
      study,
      ...(deidentify === null && { requestedTs, dataTs, auditReceipt }),
      ...(sinceTs !== null && { base: { ...base, ...(deidentify === null && { sinceTs }) } }),
      ...(this.#versions.size > 0 && { algorithmVersion: joinedVersion(this.#versions) }),
      ...decisionsInManifest(this.#context, (subjectId) => this.#view.id('subject', subjectId)),
      files: this.#members,
    };
    return `${JSON.stringify(manifest, null, 2)}\n`;
  }
}
