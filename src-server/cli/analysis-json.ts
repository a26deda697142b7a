/** The results of `outpost analyze --json`: one line, written in pieces, since a month at 1 s is hundreds of megabytes. */
import { once } from 'node:events';
import { ANALYTICS_VERSION, CHANNEL_UNITS, FURTHER_CHANNEL_UNITS } from '../analytics/index.ts';
import { formatOffset, offsetMsAt } from '../study/day-windows.ts';
import type { Analysis } from './analysis.ts';

export async function writeJson(analysis: Analysis): Promise<void> {
  let text = '';
  for (const piece of jsonPieces(analysis)) {
    text += piece;
    if (text.length < LEAST_WRITTEN) continue;
    if (!process.stdout.write(text)) await once(process.stdout, 'drain');
    text = '';
  }
  process.stdout.write(`${text}\n`);
}

const LEAST_WRITTEN = 1 << 16;

function* jsonPieces(analysis: Analysis): Generator<string> {
  const { timeZone, days, sleep } = analysis;
  const head = {
    ...(analysis.name !== undefined && { name: analysis.name }),
    timeZone,
    interval: analysis.intervalMs,
    recordings: analysis.recordings,
  };
  yield `${JSON.stringify(head).slice(0, -1)},"beatTs":[`;
  yield* commaSeparated(beatTexts(analysis));
  yield '],"stepTs":[';
  yield* commaSeparated(analysis.stepTexts());
  yield '],"channels":[';
  const units = { ...CHANNEL_UNITS, ...FURTHER_CHANNEL_UNITS };
  for (const [index, type] of (Object.keys(units) as (keyof typeof units)[]).entries()) {
    const channel = JSON.stringify({ type, units: units[type] });
    yield `${index > 0 ? ',' : ''}${channel.slice(0, -1)},"times":[`;
    yield* commaSeparated(analysis.timeTexts());
    yield '],"values":[';
    yield* commaSeparated(analysis.valueTexts(type));
    yield ']}';
  }
  const tail = {
    algorithmVersion: ANALYTICS_VERSION,
    parameters: analysis.parameters,
    metrics: days.map((day) => ({
      date: day.date,
      dayStartMsUtc: day.dayStartMs,
      dataStartTs: day.dataStartMs,
      dataStopTs: day.dataStopMs,
      subjectTz: timeZone,
      subjectTzOffset: formatOffset(offsetMsAt(day.dayStartMs, timeZone)),
      metrics: day.metrics,
      ...(day.epochMethod && { epochMethod: day.epochMethod }),
    })),
    sleep: sleep.map((period) => ({ onsetTs: period.onsetMs, wakeTs: period.wakeMs })),
  };
  yield `],${JSON.stringify(tail).slice(1)}`;
}

/** Some thousand numbers of text at a time. */
const NUMBERS_PER_TEXT = 1 << 13;

function* beatTexts(analysis: Analysis): Generator<string> {
  for (const times of analysis.beatTimes()) {
    for (let from = 0; from < times.length; from += NUMBERS_PER_TEXT)
      yield times.subarray(from, from + NUMBERS_PER_TEXT).join(',');
  }
}

function* commaSeparated(texts: Iterable<string>): Generator<string> {
  let separator = '';
  for (const text of texts) {
    if (text === '') continue;
    yield separator + text;
    separator = ',';
  }
}
