/** The participants of a BIDS dataset, and the words that come with them. */
import type { SubjectRecord } from '../../db/index.ts';
import { tsvRow } from './names.ts';

export interface BidsParticipant {
  subject: SubjectRecord;
  label: string;
  /** Display name, or code. */
  name: string;
}

/** BIDS tags ages of 89 and more so, for privacy. */
const OLDEST_AGE = 89;

const COLUMNS = {
  age: { Description: 'Age at enrolment; 89+ stands for every higher one', Units: 'year' },
  sex: { Description: 'Sex as told at enrolment', Levels: { M: 'male', F: 'female' } },
  handedness: { Description: 'Dominant hand', Levels: { L: 'left', R: 'right' } },
  height: { Description: 'Body height', Units: 'm' },
  weight: { Description: 'Body weight', Units: 'kg' },
  name: { Description: 'What the study calls the participant' },
};

/** Descriptions of the columns; a de-identified dataset has no names. */
export function participantColumns(isDeidentified: boolean): Record<string, object> {
  const { name, ...others } = COLUMNS;
  return isDeidentified ? others : { ...others, name };
}

const SEXES = { MALE: 'M', FEMALE: 'F' };
const HANDS = { LEFT: 'L', RIGHT: 'R' };

export function participantsTsv(participants: readonly BidsParticipant[], isDeidentified: boolean): string {
  const columns = Object.keys(participantColumns(isDeidentified));
  const rows = participants.map(({ subject, label, name }) => {
    const { age, gender, dominantHand, height, weight } = subject;
    const cells = [
      age !== undefined && age >= OLDEST_AGE ? `${OLDEST_AGE}+` : age,
      gender && SEXES[gender],
      dominantHand && HANDS[dominantHand],
      height,
      weight,
    ];
    return tsvRow([`sub-${label}`, ...cells, ...(isDeidentified ? [] : [name])]);
  });
  return [tsvRow(['participant_id', ...columns]), ...rows].join('');
}

export function readmeOf(name: string, isDeidentified: boolean): string {
  const shifted = isDeidentified
    ? `
Names, identifiers and dates are replaced. All times of a participant are shifted by the same number of whole weeks, so
that time of day, day of the week and every interval are kept. The shift is that of other de-identified exports of the
study and a further 5,218 weeks, as BIDS asks for shifted dates to lie in 1925 or before.
`
    : '';
  return `${name}

Recordings of wearable sensors in daily life, written by Outpost in the Brain Imaging Data Structure.

There is one session per participant and local date on which a recording began. Acceleration and rotation are in motion/
(Motion-BIDS), electrocardiograms and other potentials in beh/ as physio recordings. Every sensor has a clock of its own:
the first column of each file (latency, or timestamp) is the time of the sample in seconds since the first sample, whose
instant is acq_time in the session's scans file. Breaks of more than a second begin a new run; nothing was filled in.
What could not be read is told in outpost.json, which also holds size and SHA-256 of every file.
${shifted}`;
}
