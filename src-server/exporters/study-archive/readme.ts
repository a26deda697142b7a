/** The README of a study archive: what the files are, and what the kind of archive at hand means. */

const FILES = `This archive holds the metadata and analytics of one study. It is research data, computed
after the fact: not for diagnosis and not for monitoring.

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
metrics.csv            daily metrics, one row per subject and local day; algorithmVersion tells what computed it
metric-dictionary.csv  what each metric means, its unit and the least data behind it
metrics.md             the data dictionary: every metric and channel, methods, measured accuracy
channels/<subject id>/<date>.csv
                       one row per minute of the subject's local day

Fields whose name ends in Ts are milliseconds since 1970-01-01T00:00:00Z. Dates are local to
the subject. utcOffset is the offset of the subject's zone from UTC at the start of the row:
the start plus it is the local time. Text is UTF-8; cells with commas, quotes or line breaks
are in double quotes. An empty cell means that nothing is known. A text that a spreadsheet
would run as a formula has an apostrophe in front of it.
`;

const DEIDENTIFIED = `
This archive is de-identified.

- Every id, name and serial number is a code. The same subject, sensor or person has the same
  code in every de-identified export of this site, and no code tells what it stands for.
- Every time and date of a subject is moved by one number of whole weeks, 20 to 30 years into
  the past, another number for each subject. Times of day, days of the week and all
  intervals of a subject are true; the calendar date, the season and what happened to two
  subjects at the same time are not.
- Time zones are given as offsets from UTC only: the name of a zone can be a town, and its
  rules for daylight saving would be wrong at the moved date. Days on which clocks changed
  keep their 23 or 25 hours. Who knows the zone of a subject can guess from such a day at
  which time of a year it was.
- Free text is left out: fields, answers and values of labels that somebody wrote, and
  instructions of tasks. Names of labels are codes unless they are names of tasks, beats or
  sleep stages. Names of tasks and questions, and their choices, are kept as the study
  defined them: look them over before you pass this on.
- Ages above 89 are given as 90. Hardware versions, hashes of recordings, dates of the study
  and definition.json are left out. Subjects are in the order of their codes.

Signals of the heart and of movement are in some measure personal by themselves. Removing
names does not make them anonymous in the sense of the law.
`;

const INCREMENTAL = `
This archive holds only what was added or changed since an earlier one. For files with
"rows": "CHANGED" in manifest.json, put each row in the place of the row with the same key
(the columns named there), or add it. Every other file takes the place of the file of the same
name. Then take away what removed.csv names: a row by its file and key, or, without a key, the
whole file. The result is what a full archive of this moment holds.
`;

/** The text for this kind of archive; a de-identified one has no definition.json. */
export function readmeOf(kind: { isDeidentified: boolean; isIncremental: boolean }): string {
  const files = kind.isDeidentified ? FILES.replace(/^definition\.json.*\n/m, '') : FILES;
  return `${files}${kind.isDeidentified ? DEIDENTIFIED : ''}${kind.isIncremental ? INCREMENTAL : ''}`;
}
