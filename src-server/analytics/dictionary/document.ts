/** The data dictionary as a document: `resources/metrics.md`, `GET /api/v1/metrics.md` and the study archive. */
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
  lines.push('After:', '', ...method.citations.map((citation) => `- ${citation}`), '');
  return lines;
}

/** The whole dictionary in Markdown: daily metrics, intraday channels, methods with their accuracy and limits. */
export function metricsDocument(): string {
  const methodOf = new Map(METHODS.map((method) => [method.id, method]));
  const lines = [
    '# Data dictionary',
    '',
    `Every daily metric and intraday channel, as the analytics of version ${ANALYTICS_VERSION} compute them. Made from the tables beside the code by \`npm run metrics\`; a test fails when the two differ.`,
    '',
    'Research data, computed after the fact. Not for diagnosis and not for monitoring.',
    '',
    'What holds for all of them:',
    '',
    '- The base is one row per second and subject; bins, minutes and days are made of these rows and nothing else.',
    '- Missing is missing: a figure without its minimum data is absent (a null in a channel, an empty cell in a CSV), never zero and never filled in.',
    '- Time is that of the samples themselves. A gap is never bridged.',
    '- Local days follow the time zone the subject was in; days of a clock change have 23 or 25 hours.',
    '- A sleeping metric of a date is of the sleep that begins in the 24 hours to noon of that date, to its end even if that is after noon; all others run from midnight to midnight. So the parts of a day may sum to more than 24 hours.',
    '',
    '## Daily metrics',
    '',
    ...table(
      ['name', 'unit', 'what it is', 'window', 'least data', 'method'],
      METRIC_NAMES.map(({ name, unit, definition, window, minimumData, method }) => {
        const made = methodOf.get(method);
        return [`\`${name}\``, unit, definition, window, minimumData, made ? link(made) : ''];
      }),
    ),
    '',
    '## Intraday channels',
    '',
    ...table(
      ['name', 'unit', 'values', 'what it is', 'window', 'least data', 'method'],
      CHANNEL_DEFINITIONS.map(({ name, unit, values, definition, window, minimumData, method }) => {
        const made = methodOf.get(method);
        return [`\`${name}\``, unit, values, definition, window, minimumData, made ? link(made) : ''];
      }),
    ),
    '',
    '## Methods, accuracy and limits',
    '',
    'Accuracy was measured by `npm run bench:accuracy` on public recordings with reference labels, every second and beat of them counted. Other people, placements and devices may give other figures.',
    '',
    ...METHODS.flatMap(methodSection),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}
