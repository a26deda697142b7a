/** The README of a study archive: its files, and the kind of archive. */
import type { DisclosedWords } from '../../study/export-formats.ts';
import { deidentificationText } from '../study-export/readme.ts';

const FILES = `This archive holds the metadata and analytics of one study. It is research data, computed
after the fact: not for diagnosis and not for monitoring.

manifest.json          what this archive is, and size and SHA-256 of every other file
study.csv              the study
definition.json        its definition, which can be brought into another study
tasks.csv              activities and diaries, with the days of the program on which they are due
questions.csv          their questions, with units, whether several choices are allowed, whether the subject is asked
                       once more before skipping, and after which answers of another question each is asked
device-configs.csv     device configurations
subjects.csv           subjects, with the fields that the study added; test subjects are left out
signatures.csv         electronic signatures: who, when (UTC), in which meaning, on which record; state says
                       whether the record still was what was signed when this archive was made
equipment.csv          equipment that each subject has or had
faults.csv             faults that devices reported
recordings.csv         recordings; their samples are downloaded one by one
annotations.csv        completed tasks, answers and labels
metrics.csv            daily metrics, one row per subject and local day; algorithmVersion is the version that computed it
analysis-methods.csv   with what each day was computed: version, hash of the inputs, the parameters that the study
                       chose, the cut points and rule of non-wear that applied, and why a sensor was not calibrated
hrv-5min.csv           variability of the heart rate per five minutes in which normal intervals (NN) end; nnCount says how
                       many. Values are empty where these cover less than 80 % of the five minutes
data-quality.csv       counts and sums per subject and week, which DATE, a Monday, begins: days on which data is expected,
                       days with data, valid days, wear, ECG and its readable part, tasks due and done, and the targets
                       of the study. Only days that were over
corrections.csv        what people corrected of beats, sleep and wear, who and why; only where they did. isInForce is false
                       for what was undone, and the columns that begin with undone say by whom
metrics-uncorrected.csv
                       the days that corrections touch as computed without them, with the columns of
                       metrics.csv, which holds the corrected values
notes.csv              notes and calls of staff about subjects and the study, withdrawn ones too; only where there are
                       any. isReached says whether a call made contact
queries.csv, query-steps.csv
                       data queries about recordings, days, answers and labels, and each step from opening to
                       resolution; only where there are any
participation.csv      status, consent, group and visits of subjects, step by step; only in a study that uses them. Documents of
                       consents are in no export
visits.csv             visits of the plan of the study as they stand: window, state and date
scores.csv             scores of questionnaires of the library, with the licence of each; only where there are any. A
                       score is empty where more answers are missing than the instrument allows
ggir/part2_daysummary.csv, ggir/part4_nightsummary_sleep_cleaned.csv
                       days and nights of wrist and waist sensors in the columns of GGIR's reports, for scripts that
                       read these; only where there are any. MVPA is by the cut points of the study and named by their
                       threshold in mg, as MVPA_E5S_T93.2_ENMO_0-24hr: one column for each; cut points of counts have
                       none. Nights are named by their evening
metric-dictionary.csv  what each metric means, its unit and the least data behind it
metrics.md             the data dictionary: every metric and channel, methods, measured accuracy
columns.csv            the type of every column
load.py, load.R        load all tables with types, for pandas and for R; each begins with how to use it
channels/<subject id>/<date>.csv
                       one row per minute of the subject's local day

Fields whose name ends in Ts are milliseconds since 1970-01-01T00:00:00Z. Dates are local to
the subject. utcOffset is the offset of the subject's zone from UTC at the start of the row:
the start plus it is the local time. Text is UTF-8; cells with commas, quotes or line breaks
are in double quotes. An empty cell means that nothing is known. A text that a spreadsheet
would run as a formula has an apostrophe in front of it.
`;

const INCREMENTAL = `
This archive holds only what was added or changed since an earlier one. For files with
"rows": "CHANGED" in manifest.json, put each row in the place of the row with the same key
(the columns named there), or add it. Every other file takes the place of the file of the same
name. Then take away what removed.csv names: a row by its file and key, or, without a key, the
whole file. The result is what a full archive of this moment holds.
`;

interface ArchiveKind {
  isDeidentified: boolean;
  isIncremental: boolean;
  words: DisclosedWords;
}

/** The text for this kind of archive; a de-identified one has no definition.json. */
export function readmeOf({ isDeidentified, isIncremental, words }: ArchiveKind): string {
  const files = isDeidentified ? FILES.replace(/^definition\.json.*\n/m, '') : FILES;
  return `${files}${isDeidentified ? deidentificationText(words) : ''}${isIncremental ? INCREMENTAL : ''}`;
}
