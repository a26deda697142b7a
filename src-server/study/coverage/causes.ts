/** Why there is no data: for each cause its topic, its sentence and the action it calls for. */

import type { ACTION_KINDS, CAUSE_TOPICS, TARGET_TYPES } from '../../vocabulary/coverage.ts';
import { CAUSE_CODES } from '../../vocabulary/coverage.ts';
import type { FreeablePart } from '../../vocabulary/disk.ts';

/** A gap in the signal (`wear`) and no contact (`transport`) are different facts and are never mixed. */
type CauseTopic = (typeof CAUSE_TOPICS)[number];
export type CauseCode = (typeof CAUSE_CODES)[number];

export interface Action {
  kind: (typeof ACTION_KINDS)[number];
  target: { type: (typeof TARGET_TYPES)[number]; id: string };
}

/** Facts that a cause rests on. Times in epoch ms. */
export interface Evidence {
  /** Serial number and name of the sensor. */
  sensorId?: string;
  sensorName?: string;
  /** Serial number and name of the hub or phone. */
  deviceId?: string;
  deviceName?: string;
  recordingId?: string;
  uploadId?: string;
  jobId?: string;
  /** When it happened or began. */
  atTs?: number;
  untilTs?: number;
  sizeBytes?: number;
  receivedBytes?: number;
  seconds?: number;
  count?: number;
  /** Of a full disk, the largest first. */
  largest?: { part: FreeablePart; sizeBytes: number }[];
  percent?: number;
  /** Code and sentence of the site's check. */
  code?: string;
  detail?: string;
  /** Local date and time of day of a visit. */
  date?: string;
  time?: string;
  /** Whom something is assigned to. */
  personName?: string;
}

interface CauseText {
  topic: CauseTopic;
  sentence: (evidence: Evidence) => string;
}

const sensor = ({ sensorName, sensorId }: Evidence) => sensorName ?? sensorId ?? 'The sensor';
const device = ({ deviceName, deviceId }: Evidence) => deviceName ?? deviceId ?? 'the hub';
const since = ({ atTs }: Evidence) => (atTs === undefined ? 'yet' : `since ${new Date(atTs).toISOString()}`);
const during = ({ atTs, untilTs }: Evidence) =>
  (atTs === undefined ? '' : ` from ${new Date(atTs).toISOString()}`) +
  (untilTs === undefined ? '' : ` until ${new Date(untilTs).toISOString()}`);
const ending = ({ detail }: Evidence) => (detail === undefined ? '' : `: ${detail}`);

/**
 * In order of display: data that exists, first where someone must act, then where someone has decided, then where it continues
 * automatically; no sensor; what was reported; what silence implies; what was recorded but is unusable; and last the times for which
 * no data was intended.
 */
export const CAUSES: Readonly<Record<CauseCode, CauseText>> = {
  DAY_TO_COME: { topic: 'study', sentence: () => 'This time is in the future.' },
  UPLOAD_QUARANTINED: {
    topic: 'upload',
    sentence: (e) => `A recording from ${sensor(e)} has arrived and is waiting for a decision${ending(e)}`,
  },
  CLOCK_WRONG: {
    topic: 'upload',
    sentence: (e) => `A recording from ${sensor(e)} arrived with impossible times, so its day is unknown.`,
  },
  UPLOAD_REFUSED: {
    topic: 'upload',
    sentence: (e) => `A recording from ${sensor(e)} was refused${ending(e)}`,
  },
  RECORDING_DAMAGED: {
    topic: 'storage',
    sentence: (e) => `The file of a recording from ${sensor(e)} is missing or damaged on this computer.`,
  },
  ANALYSIS_FAILED: { topic: 'analysis', sentence: (e) => `The analysis failed${ending(e)}` },
  UPLOAD_STALLED: {
    topic: 'upload',
    sentence: (e) => `The upload from ${device(e)} stalled; no data has arrived ${since(e)}.`,
  },
  HUB_HOLDS: {
    topic: 'transport',
    sentence: (e) => `${device(e)} holds a recording from ${sensor(e)} that it has not sent yet.`,
  },
  SENSOR_HOLDS: {
    topic: 'transport',
    sentence: (e) => `${sensor(e)} still holds a recording of this time that the hub has not read yet.`,
  },
  UPLOAD_REJECTED: {
    topic: 'upload',
    sentence: (e) => `Staff rejected a received recording from ${sensor(e)}${ending(e)}`,
  },
  RECORDING_REJECTED: {
    topic: 'storage',
    sentence: (e) => `A recording from ${sensor(e)} was rejected${ending(e)}`,
  },
  UPLOAD_IN_PROGRESS: {
    topic: 'upload',
    sentence: (e) => `${device(e)} is sending a recording from ${sensor(e)}.`,
  },
  BEING_CHECKED: {
    topic: 'upload',
    sentence: (e) => `A recording from ${sensor(e)} has arrived and is being checked.`,
  },
  ANALYSIS_WAITING: {
    topic: 'analysis',
    sentence: () => 'The recordings have arrived, but their analysis has not finished yet.',
  },
  NOTHING_ASSIGNED: { topic: 'equipment', sentence: () => 'No sensor was assigned to the subject at this time.' },
  ON_CHARGER: {
    topic: 'wear',
    sentence: (e) => `${sensor(e)} was on its charger${during(e)}.`,
  },
  FLAT_BATTERY: {
    topic: 'wear',
    sentence: (e) => `The battery of ${sensor(e)} ran flat. This is not a malfunction.`,
  },
  FULL_MEMORY: { topic: 'wear', sentence: (e) => `The memory of ${sensor(e)} was full, so it stopped recording.` },
  CLOCK_NOT_SET: {
    topic: 'wear',
    sentence: (e) => `${sensor(e)} did not record because its clock was not set.`,
  },
  FIRMWARE_RESET: { topic: 'wear', sentence: (e) => `${sensor(e)} restarted unexpectedly. This is a malfunction.` },
  HUB_ERROR: { topic: 'transport', sentence: (e) => `${device(e)} reported an error. This is a malfunction.` },
  LOST_CONTACT: {
    topic: 'transport',
    sentence: (e) => `The hub lost contact with ${sensor(e)}. The sensor may still hold its recordings.`,
  },
  LINK_LOST: {
    topic: 'transport',
    sentence: (e) => `The phone lost its Bluetooth link to ${sensor(e)}${during(e)}, so nothing was recorded.`,
  },
  LOST_BLOCK: {
    topic: 'transport',
    sentence: (e) => `Data from ${sensor(e)} was lost${during(e)}, although the sensor kept recording.`,
  },
  NO_CONTACT: { topic: 'wear', sentence: (e) => `${sensor(e)} had no contact with the skin${during(e)}.` },
  SENSOR_RESTART: { topic: 'wear', sentence: (e) => `${sensor(e)} restarted, so nothing was recorded${during(e)}.` },
  IDLE_SLEEP: {
    topic: 'wear',
    sentence: (e) => `${sensor(e)} did not move${during(e)}, so it slept and recorded nothing.`,
  },
  DOCKED: { topic: 'wear', sentence: (e) => `${sensor(e)} was connected to a computer${during(e)}.` },
  BAD_CHECKSUM: {
    topic: 'storage',
    sentence: (e) => `A part of the file of ${sensor(e)} is damaged${during(e)} and was left out.`,
  },
  NO_DEVICE: {
    topic: 'transport',
    sentence: () => 'No paired hub or phone can deliver the data of this subject.',
  },
  DEVICE_REVOKED: {
    topic: 'transport',
    sentence: (e) => `${device(e)} was revoked and cannot send data.`,
  },
  DEVICE_NOT_SEEN: {
    topic: 'transport',
    sentence: (e) => `${device(e)} has not made contact ${since(e)}. It may hold recordings of this time.`,
  },
  SENSOR_NOT_SEEN: {
    topic: 'transport',
    sentence: (e) => `${sensor(e)} has not been on its hub ${since(e)}. It may hold recordings of this time.`,
  },
  NEVER_RECORDED: { topic: 'wear', sentence: (e) => `${sensor(e)} has not recorded anything for this subject yet.` },
  NOT_RECORDING: {
    topic: 'wear',
    sentence: (e) =>
      `${sensor(e)} did not record: its hub has been in contact with it since and reports no recording. It was not started, or was on its charger.`,
  },
  RECORDING_STOPPED: {
    topic: 'wear',
    sentence: (e) => `${sensor(e)} stopped recording and started again. No reason was reported.`,
  },
  SAMPLES_MISSING: {
    topic: 'wear',
    sentence: (e) =>
      `The recording of ${sensor(e)} continues, but has no samples in this time. No reason was reported.`,
  },
  ECG_MISSING: {
    topic: 'wear',
    sentence: (e) => `The recording of ${sensor(e)} continues, but has no ECG${during(e)}.`,
  },
  REASON_UNKNOWN: { topic: 'wear', sentence: (e) => `The reason why ${sensor(e)} has no data here is unknown.` },
  NOT_WORN: {
    topic: 'wear',
    sentence: ({ seconds = 0 }) =>
      `Sensors recorded, but were not worn for ${Math.round(seconds / 360) / 10} hours of this time.`,
  },
  SIGNAL_UNREADABLE: {
    topic: 'wear',
    sentence: ({ seconds = 0 }) =>
      `The ECG was recorded, but was too noisy for a heart rate for ${Math.round(seconds / 360) / 10} hours: the electrodes had poor contact.`,
  },
  RHYTHM_UNRESOLVED: {
    topic: 'analysis',
    sentence: ({ seconds = 0 }) =>
      `For ${seconds} s the ECG shows no separate beats, as in ventricular flutter or fibrillation or under strong interference, so there is no heart rate. Check the ECG.`,
  },
  STUDY_NOT_STARTED: { topic: 'study', sentence: () => 'The study has not been started.' },
  BEFORE_STUDY_START: { topic: 'study', sentence: () => 'The study had not been started yet.' },
  BEFORE_ENROLMENT: { topic: 'study', sentence: () => 'The subject had not been enrolled yet.' },
  STUDY_STOPPED: { topic: 'study', sentence: () => 'The study had already been stopped.' },
  PROGRAM_OVER: { topic: 'study', sentence: () => 'The program of the subject had ended.' },
  SUBJECT_HIDDEN: { topic: 'study', sentence: () => 'The subject is hidden and no longer participates.' },
};

export interface Cause {
  code: CauseCode;
  topic: CauseTopic;
  sentence: string;
  evidence: Evidence;
  action: Action;
}

const RANK = new Map(CAUSE_CODES.map((code, index) => [code, index]));

export function makeCause(code: CauseCode, evidence: Evidence, action: Action): Cause {
  const { topic, sentence } = CAUSES[code];
  return { code, topic, sentence: sentence(evidence).replace(/([^.!?])$/, '$1.'), evidence, action };
}

/** Removes duplicates (same cause of the same recording, device or job) and sorts in the order of {@link CAUSES}. */
export function inOrder(causes: readonly Cause[]): Cause[] {
  const keys = new Set<string>();
  return causes
    .filter(({ code, evidence, action }) => {
      const { recordingId, uploadId, sensorId, deviceId, jobId } = evidence;
      const key = [code, recordingId ?? uploadId, sensorId, deviceId, jobId, action.target.id].join(' ');
      return !keys.has(key) && keys.add(key);
    })
    .sort(
      (a, b) => (RANK.get(a.code) ?? 0) - (RANK.get(b.code) ?? 0) || (a.evidence.atTs ?? 0) - (b.evidence.atTs ?? 0),
    );
}
