/** The board of a study: which metrics of its subjects are shown, over how many days, and by what they are compared. */

export const BOARD_DAYS = [14, 28, 84] as const;
/** Charts of more metrics are too small to read. */
export const MOST_BOARD_METRICS = 4;

/**
 * By what days are compared. GROUP, STRATUM: those of the subjects by the plan of the study. FIELD: the values of a subject field. WEEKEND: days of the week. DATE: before a date and
 * from it on.
 */
export type BoardGrouping =
  | { kind: 'NONE' }
  | { kind: 'GROUP' }
  | { kind: 'STRATUM' }
  | { kind: 'FIELD'; field: string }
  | { kind: 'WEEKEND' }
  | { kind: 'DATE'; date: string };

export interface StudyBoard {
  metrics: string[];
  days: (typeof BOARD_DAYS)[number];
  grouping: BoardGrouping;
}

/** Of a study that saved none. */
export const DEFAULT_BOARD: StudyBoard = {
  metrics: ['SENSOR_WEAR_DURATION', 'MOVING_STEPS', 'RESTING_AVG_HR'],
  days: 28,
  grouping: { kind: 'NONE' },
};
