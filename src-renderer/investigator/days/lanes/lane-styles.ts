/** Pattern, height and name of every value on a day's timeline, and the default order of its lanes. */
import type { Category } from '../../../shared/charts/pattern.ts';
import type { Translate } from '../../../shared/i18n/i18n.ts';
import { type Activity, type PosturePart, postureParts, type Wear } from './day-data.ts';
import type { MarkKind } from './day-marks.ts';

/** The more upright an activity, the higher its band, so that the lane can be read without colour. */
export const ACTIVITY_STYLES: Record<Activity | 'unknown', { category: Category; level: number }> = {
  'SLEEPING:LYING': { category: 'sleeping', level: 0.4 },
  'RESTING:LYING': { category: 'lying', level: 0.4 },
  'RESTING:LEANING': { category: 'leaning', level: 0.52 },
  'RESTING:SITTING': { category: 'sitting', level: 0.64 },
  'RESTING:STANDING': { category: 'standing', level: 0.8 },
  'MOVING:WALKING': { category: 'walking', level: 1 },
  'MOVING:RUNNING': { category: 'running', level: 1 },
  'MOVING:CYCLING': { category: 'cycling', level: 1 },
  'MOVING:OTHER': { category: 'moving-other', level: 0.9 },
  unknown: { category: 'unknown', level: 0.3 },
};

/** Lying postures fill less of the band than upright ones. */
export const POSTURE_STYLES: Record<PosturePart | 'unknown', { category: Category; level: number }> = {
  UPRIGHT: { category: 'posture-upright', level: 1 },
  LEAN_LEFT: { category: 'posture-left', level: 0.8 },
  LEAN_RIGHT: { category: 'posture-right', level: 0.8 },
  SLOUCHING: { category: 'posture-front', level: 0.8 },
  LEAN_FORWARD: { category: 'posture-front', level: 0.8 },
  RECLINING: { category: 'posture-back', level: 0.8 },
  LYING_BACK: { category: 'posture-back', level: 0.5 },
  LYING_CHEST: { category: 'posture-front', level: 0.5 },
  LYING_LEFT: { category: 'posture-left', level: 0.5 },
  LYING_RIGHT: { category: 'posture-right', level: 0.5 },
  unknown: { category: 'unknown', level: 0.3 },
};

/** Legend of the posture lane. */
export const POSTURE_LEGEND = [
  { category: 'posture-upright', label: 'lanes.postureUpright' },
  { category: 'posture-left', label: 'lanes.postureLeft' },
  { category: 'posture-right', label: 'lanes.postureRight' },
  { category: 'posture-front', label: 'lanes.postureFront' },
  { category: 'posture-back', label: 'lanes.postureBack' },
] as const satisfies { category: Category; label: string }[];

export const postureText = (posture: string, t: Translate): string =>
  postureParts(posture)
    .map((part) => t(`posture.${part}`))
    .join(' / ');

export const MARK_STYLES: Record<MarkKind, { color: 'task' | 'label' | 'fault'; isOutlined: boolean }> = {
  task: { color: 'task', isOutlined: false },
  label: { color: 'label', isOutlined: true },
  fault: { color: 'fault', isOutlined: false },
};

/** The lanes of a day in their default order. */
export const LANE_IDS = [
  'wear',
  'activity',
  'posture',
  'heartRate',
  'variability',
  'steps',
  'respiration',
  'marks',
  'faults',
  'path',
] as const;
export type LaneId = (typeof LANE_IDS)[number];
export const LANE_LABELS = {
  wear: 'lanes.wear',
  activity: 'lanes.activity',
  posture: 'lanes.posture',
  heartRate: 'lanes.heartRate',
  variability: 'lanes.variability',
  steps: 'lanes.steps',
  respiration: 'lanes.respiration',
  marks: 'lanes.marks',
  faults: 'lanes.faults',
  path: 'lanes.dataStage',
} as const satisfies Record<LaneId, string>;

/** Returns every lane once: the chosen ones in their order, then the others in the default order. */
export function laneOrder(chosen: readonly string[]): LaneId[] {
  const known = chosen.filter((id): id is LaneId => (LANE_IDS as readonly string[]).includes(id));
  return [...new Set([...known, ...LANE_IDS])];
}

export const WEAR_CATEGORIES: Record<Wear, Category> = { worn: 'worn', notWorn: 'not-worn', notMeasured: 'unknown' };
