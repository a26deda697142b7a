/**
 * The study archive: a ZIP of everything that is known of a study but its signals, as CSV, with a manifest of hashes. It is
 * written subject by subject and day by day, so memory does not grow with the study.
 */
import type { Store, StudyDetailRecord, SubjectRecord } from '../../db/index.ts';
import { OutpostError } from '../../errors.ts';
import { type DayClock, midnightWindowsBetween } from '../../study/day-windows.ts';
import { definitionDocument } from '../../study/definition-document.ts';
import { DayChannels } from '../analytics/day-channels.ts';
import { exportedSubjects } from '../study-export/subjects.ts';
import type {
  StudyExportContext,
  StudyExportFacts,
  StudyExportOptions,
  StudyExportWriter,
} from '../study-export/types.ts';
import { type WrittenMember, ZipWriter } from '../zip-writer.ts';
import {
  ANNOTATIONS,
  DAILY_METRICS_HEADER,
  DEVICE_CONFIGS,
  dailyMetricsRow,
  EQUIPMENT,
  FAULTS,
  headerOf,
  metricDictionary,
  QUESTIONS,
  RECORDINGS,
  rowOf,
  STUDY,
  subjects as subjectColumns,
  tasks as taskColumns,
} from './tables.ts';

/** Rows of annotations taken together. */
const BATCH = 500;

const README = `This archive holds the metadata and analytics of one study.

manifest.json          what this archive is, and size and SHA-256 of every other file
study.csv              the study
definition.json        its definition, which can be brought into another study
tasks.csv              activities and diaries, with the days of the program on which they are due
questions.csv          their questions
device-configs.csv     device configurations
subjects.csv           subjects, with the fields that the study added; test subjects are left out
equipment.csv          equipment that each subject has or had
faults.csv             faults that devices reported
recordings.csv         recordings; their samples are downloaded one by one
annotations.csv        completed tasks, answers and labels
metrics.csv            daily metrics, one row per subject and local day
metric-dictionary.csv  what each metric means, its unit and the least data behind it
channels/<subject id>/<date>.csv
                       one row per minute of the subject's local day

Fields whose name ends in Ts are milliseconds since 1970-01-01T00:00:00Z. Dates are local to
the subject. Text is UTF-8; cells with commas, quotes or line breaks are in double quotes.
An empty cell means that nothing is known.
`;

interface SubjectDays {
  subject: SubjectRecord;
  clock: DayClock;
  dates: string[];
}

/**
 * Writes the archive and ends `out`.
 * @throws NOT_FOUND (study), CANCELLED, and what writing throws (DISK_FULL)
 */
export const writeStudyArchive: StudyExportWriter = async (context, options, out) => {
  const study = await context.store.studies.getDetail(options.studyId);
  if (!study) throw new OutpostError('NOT_FOUND', 'There is no such study.');
  return await new StudyArchive(context, options, study, new ZipWriter(out)).write();
};

class StudyArchive {
  readonly #context: StudyExportContext;
  readonly #options: StudyExportOptions;
  readonly #store: Store;
  readonly #study: StudyDetailRecord;
  readonly #zip: ZipWriter;
  readonly #members: WrittenMember[] = [];

  constructor(context: StudyExportContext, options: StudyExportOptions, study: StudyDetailRecord, zip: ZipWriter) {
    this.#context = context;
    this.#options = options;
    this.#store = context.store;
    this.#study = study;
    this.#zip = zip;
  }

  async write(): Promise<StudyExportFacts> {
    try {
      const subjects = await exportedSubjects(this.#context, this.#options);
      await this.#add('README.txt', [README]);
      await this.#definition();
      await this.#add('subjects.csv', [
        headerOf(subjectColumns(this.#study)),
        ...subjects.map((subject) => rowOf(subjectColumns(this.#study), subject)),
      ]);
      await this.#subjectTables(subjects);
      const days = await this.#channels(subjects);
      await this.#add('manifest.json', [this.#manifest()]);
      return { ...(await this.#zip.finish()), subjects: subjects.length, days };
    } catch (thrown) {
      this.#zip.abort(thrown instanceof Error ? thrown : new Error(String(thrown)));
      throw thrown;
    }
  }

  #isAsked({ createdTs }: { createdTs: number }): boolean {
    return createdTs <= this.#options.asOfTs;
  }

  async #add(path: string, content: Iterable<string> | AsyncIterable<string>): Promise<void> {
    this.#context.throwIfCancelled();
    this.#members.push(await this.#zip.add(path, content));
  }

  async #definition(): Promise<void> {
    const study = this.#study;
    const tasks = [...study.activities, ...study.diaries];
    const columns = taskColumns(study);
    const questions = tasks.flatMap((task) => task.questions.map((question) => ({ ...question, taskId: task.id })));
    await this.#add('study.csv', [headerOf(STUDY), rowOf(STUDY, study)]);
    await this.#add('definition.json', [`${JSON.stringify(definitionDocument(study), null, 2)}\n`]);
    await this.#add('tasks.csv', [headerOf(columns), ...tasks.map((task) => rowOf(columns, task))]);
    await this.#add('questions.csv', [headerOf(QUESTIONS), ...questions.map((question) => rowOf(QUESTIONS, question))]);
    await this.#add('device-configs.csv', [
      headerOf(DEVICE_CONFIGS),
      ...study.deviceConfigs.map((config) => rowOf(DEVICE_CONFIGS, config)),
    ]);
  }

  /** One member whose rows come subject after subject. */
  async #perSubject(
    path: string,
    header: string,
    subjects: readonly SubjectRecord[],
    rowsOf: (subject: SubjectRecord) => Promise<string[]>,
  ): Promise<void> {
    const context = this.#context;
    async function* content() {
      yield header;
      for (const subject of subjects) {
        context.throwIfCancelled();
        const rows = await rowsOf(subject);
        for (let i = 0; i < rows.length; i += BATCH) yield rows.slice(i, i + BATCH).join('');
      }
    }
    await this.#add(path, content());
  }

  async #subjectTables(subjects: readonly SubjectRecord[]): Promise<void> {
    const { equipment, faults, recordings, annotations, analytics } = this.#store;
    await this.#perSubject('equipment.csv', headerOf(EQUIPMENT), subjects, async ({ id: subjectId }) =>
      (await equipment.everHeldBy(subjectId)).map((item) => rowOf(EQUIPMENT, { ...item, subjectId })),
    );
    await this.#perSubject('faults.csv', headerOf(FAULTS), subjects, async ({ id }) =>
      (await faults.listForSubject(id)).filter((fault) => this.#isAsked(fault)).map((fault) => rowOf(FAULTS, fault)),
    );
    await this.#perSubject('recordings.csv', headerOf(RECORDINGS), subjects, async ({ id }) =>
      (await recordings.listForSubject(id)).filter((row) => this.#isAsked(row)).map((row) => rowOf(RECORDINGS, row)),
    );
    await this.#perSubject('annotations.csv', headerOf(ANNOTATIONS), subjects, async ({ id }) =>
      (await annotations.list(id)).filter((row) => this.#isAsked(row)).map((row) => rowOf(ANNOTATIONS, row)),
    );
    await this.#perSubject('metrics.csv', DAILY_METRICS_HEADER, subjects, async (subject) =>
      (await analytics.days(subject.id)).map((day) => dailyMetricsRow(subject, day)),
    );
    await this.#add('metric-dictionary.csv', [metricDictionary()]);
  }

  /** Local dates of each subject on which something was recorded by the time of the request. */
  async #daysOf(subject: SubjectRecord, clock: DayClock): Promise<SubjectDays> {
    const dates = new Set<string>();
    for (const recording of await this.#store.recordings.listForSubject(subject.id)) {
      if (!this.#isAsked(recording)) continue;
      const days = midnightWindowsBetween(recording.startUs / 1000, recording.stopUs / 1000, clock);
      for (const { date } of days) dates.add(date);
    }
    return { subject, clock, dates: [...dates].sort() };
  }

  /** Writes the channels of every day that has any; answers how many. */
  async #channels(subjects: readonly SubjectRecord[]): Promise<number> {
    const plan: SubjectDays[] = [];
    for (const subject of subjects)
      plan.push(await this.#daysOf(subject, await this.#store.subjects.zones(subject.id)));
    const total = plan.reduce((sum, { dates }) => sum + dates.length, 0);
    let done = 0;
    let written = 0;
    for (const { subject, clock, dates } of plan) {
      const channels = new DayChannels(this.#store, subject.id, clock);
      for (const date of dates) {
        const csv = await channels.csv(date);
        if (csv !== undefined) {
          await this.#add(`channels/${subject.id}/${date}.csv`, [csv]);
          written += 1;
        }
        done += 1;
        this.#context.progress(done, total, 'writing days');
      }
    }
    return written;
  }

  #manifest(): string {
    const { asOfTs: requestedTs, dataTs } = this.#options;
    const { id, accountId, displayName, definitionVersion } = this.#study;
    const manifest = {
      format: 'outpost-study-archive',
      formatVersion: 1,
      study: { id, accountId, displayName, definitionVersion },
      requestedTs,
      dataTs,
      files: this.#members,
    };
    return `${JSON.stringify(manifest, null, 2)}\n`;
  }
}
