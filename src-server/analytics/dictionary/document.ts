/** The data dictionary as a document: `resources/metrics.md`, `GET /api/v1/metrics.md` and the study archive. */
import { FURTHER_CHANNEL_TYPES } from '../further-channels.ts';
import { METRIC_NAMES } from '../metric-names.ts';
import { ANALYTICS_VERSION } from '../version.ts';
import { CHANNEL_DEFINITIONS } from './channels.ts';
import type { MeasuredFigure } from './measured.ts';
import { METHODS, type Method } from './methods.ts';

const cell = (text: string): string => text.replaceAll('|', '\\|');
const row = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;

function table(heading: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [row(heading), row(heading.map(() => '---')), ...rows.map(row)];
}

const figureText = ({ value, unit }: MeasuredFigure): string => `${value} ${unit}`.trim();
const link = ({ id, title }: Method): string => `[${title}](#${anchorOf(id)})`;
const anchorOf = (id: string): string => `method-${id.replaceAll('_', '-')}`;

function methodSection(method: Method): string[] {
  const lines = [`<a id="${anchorOf(method.id)}"></a>`, '', `### ${method.title}`, '', method.description, ''];
  if (method.accuracy.length > 0) {
    const rows = method.accuracy.map((figure) => [figure.what, figureText(figure), figure.bar ?? '', figure.data]);
    lines.push(...table(['measured', 'value', 'required', 'on'], rows), '');
  }
  if (method.unmeasured !== undefined) lines.push(method.unmeasured, '');
  lines.push('Limits:', '', ...method.limits.map((limit) => `- ${limit}`), '');
  lines.push('Sources:', '', ...method.citations.map((citation) => `- ${citation}`), '');
  return lines;
}

/** What a recording without a signal gives. */
const INTERVALS_ALONE = [
  '## Recordings of beat intervals',
  '',
  'A heart-rate strap of the Bluetooth standard reports RR intervals, an optical sensor pulse intervals (PPI); neither records a signal. What is computed from them:',
  '',
  ...table(
    ['results', 'RR intervals', 'pulse intervals (PPI)'],
    [
      ['`heart_rate`, `*_HR`', 'yes', 'yes'],
      ['`hrv`, `*_HRV_RMSSD`', 'yes, in sinus rhythm', 'no: pulse rate variability is another quantity'],
      ['`frequency_hrv_ratio`, `*_HRV`', 'yes, in sinus rhythm', 'no'],
      ['`sleep_respiration`, `*_RESPIRATION`', 'no', 'no'],
      ['`atrial_fibrillation`, `HEART_AF_*`', 'yes, from the intervals alone', 'no'],
      ['`ectopic_*`, `HEART_ECTOPIC_*`', 'no', 'no'],
      ['wear, `SENSOR_WEAR_DURATION`', 'time covered by intervals', 'time covered by intervals'],
    ],
  ),
  '',
  '- Resting, moving and sleeping are known from acceleration only. Without a motion sensor at the same time there are the intraday channels of the heart, and all `RESTING_`, `MOVING_` and `SLEEPING_` metrics are absent.',
  '- An ECG of the same minute is used before RR intervals, and these before pulse intervals.',
  '- The valid data behind a day (`validSeconds`) say where its heart rate comes from where that is not an ECG alone: seconds of valid intervals as `HEART_ECG`, `HEART_RR` and `HEART_PPI`, and the numbers of intervals between heartbeats, `BEAT_INTERVALS`, and of those that variability leaves out, `BEAT_INTERVALS_LEFT_OUT`.',
];

/** What a label must look like to orient sensors: `study/posture-calibration.ts` and `motion/orientation.ts` hold the rules. */
const POSTURE_CALIBRATION = [
  '## Posture calibration',
  '',
  'A label over a span in which the subject holds a known posture tells how each sensor is mounted. A phone reports it as a mark of an activity (label type `subject`); staff may add it at the desk (type `recording`). Upper and lower case do not matter.',
  '',
  ...table(
    ['name of the label', 'what the subject does', 'what follows from it'],
    [
      ['`Calibration: standing`', 'Stands upright and still, arms hanging.', 'The vertical of every sensor.'],
      ['`Calibration: lying`', 'Lies still on the back, legs straight.', 'The front of every sensor, with a vertical.'],
      ['`Calibration: sitting`', 'Sits still, thighs level.', 'The front of a thigh sensor without a lying label.'],
    ],
  ),
  '',
  '- A posture needs 5 whole seconds at rest (SD of the acceleration at most 0.1 g) inside its labels; fewer are not used. Hold it for 20 s: movement at both ends then does no harm. Standing alone separates upright from lying; without a lying label the front follows from habits, see [posture](#method-posture).',
  '- A label orients the recordings in which it lies, each as a whole, before and after the label. A sensor that is taken off and put on again within one recording needs a label after that; several labels of one posture are averaged.',
  '- A label that arrives, changes or goes later has those recordings analysed again.',
  '- Without a standing label the vertical comes from 15 s of walking.',
];

/** The whole dictionary in Markdown: daily metrics, intraday channels, methods with their accuracy and limits. */
export function metricsDocument(): string {
  const methodOf = new Map(METHODS.map((method) => [method.id, method]));
  const lines = [
    '# Data dictionary',
    '',
    `Every daily metric and intraday channel, as the analytics of version ${ANALYTICS_VERSION} compute them. Generated from the tables in the code by \`npm run metrics\`; a test fails when the two differ.`,
    '',
    'Research data, computed retrospectively. Not for diagnosis or monitoring.',
    '',
    'Rules for all of them:',
    '',
    '- The base is one row per second and subject; bins, minutes and days are computed from these rows alone.',
    '- Missing values stay missing: a figure without its minimum data is absent (a null in a channel, an empty cell in a CSV), never zero and never interpolated.',
    '- Times are those of the samples. A gap is never bridged.',
    '- `outpost analyze` gives the numbers of a site of the same version that imports the same files, to the last digit: both calibrate and analyse by the same code. Only a site has what people corrected.',
    '- Local days follow the time zone in which the subject was; days of a clock change have 23 or 25 hours.',
    '- A sleeping metric of a date covers the sleep that begins in the 24 hours to noon of that date, up to its end even after noon; all others run from midnight to midnight. The parts of a day may therefore sum to more than 24 hours.',
    '',
    '## Daily metrics',
    '',
    ...table(
      ['name', 'unit', 'definition', 'window', 'minimum data', 'method'],
      METRIC_NAMES.map(({ name, unit, definition, window, minimumData, method }) => {
        const definedBy = methodOf.get(method);
        return [`\`${name}\``, unit, definition, window, minimumData, definedBy ? link(definedBy) : ''];
      }),
    ),
    '',
    '## Intraday channels',
    '',
    `The first nine are given always. The others, from \`${FURTHER_CHANNEL_TYPES[0]}\` on, are given on request: in the API with the parameter \`type\`, in the CSV of a day with \`further=true\`; in the Parquet export and in \`outpost analyze --json\` always.`,
    '',
    ...table(
      ['name', 'unit', 'values', 'definition', 'window', 'minimum data', 'method'],
      CHANNEL_DEFINITIONS.map(({ name, unit, values, definition, window, minimumData, method }) => {
        const definedBy = methodOf.get(method);
        return [`\`${name}\``, unit, values, definition, window, minimumData, definedBy ? link(definedBy) : ''];
      }),
    ),
    '',
    ...INTERVALS_ALONE,
    '',
    ...POSTURE_CALIBRATION,
    '',
    '## Methods, accuracy and limits',
    '',
    'Accuracy was measured by `npm run bench:accuracy` on public recordings with reference labels; every second and beat counts. Other people, placements and devices may give other figures.',
    '',
    ...METHODS.flatMap(methodSection),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}
