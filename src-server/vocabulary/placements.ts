/** Where sensors are worn, by the codes of the interface. The desk offers some of them; imported recordings may have any. */
export const LOCATIONS = [
  'MEDIAL_CHEST',
  'CHEST',
  'STERNUM',
  'PECTORALIS',
  'ECG_LEAD_I',
  'ECG_LEAD_II',
  'ECG_LEAD_III',
  'SACRUM',
  'LOWER_BACK',
  'ANTERIOR_THIGH',
  'LATERAL_THIGH',
  'THIGH',
  'RECTUS_FEMORIS',
  'VASTUS_LATERALIS',
  'BICEPS_FEMORIS',
  'PROXIMAL_LATERAL_SHANK',
  'DISTAL_LATERAL_SHANK',
  'TIBIALIS_ANTERIOR',
  'GASTROCNEMIUS',
  'SHANK',
  'ANKLE',
  'DORSAL_FOOT',
  'FOOT',
  'BICEP',
  'BICEPS_BRACHII',
  'TRICEPS_BRACHII',
  'UPPER_ARM',
  'FLEXOR_DIGITORUM',
  'EXTENSOR_DIGITORUM',
  'POSTERIOR_FOREARM',
  'FOREARM',
  'WRIST',
  'DORSAL_HAND',
  'HAND',
  'FOREHEAD',
  'HEAD',
  'NECK',
  'HIP',
  'OTHER',
] as const;

export type SensorLocation = (typeof LOCATIONS)[number];

/**
 * Places of which rest and activity are computed over a whole recording: there a change of the wear of one hour changes every day of
 * the recording.
 */
const WHOLE_RECORDING_LOCATIONS: ReadonlySet<string> = new Set(['WRIST', 'HIP', 'WAIST', 'SACRUM', 'LOWER_BACK']);

export const isOfWholeRecording = (location: string): boolean =>
  WHOLE_RECORDING_LOCATIONS.has(location.trim().toUpperCase());
