/** The participants table and the README of a BIDS dataset. */

import type { DisclosedWords } from '../../study/export-formats.ts';
import { deidentificationText } from '../study-export/readme.ts';
import type { ExportedSubject } from '../study-export/subjects.ts';
import { tsvRow } from './names.ts';

export interface BidsParticipant {
  subject: ExportedSubject;
  /** Group and stratum as the export shows them. */
  group?: string | undefined;
  stratum?: string | undefined;
  label: string;
  /** Display name, or code. */
  name: string;
}

/** Ages are capped here for privacy: the BIDS schema accepts numbers up to 89, not the `89+` of earlier versions. */
const OLDEST_AGE = 89;

const COLUMNS = {
  age: { Description: 'Age at enrolment; 89 means 89 or older', Units: 'year' },
  sex: { Description: 'Sex as reported at enrolment', Levels: { M: 'male', F: 'female' } },
  handedness: { Description: 'Dominant hand', Levels: { L: 'left', R: 'right' } },
  height: { Description: 'Body height', Units: 'm' },
  weight: { Description: 'Body weight', Units: 'kg' },
  group: { Description: 'Group (arm) of the study' },
  stratum: { Description: 'Stratum of the study' },
  name: { Description: 'Name of the participant in the study' },
};

/** Descriptions of the columns: group and stratum where the study has any; a de-identified dataset has no names. */
export function participantColumns(
  participants: readonly BidsParticipant[],
  isDeidentified: boolean,
): Record<string, object> {
  const { name, group, stratum, ...others } = COLUMNS;
  return {
    ...others,
    ...(participants.some((one) => one.group !== undefined) && { group }),
    ...(participants.some((one) => one.stratum !== undefined) && { stratum }),
    ...(!isDeidentified && { name }),
  };
}

const SEXES = { MALE: 'M', FEMALE: 'F' };
const HANDS = { LEFT: 'L', RIGHT: 'R' };

export function participantsTsv(participants: readonly BidsParticipant[], isDeidentified: boolean): string {
  const columns = Object.keys(participantColumns(participants, isDeidentified));
  const rows = participants.map(({ subject, label, name, group, stratum }) => {
    const { age, gender, dominantHand, height, weight } = subject;
    const cells = [
      age === undefined ? undefined : Math.min(age, OLDEST_AGE),
      gender && SEXES[gender],
      dominantHand && HANDS[dominantHand],
      height,
      weight,
      ...(columns.includes('group') ? [group] : []),
      ...(columns.includes('stratum') ? [stratum] : []),
    ];
    return tsvRow([`sub-${label}`, ...cells, ...(isDeidentified ? [] : [name])]);
  });
  return [tsvRow(['participant_id', ...columns]), ...rows].join('');
}

export function readmeOf(name: string, words: DisclosedWords | null): string {
  const shifted = words
    ? `${deidentificationText(words)}
The shift is that of other de-identified exports of the study plus 5,218 weeks, because BIDS requires shifted dates to lie
in 1925 or before.
`
    : '';
  return `${name}

Recordings of wearable sensors in daily life, written by Outpost in the Brain Imaging Data Structure.

There is one session per participant and local date on which a recording began. Participants without a recording are not
listed. Acceleration and rotation are in motion/
(Motion-BIDS), electrocardiograms and other potentials in beh/ as physio recordings. Every sensor has a clock of its own:
the first column of each file (latency, or timestamp) is the time of the sample in seconds since the first sample, whose
instant is acq_time in the session's scans file: local time, with its offset from UTC beside it. A run is a time in which at
least one sensor recorded without a pause; files of sensors that recorded at the same time share its number. A break of
more than a second in one sensor begins a new file: a new run, or, while others went on recording, a further part of the
run (acq-part2). Nothing was filled in. Labels, activities and surveys are in the events files, whose onsets count from
the first sample of the run in the same folder.
What Outpost computed from the recordings is the dataset in derivatives/outpost: heartbeats, metrics of days, channels per minute,
variability of the heart rate per five minutes, and corrections by people. code/ has scripts that load both, for pandas and for R.
Data that could not be read is listed in outpost.json, with the size and SHA-256 of every file.
${shifted}`;
}
