/** The README section on de-identification. */
import type { DisclosedWords } from '../../study/export-formats.ts';

/** Returns the text for every format; `words` are the texts that the export includes beyond the default. */
export function deidentificationText(words: DisclosedWords): string {
  const asked = [
    ...(words.definition ? ['- names of tasks, texts of questions and their choices'] : []),
    ...words.fields.map((field) => `- the field of subjects "${field}", each value as it was entered`),
  ];
  const beyond =
    asked.length === 0
      ? ''
      : `
The person who made this export chose to let out, beyond that rule:
${asked.join('\n')}
Look these over before you pass the export on.
`;
  return `
This export is de-identified.

- What leaves is decided by a rule: every column, name and metadata value is declared as a
  time, an id, a code, a measure or free text. Free text does not leave, and what is not
  declared does not leave either.
- Every id, name and serial number is a code. The same subject, sensor or person has the same
  code in every de-identified export of this site, and no code reveals what it stands for.
- Every time and date of a subject is moved by one number of whole weeks, 20 to 30 years into
  the past, another number for each subject. Days of the week and all intervals of a subject
  are true; the calendar date, the season and what happened to two subjects at the same time
  are not.
- All times of a subject are on one clock: the offset from UTC that was in force when the
  subject was enrolled, at all times. That local time is written as UTC, and every offset is
  +00:00. Every day has 24 hours; after a change of the clocks, times of day differ by an
  hour from what the subject's clock showed, and on a journey by the difference of the zones.
  A day that had 23 or 25 hours has its sums of time given for 24 hours.
- Places of sensors, channel labels, units, types of faults and names of labels leave where
  they are words of a known vocabulary: beats, rhythms and stages of sleep, standard leads,
  known places of the body. Others become OTHER, CH1, NU, or a code such as L-7KQ2MW4XPD9R.
- Names of tasks, questions and choices, and all fields that the study added to subjects
  (numbers as well), are left out or replaced by codes unless somebody chose otherwise.
- Versions of hardware, firmware and apps, hashes, names of source files, notes, comments,
  instructions, messages, dates of the study and the time of the export are left out. Ages
  above 89 are given as 90 (89+ in BIDS). Body height and weight are true.
${beyond}
What can be found out all the same: who knows the true date of one event of a subject, such
as a hospital visit, finds it by its interval to others and with it every date. Habits that
follow the clocks move by an hour when these change, which shows the time of a year in long
recordings. Signals of the heart and of movement are themselves personal to some degree.
Removing names does not make them anonymous in the sense of the law.
`;
}
