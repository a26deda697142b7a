/** Labels of the daily metrics of the rhythm. */
export const rhythmMetrics = {
  HEART_ECTOPIC_VENTRICULAR: 'Ventricular ectopic beats',
  HEART_PAUSES: 'Pauses of 3 s or more',
  HEART_LONGEST_PAUSE: 'Longest pause',
  HEART_BRADYCARDIA_EPISODES: 'Episodes below 50 bpm',
  HEART_BRADYCARDIA_DURATION: 'Time in them, below 50 bpm',
  HEART_TACHYCARDIA_EPISODES: 'Episodes above 100 bpm',
  HEART_TACHYCARDIA_DURATION: 'Time in them, above 100 bpm',
  HEART_UNRESOLVED_DURATION: 'Rhythm not resolved',
  HEART_UNREADABLE_DURATION: 'ECG unreadable',
  HEART_SIGNAL_QUALITY: 'ECG signal quality',
} as const;
