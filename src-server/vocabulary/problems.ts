/** What a subject reports a problem with, on their phone. */
export const PROBLEM_KINDS = ['SENSOR_OFF', 'SENSOR_BROKEN', 'SKIN', 'TASK_UNCLEAR', 'APP', 'OTHER'] as const;
export type ProblemKind = (typeof PROBLEM_KINDS)[number];

/** What a task that the phone itself guides is. */
export const TASK_GUIDES = ['POSTURE_CALIBRATION'] as const;
export type TaskGuide = (typeof TASK_GUIDES)[number];
