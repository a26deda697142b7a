/** The results of `outpost analyze` as tables. */
import { CUT_POINTS } from '../vocabulary/analysis-parameters.ts';
import { holdsIntervals } from '../vocabulary/channels.ts';
import type { Analysis } from './analysis.ts';
import { answer, formatDuration } from './output.ts';
import { formatTable } from './tables.ts';

export async function printTables(analysis: Analysis): Promise<void> {
  answer(
    formatTable([
      ['file', 'format', 'location', 'start', 'duration', 'channels'],
      ...analysis.recordings.map((recording) => [
        recording.file,
        recording.format,
        recording.location,
        new Date(recording.startMs).toISOString(),
        formatDuration(recording.stopMs - recording.startMs),
        recording.channels
          .map((channel) =>
            holdsIntervals(channel)
              ? `${channel.type} intervals`
              : `${channel.type} ${Math.round(channel.nominalRateHz * 100) / 100} Hz`,
          )
          .join(', '),
      ]),
    ]),
  );
  for (const { notes } of analysis.recordings) for (const note of notes) answer(`note: ${note}`);
  answer('');
  let beats = 0;
  for (const times of analysis.beatTimes()) beats += times.length;
  const { steps, bins, binsWithRate } = analysis;
  answer(`beats ${beats}, steps ${steps}, bins with a heart rate ${binsWithRate} of ${bins}`);
  if (analysis.days.length === 0) {
    answer('No daily metrics: a day needs at least one hour of recording.');
    return;
  }
  const names = [...new Set(analysis.days.flatMap((day) => Object.keys(day.metrics)))].sort();
  answer('');
  answer(
    formatTable([
      ['metric', ...analysis.days.map((day) => day.date)],
      ...names.map((name) => [name, ...analysis.days.map((day) => formatMetric(name, day.metrics[name]))]),
    ]),
  );
  const { nonWear } = analysis.parameters;
  const methods = new Set(analysis.days.flatMap(({ epochMethod }) => epochMethod?.cutPoints ?? []));
  if (methods.size > 0)
    answer(
      `Intensity: ${CUT_POINTS.filter(({ id }) => methods.has(id))
        .map(({ title }) => title)
        .join('; ')}. Non-wear: ${nonWear}.`,
    );
  answer('Retrospective research data, not for monitoring.');
}

function formatMetric(name: string, value: number | undefined): string {
  if (value === undefined) return 'not enough data';
  if (name.endsWith('_TS')) return new Date(value).toISOString();
  if (name.endsWith('_DURATION')) return formatDuration(value * 1000);
  return String(Math.round(value * 100) / 100);
}
