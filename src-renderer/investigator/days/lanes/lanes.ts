/** The lanes of a day in reading order: worn or not, activity and posture, heart and breath, labels and faults. */
import type { Lane } from '../../../shared/charts/timeline/types.ts';
import type { Format } from '../../../shared/i18n/format.ts';
import type { Translate } from '../../../shared/i18n/i18n.ts';
import { type DayData, postureParts, type Span } from './day-data.ts';
import type { DayMark } from './day-marks.ts';
import { type PersonEdit, withEdits } from './edits.ts';
import { bandLane, type LaneSource, lineLane, markLanes, stepsLane } from './lane-kinds.ts';
import { ACTIVITY_STYLES, POSTURE_STYLES, postureText, WEAR_CATEGORIES } from './lane-styles.ts';

/** @param edits of sleep and wear by people, which are marked on their lanes */
export function dayLanes(
  data: DayData,
  marks: readonly DayMark[],
  view: Span,
  t: Translate,
  format: Format,
  edits: readonly PersonEdit[] = [],
): Lane[] {
  const source: LaneSource = { data, view, t, format };
  const lanes = [
    bandLane(source, 'wear', t('lanes.wear'), data.wear, {
      heightPx: 34,
      styleOf: (value) => ({ category: WEAR_CATEGORIES[value], level: 1, label: t(`wear.${value}`) }),
      gapLabels: (gap) => {
        const shortLabel = format.duration((gap.stopMs - gap.startMs) / 1000);
        return { label: t('wear.gapLength', { duration: shortLabel }), shortLabel };
      },
    }),
    bandLane(source, 'activity', t('lanes.activity'), data.activity, {
      heightPx: 60,
      styleOf: (value) => ({ ...ACTIVITY_STYLES[value], label: t(`activity.${value}`) }),
    }),
    bandLane(source, 'posture', t('lanes.posture'), data.posture, {
      heightPx: 44,
      styleOf: (value) => ({
        ...POSTURE_STYLES[postureParts(value)[0] ?? 'unknown'],
        label: postureText(value, t),
      }),
      note: t('lanes.postureNote'),
    }),
    lineLane(source, 'heartRate', t('lanes.heartRate'), data.heartRate, {
      unit: t('lanes.units.bpm'),
      digits: 0,
      color: 'heart-rate',
      heightPx: 92,
      steps: 6,
      help: t('lanes.heartRateHelp'),
      fine: data.heartRateFine,
    }),
    lineLane(source, 'variability', t('lanes.variability'), data.variability, {
      unit: t('lanes.units.milliseconds'),
      digits: 0,
      color: 'variability',
      heightPx: 52,
      steps: 3,
    }),
    stepsLane(source),
    lineLane(source, 'respiration', t('lanes.respiration'), data.respiration, {
      unit: t('lanes.units.breaths'),
      digits: 1,
      color: 'respiration',
      heightPx: 44,
      steps: 3,
      help: t('lanes.respirationHelp'),
    }),
    ...markLanes(
      source,
      'marks',
      marks.filter((mark) => mark.kind !== 'fault'),
    ),
    ...markLanes(
      source,
      'faults',
      marks.filter((mark) => mark.kind === 'fault'),
    ),
  ];
  return lanes.map((lane) => withEdits(lane, edits, t));
}
