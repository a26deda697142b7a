/** The heartbeats of a study as a ZIP: for every recording with beats a CSV, RR intervals for Kubios HRV, and a WFDB annotation file. */
import { ANALYTICS_VERSION } from '../../analytics/index.ts';
import { csvRow } from '../../csv-row.ts';
import type { RecordingRecord, StudyDetailRecord } from '../../db/index.ts';
import { decisionsInManifest } from '../study-export/data-decisions.ts';
import { codeOf, type Disclosure, idOf, MEASURE, TEXT, TIME_MS } from '../study-export/disclosure.ts';
import { ExportView } from '../study-export/export-view.ts';
import {
  addPart,
  completeRecordings,
  type FramedSubject,
  framedSubjects,
} from '../study-export/exported-recordings.ts';
import { type PartRequest, StudyParts } from '../study-export/parts.ts';
import { deidentificationText } from '../study-export/readme.ts';
import { LOCATION } from '../study-export/signal-disclosure.ts';
import { exportedStudy, StudyZip } from '../study-export/study-zip.ts';
import type {
  StudyExportContext,
  StudyExportFacts,
  StudyExportOptions,
  StudyExportWriter,
} from '../study-export/types.ts';
import { BEATS_PYTHON, BEATS_R } from './load-scripts.ts';
import { BEAT_TYPES } from './origins.ts';
import type { BeatMember } from './part.ts';
import { beatOriginOf, requestedBeats, wfdbName } from './requested.ts';

const README = `This archive holds the heartbeats of one study. It is research data, computed after the fact: not for
diagnosis and not for monitoring.

manifest.json      what this archive is, size and SHA-256 of every other file, and under "problems" what could not be read
recordings.csv     the recordings with beats: subject, start and end, where the beats come from, and the stem of their files
beats/<subject>/<recording>.csv
                   every beat: time_us (epoch microseconds), rr_ms (the interval that ends at it), is_nn (1 where both of its
                   beats are sinus beats), use (USED in variability, EARLY_OR_ODD for the heart rate alone, DOUBTFUL for
                   neither) and is_after_break. Where people corrected beats also what they did
beats/<subject>/<recording>.json
                   with what they were found: version of the algorithms, parameters of the study (on which detection does
                   not depend), corrections, and the hashes of the recording and of all inputs. It is also of the RR
                   intervals and annotations, which cannot hold it; headers of WFDB records have it as comments
rr/<subject>/<recording>.txt
                   RR intervals for Kubios HRV and like programs: time and interval in seconds, separated by a tab
rr/<subject>/<recording>_detected.txt
                   the same without corrections; only where people corrected beats
wfdb/<subject>/<recording>.qrs
                   WFDB annotations (1000 per second from the start in the .hea file, so exact to a millisecond); .auto
                   holds the beats as detected, where people corrected them
load.py, load.R    load all beats with types, for pandas and for R; each begins with how to use it

Times are UTC.
`;

interface BeatsRow {
  row: RecordingRecord;
  origin: string;
  corrections: number;
  stem: string;
  inputsSha256: string | undefined;
}

/** The columns of `recordings.csv` by their class. */
const COLUMNS: readonly (readonly [name: string, shows: Disclosure, value: (of: BeatsRow) => unknown])[] = [
  ['recordingId', idOf('recording'), ({ row }) => row.id],
  ['subjectId', idOf('subject'), ({ row }) => row.subjectId],
  ['recordingStartTs', TIME_MS, ({ row }) => Math.floor(row.startUs / 1000)],
  ['recordingStopTs', TIME_MS, ({ row }) => Math.floor(row.stopUs / 1000)],
  ['location', LOCATION, ({ row }) => row.physicalConfig.location],
  ['beatsFrom', codeOf(new Set<string>(BEAT_TYPES)), ({ origin }) => origin],
  ['corrections', MEASURE, ({ corrections }) => corrections],
  ['algorithmVersion', codeOf(/^[\w.-]{1,20}$/), () => ANALYTICS_VERSION],
  ['inputSha256', TEXT, ({ row }) => row.sha256],
  ['inputsSha256', TEXT, ({ inputsSha256 }) => inputsSha256],
];

/** @throws NOT_FOUND (study), CANCELLED, DISK_FULL and other errors of writing */
export const writeBeatsStudy: StudyExportWriter = async (context, options, out) => {
  const study = await exportedStudy(context, options);
  return await new BeatsStudy(context, options, study, new StudyZip(context, out)).write();
};

class BeatsStudy {
  readonly #context: StudyExportContext;
  readonly #options: StudyExportOptions;
  readonly #view: ExportView;
  readonly #zip: StudyZip;

  constructor(context: StudyExportContext, options: StudyExportOptions, study: StudyDetailRecord, zip: StudyZip) {
    this.#context = context;
    this.#options = options;
    this.#view = new ExportView(study, options, context);
    this.#zip = zip;
  }

  async write(): Promise<StudyExportFacts> {
    return await this.#zip.complete(async () => {
      const subjects = await framedSubjects(this.#context, this.#options, this.#view);
      const parts = await StudyParts.start('BEATS', () => this.#requests(subjects), this.#context);
      try {
        return { subjects: subjects.length, recordings: await this.#members(subjects, parts) };
      } finally {
        await parts.close();
      }
    });
  }

  /** Recordings with beats, with the kind of the channel that they are taken from. */
  async #recordingsOf(of: FramedSubject): Promise<{ row: RecordingRecord; origin: string }[]> {
    const rows = await completeRecordings(this.#context, this.#options, of);
    return rows.flatMap((row) => {
      const origin = beatOriginOf(row);
      return origin === undefined ? [] : [{ row, origin }];
    });
  }

  async *#requests(subjects: readonly FramedSubject[]): AsyncGenerator<PartRequest> {
    for (const of of subjects) {
      const view = this.#view.signalView(of.frame);
      for (const { row } of await this.#recordingsOf(of)) {
        yield { row, view, beats: await requestedBeats(this.#context, this.#view, row) };
      }
    }
  }

  /** Writes everything; returns the number of recordings with beats. */
  async #members(subjects: readonly FramedSubject[], parts: StudyParts): Promise<number> {
    const view = this.#view;
    await this.#zip.add('README.txt', [
      view.isDeidentified ? `${README}${deidentificationText(this.#options.words)}` : README,
    ]);
    await this.#zip.add('load.py', [BEATS_PYTHON]);
    await this.#zip.add('load.R', [BEATS_R]);
    const columns = view.columns(COLUMNS.map(([name, shows, value]) => ({ name, shows, value })));
    const shown = columns.filter(({ shows }) => !view.isDeidentified || shows !== TEXT);
    const rows = [csvRow([...shown.map(({ name }) => name), 'stem'])];
    for (const of of subjects) {
      for (const { row, origin } of await this.#recordingsOf(of)) {
        const stem = `${of.id}/${view.id('recording', row.id)}`;
        if (!(await addPart(this.#zip, parts, row, view, (member) => pathOf(member, stem)))) continue;
        const { corrections, method } = await requestedBeats(this.#context, view, row);
        const facts = { row, origin, corrections: corrections.length, stem, inputsSha256: method.inputs?.sha256 };
        const cells = view.cells(shown, facts, of.frame);
        rows.push(csvRow([...cells.map((cell) => cell as string | number | undefined), stem]));
      }
    }
    await this.#zip.add('recordings.csv', rows);
    await this.#zip.add('manifest.json', [this.#manifest()]);
    return rows.length - 1;
  }

  #manifest(): string {
    const { asOfTs, dataTs, auditReceipt } = this.#options;
    const { isDeidentified } = this.#view;
    const { id, displayName, definitionVersion } = this.#view.study;
    const manifest = {
      format: 'outpost-study-beats',
      formatVersion: 1,
      isDeidentified,
      study: isDeidentified ? { id: this.#view.id('study', id) } : { id, displayName, definitionVersion },
      ...(!isDeidentified && { requestedTs: asOfTs, dataTs, auditReceipt }),
      algorithmVersion: ANALYTICS_VERSION,
      ...decisionsInManifest(this.#context, (subjectId) => this.#view.id('subject', subjectId)),
      problems: this.#zip.problems,
      files: this.#zip.members,
    };
    return `${JSON.stringify(manifest, null, 2)}\n`;
  }
}

/** @param stem `<subject>/<recording>` */
function wfdbStem(stem: string): string {
  const [subject, recording] = stem.split('/') as [string, string];
  return `${subject}/${wfdbName(recording)}`;
}

const PATHS: Readonly<Record<BeatMember, (stem: string) => string>> = {
  'beats.csv': (stem) => `beats/${stem}.csv`,
  'beats.json': (stem) => `beats/${stem}.json`,
  'rr.txt': (stem) => `rr/${stem}.txt`,
  'detected.txt': (stem) => `rr/${stem}_detected.txt`,
  hea: (stem) => `wfdb/${wfdbStem(stem)}.hea`,
  qrs: (stem) => `wfdb/${wfdbStem(stem)}.qrs`,
  auto: (stem) => `wfdb/${wfdbStem(stem)}.auto`,
};

const pathOf = (member: string, stem: string): string => PATHS[member as BeatMember](stem);
