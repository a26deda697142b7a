/**
 * Allowlists of codes from published or fixed vocabularies, which de-identified exports may disclose. Foreign files and devices
 * can hold any text in the same fields, so anything not listed here counts as free text.
 */

import { LIFECYCLE_STATES } from '../../study/lifecycle.ts';
import { FOREIGN_CHANNEL_TYPES } from '../../vocabulary/channels.ts';
import { MARK_REASONS as MARKS } from '../../vocabulary/coverage.ts';
import { DEVICE_MAKERS } from '../../vocabulary/devices.ts';
import { LOCATIONS as WORN } from '../../vocabulary/placements.ts';
import { QUESTION_TYPES as KNOWN_QUESTION_TYPES } from '../../vocabulary/study.ts';

/** Body locations: those of the API, of the desk's list, and muscles that sensors are placed on. */
export const LOCATIONS: ReadonlySet<string> = new Set(WORN);

export const SIDES: ReadonlySet<string> = new Set(['LEFT', 'RIGHT', 'DOMINANT', 'NON_DOMINANT', 'ANY', 'NONE']);
export const SENSED_SIGNALS: ReadonlySet<string> = new Set(['ECG', 'EMG', 'EEG', 'EOG']);
export const SENSING_TYPES: ReadonlySet<string> = new Set(['MPU_ANALOG', 'MPU', 'ANALOG', 'RR', 'PPI']);
export const GYRO_MODES: ReadonlySet<string> = new Set(['ACCEL', 'GYRO', 'ACCEL_GYRO', 'OFF']);
export const GENDERS: ReadonlySet<string> = new Set(['MALE', 'FEMALE']);
export const HANDS: ReadonlySet<string> = new Set(['LEFT', 'RIGHT']);
export const TASK_MODES: ReadonlySet<string> = new Set(['UNSUPERVISED', 'SUPERVISED']);
export const TASK_TYPES: ReadonlySet<string> = new Set(['activity', 'diary']);
export const ANNOTATION_TYPES: ReadonlySet<string> = new Set(['activity', 'diary', 'question', 'recording', 'subject']);
export const CLOCK_STATES: ReadonlySet<string> = new Set(['MEASURED', 'CHANGED', 'UNKNOWN', 'DISPUTED']);
export const LIFECYCLES: ReadonlySet<string> = new Set(LIFECYCLE_STATES);
export const EQUIPMENT_TYPES: ReadonlySet<string> = new Set(['SENSOR', 'LINK_HUB', 'LINK_PHONE']);
export const EQUIPMENT_STATES: ReadonlySet<string> = new Set(['ASSIGNED', 'UNASSIGNED']);
export const RECORDING_STATES: ReadonlySet<string> = new Set(['COMPLETE', 'REJECTED']);
export const QUESTION_TYPES: ReadonlySet<string> = new Set([...KNOWN_QUESTION_TYPES, 'NUMBER']);
export const FAULT_TYPES: ReadonlySet<string> = new Set(['LINK_HUB_SENSOR_FAULT', 'LINK_HUB_FAULT', 'SENSOR_FAULT']);
export const FAULT_FLAGS: ReadonlySet<string> = new Set([
  'BATTERY_DEPLETED',
  'BATTERY_LOW',
  'MEMORY_FULL',
  'CLOCK_NOT_SET',
  'LOST_CONTACT',
  'FIRMWARE_RESET',
  'HUB_ERROR',
]);
/** Makers that importers name. */
export const MAKERS: ReadonlySet<string> = new Set(DEVICE_MAKERS);
/** Reasons of marks inside a signal. */
export const MARK_REASONS: ReadonlySet<string> = new Set(MARKS);

const ELECTRODE = '(?:(?:FP|AF|FT|FC|TP|CP|PO|F|C|T|P|O|A|M)(?:Z|10|[1-9])?|NZ|IZ)';
/** Types of channels: those of the API, standard labels of EDF (Kemp, https://www.edfplus.info/specs/edftexts.html). */
export const CHANNEL_TYPES = new RegExp(
  `^(?:ECG|EMG|ACCEL|GYRO|${FOREIGN_CHANNEL_TYPES.join('|')}|EOG|ERG|MEG|MCG|EP|TEMP|RESP|SAO2|SPO2|PLETH|ABP|CVP|PAP|BP|PR|RR|PPI|SOUND|EVENT|SIGNAL|EEG(?:_${ELECTRODE}(?:-${ELECTRODE})?)?)(?:_\\d{1,2})?$`,
);
/** Axes, and names of leads in lower case. */
export const DIMENSIONS =
  /^(?:v|x|y|z|rr|ppi|error|lead_v|ml?(?:i{1,3}|v[1-6]?)|i|ii|iii|av[rlf]|v[1-9]r?|cm\d|cc5|d[1-4]|mcl1|mv\d)$/;
export const UNITS: ReadonlySet<string> = new Set([
  'V',
  'mV',
  'uV',
  'µV',
  'μV',
  'nV',
  'g',
  'mg',
  'dps',
  'deg/s',
  'm/s2',
  'm/s^2',
  '%',
  'bpm',
  'mmHg',
  'cmH2O',
  'degC',
  'C',
  'Ohm',
  'kOhm',
  'ms',
  's',
  'Hz',
  'lux',
  'uS',
  'uT',
  '/min',
  'hPa',
  'dB',
  'NU',
  'adu',
]);

/** Meanings of MIT annotation codes (annot(5), ecgcodes.h) that importers give as names. */
const MIT_MEANINGS = [
  'Normal beat',
  'Left bundle branch block beat',
  'Right bundle branch block beat',
  'Aberrated atrial premature beat',
  'Premature ventricular contraction',
  'Fusion of ventricular and normal beat',
  'Nodal premature beat',
  'Atrial premature contraction',
  'Supraventricular premature beat',
  'Ventricular escape beat',
  'Nodal escape beat',
  'Paced beat',
  'Unclassifiable beat',
  'Signal quality change',
  'Isolated QRS-like artifact',
  'ST change',
  'T-wave change',
  'Systole',
  'Diastole',
  'Comment',
  'Measurement',
  'P-wave peak',
  'Bundle branch block beat',
  'Non-conducted pacemaker spike',
  'T-wave peak',
  'Rhythm change',
  'U-wave peak',
  'Learning',
  'Ventricular flutter wave',
  'Start of ventricular flutter or fibrillation',
  'End of ventricular flutter or fibrillation',
  'Atrial escape beat',
  'Supraventricular escape beat',
  'Link to external data',
  'Non-conducted P-wave',
  'Fusion of paced and normal beat',
  'Waveform onset',
  'Waveform end',
  'R-on-T premature ventricular contraction',
];
const MIT_SYMBOLS = 'NLRaVFJASEj/Q~|sT*D"=pB^t+u?![]en@xf()r';
const STAGES = ['W', '1', '2', '3', '4', 'R', 'N', 'N1', 'N2', 'N3', 'M', '?'];

/** Names of annotations that describe a signal: beats, rhythms, sleep stages, ends of recordings. */
export const SIGNAL_LABELS: ReadonlySet<string> = new Set([
  ...MIT_MEANINGS,
  ...MIT_SYMBOLS,
  ...STAGES.map((stage) => `Sleep stage ${stage}`),
  'Movement time',
  'Lights off',
  'Lights on',
  'Recording starts',
  'Recording ends',
  'Beat',
  'Gap',
]);

/** Values of such annotations: symbols of beats, and rhythms such as `(AFIB`. */
export const SIGNAL_VALUES: ReadonlySet<string> = new Set([
  ...MIT_SYMBOLS,
  ...'AB AFIB AFL B BII IVR N NOD P PREX SBR SVTA T VFL VT'.split(' ').map((rhythm) => `(${rhythm}`),
]);
