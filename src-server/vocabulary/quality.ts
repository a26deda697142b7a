/**
 * What a study asks of its data: the targets that the data-quality report compares each subject with. They decide nothing about the
 * analysis, so they may change while a study runs.
 */

export interface QualityTargets {
  /** A day with at least this many hours worn is valid. */
  wearHours: number;
  /** Valid days of seven; null: no target. */
  validDays: number | null;
  /** Readable part of the recorded ECG, in percent; null: no target. */
  readablePercent: number | null;
  /** Part of the due tasks of the program that was done, in percent; null: no target. */
  taskPercent: number | null;
}

/** The targets of a study that chose none. */
export const DEFAULT_QUALITY_TARGETS: QualityTargets = {
  // Troiano et al., Med Sci Sports Exerc 2008;40:181: at least 10 h worn on at least 4 days of a week.
  wearHours: 10,
  validDays: 4,
  // Task Force of the ESC and NASPE, Circulation 1996;93:1043: at least 18 of 24 h can be analysed.
  readablePercent: 75,
  // Jones et al., Addiction 2019;114:609: the rate that studies of momentary assessment recommend.
  taskPercent: 80,
};

/** Least and most of each target. */
export const QUALITY_LIMITS: Readonly<Record<keyof QualityTargets, { least: number; most: number }>> = {
  wearHours: { least: 1, most: 24 },
  validDays: { least: 1, most: 7 },
  readablePercent: { least: 1, most: 100 },
  taskPercent: { least: 1, most: 100 },
};

export const QUALITY_TARGET_NAMES = Object.keys(DEFAULT_QUALITY_TARGETS) as (keyof QualityTargets)[];

export const isDefaultTargets = (targets: QualityTargets): boolean =>
  QUALITY_TARGET_NAMES.every((name) => targets[name] === DEFAULT_QUALITY_TARGETS[name]);

/** Why the data of a subject needs attention. */
export const QUALITY_REASONS = ['NO_DATA', 'VALID_DAYS', 'READABLE', 'TASKS'] as const;
export type QualityReasonCode = (typeof QUALITY_REASONS)[number];
