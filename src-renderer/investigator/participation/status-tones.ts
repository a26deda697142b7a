/** How each status is coloured, in lists and on the subject. */
export const STATUS_TONES = {
  SCREENING: 'info',
  NOT_ELIGIBLE: 'neutral',
  ENROLLED: 'good',
  COMPLETED: 'neutral',
  WITHDRAWN: 'warn',
} as const;
