/** The daily metrics that epochs of acceleration add, those of a wrist, a waist or a lower back; and how sleep periods are filled. */
import type { MetricName } from '../metric-type.ts';

const DAY = 'Midnight to midnight, local time';
const NIGHT = 'Sleep that begins from noon of the day before to noon, local time';
const WHOLE = 'The whole recording that covers most of the day';
const ONE_EPOCH =
  'One epoch of 5 s with 90 % of its samples, from a wrist, waist or lower back sensor known to be worn';
const CALIBRATED =
  'A recording with 50 still windows of 10 s in all orientations, and an error below 10 mg after calibration';

const metric = (
  name: string,
  unit: string,
  definition: string,
  minimumData: string,
  method: MetricName['method'],
  window = DAY,
): MetricName => ({ name, state: null, unit, definition, window, minimumData, method });

const intensity = (part: string, definition: string, minimumData = ONE_EPOCH): MetricName =>
  metric(`INTENSITY_${part}_DURATION`, 'seconds', definition, minimumData, 'intensity');
const TELLS_LIGHT = `${ONE_EPOCH}, and cut points that tell sedentary from light`;
const TELLS_VIGOROUS = `${ONE_EPOCH}, and cut points that tell moderate from vigorous`;

const asleep = (
  name: string,
  unit: string,
  definition: string,
  minimumData: string,
  method: MetricName['method'] = 'sleep',
): MetricName => ({
  ...metric(`SLEEPING_${name}`, unit, definition, minimumData, method, NIGHT),
  state: 'SLEEPING',
});
const ANY_NIGHT = 'A sleep period that begins in the window, found by any sensor that shows sleep';

const axes = <T>(each: (axis: 'X' | 'Y' | 'Z') => T): T[] => (['X', 'Y', 'Z'] as const).map(each);

export const EPOCH_METRICS: readonly MetricName[] = [
  metric('ACCELERATION_AVG_ENMO', 'milli_g', 'Mean ENMO of the worn epochs.', ONE_EPOCH, 'enmo'),
  metric('ACCELERATION_AVG_MAD', 'milli_g', 'Mean amplitude deviation (MAD) of the worn epochs.', ONE_EPOCH, 'enmo'),
  intensity('SEDENTARY', 'Worn time below the cut point of light intensity, sleep included.', TELLS_LIGHT),
  intensity('LIGHT', 'Worn time of light intensity.', TELLS_LIGHT),
  intensity('MODERATE', 'Worn time of moderate intensity.', TELLS_VIGOROUS),
  intensity('VIGOROUS', 'Worn time of vigorous intensity.', TELLS_VIGOROUS),
  intensity('MVPA', 'Worn time of moderate or vigorous intensity.'),
  ...axes((axis) =>
    metric(
      `COUNTS_${axis}`,
      'count',
      `Sum of the activity counts of the sensor's ${axis.toLowerCase()} axis while worn.`,
      ONE_EPOCH,
      'counts',
    ),
  ),
  metric(
    'COUNTS_VM3',
    'count',
    'Sum over the minutes of the vector magnitude of their counts of the three axes, while worn.',
    ONE_EPOCH,
    'counts',
  ),
  metric('SENSOR_NON_WEAR_DURATION', 'seconds', 'Time recorded while no sensor was worn.', ONE_EPOCH, 'wear'),
  asleep('PERIOD_DURATION', 'seconds', 'From falling asleep to the final wake of the longest sleep period.', ANY_NIGHT),
  asleep('WASO_DURATION', 'seconds', 'Time awake between falling asleep and the final wake.', ANY_NIGHT),
  asleep('EFFICIENCY', 'percent', 'Time asleep as a share of the sleep period.', ANY_NIGHT),
  asleep(
    'REGULARITY',
    'index',
    'Sleep Regularity Index of this night and the one before: the share of epochs with the same state 24 hours apart, from -100 (opposite) to 100 (equal). The mean over the days of a recording is its index.',
    'Two consecutive windows from noon to noon of one wrist recording, two thirds of their epochs known in both',
    'wrist_sleep',
  ),
  metric(
    'RHYTHM_INTERDAILY_STABILITY',
    'index',
    'How alike the days are: variance of the mean day over the variance of all hourly means of ENMO, 0 to 1.',
    '72 worn hours of one recording, and each hour of the day at least once',
    'rest_activity',
    WHOLE,
  ),
  metric(
    'RHYTHM_INTRADAILY_VARIABILITY',
    'index',
    'How fragmented rest and activity are: variance of the hourly changes of ENMO over the variance of the hourly means, 0 to about 2.',
    '72 worn hours of one recording, and each hour of the day at least once',
    'rest_activity',
    WHOLE,
  ),
  ...(['M10', 'L5'] as const).flatMap((part) => {
    const hours = part === 'M10' ? 'ten consecutive hours of most' : 'five consecutive hours of least';
    const least = '16 worn hours on the day, and two thirds of the minutes of those hours';
    return [
      metric(`RHYTHM_${part}_ENMO`, 'milli_g', `Mean ENMO of the ${hours} activity.`, least, 'rest_activity'),
      metric(`RHYTHM_${part}_TS`, 'utc_milliseconds', `Start of the ${hours} activity.`, least, 'rest_activity'),
    ];
  }),
  metric(
    'RHYTHM_RELATIVE_AMPLITUDE',
    'index',
    'Difference between M10 and L5 over their sum, 0 to 1.',
    '16 worn hours on the day, and two thirds of the minutes of M10 and of L5',
    'rest_activity',
  ),
  metric(
    'CALIBRATION_WINDOWS',
    'windows',
    'Still windows of 10 s found in the recording, for its calibration.',
    ONE_EPOCH,
    'calibration',
    WHOLE,
  ),
  metric(
    'CALIBRATION_ERROR_BEFORE',
    'milli_g',
    'Mean distance of the still windows from 1 g as recorded.',
    'One still window',
    'calibration',
    WHOLE,
  ),
  metric(
    'CALIBRATION_ERROR_AFTER',
    'milli_g',
    'The same distance after calibration. Absent where the recording was not calibrated.',
    CALIBRATED,
    'calibration',
    WHOLE,
  ),
  ...axes((axis) =>
    metric(
      `CALIBRATION_GAIN_${axis}`,
      'ratio',
      `Gain of the ${axis.toLowerCase()} axis: calibrated = (recorded + offset) x gain.`,
      CALIBRATED,
      'calibration',
      WHOLE,
    ),
  ),
  ...axes((axis) =>
    metric(
      `CALIBRATION_OFFSET_${axis}`,
      'milli_g',
      `Offset of the ${axis.toLowerCase()} axis, added before the gain.`,
      CALIBRATED,
      'calibration',
      WHOLE,
    ),
  ),
];

const NAMES: ReadonlySet<string> = new Set(EPOCH_METRICS.map(({ name }) => name));
export const isEpochMetric = (name: string): boolean => NAMES.has(name);
