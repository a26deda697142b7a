/** The results of `outpost analyze` as tables. */
import { type Analysis, beatTimes } from './analysis.ts';
import { answer, formatDuration } from './output.ts';
import { formatTable } from './tables.ts';

export function printTables(analysis: Analysis): void {
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
          .map(({ type, nominalRateHz }) => `${type} ${Math.round(nominalRateHz * 100) / 100} Hz`)
          .join(', '),
      ]),
    ]),
  );
  for (const { notes } of analysis.recordings) for (const note of notes) answer(`note: ${note}`);
  answer('');
  const known = analysis.channels.values;
  const rates = known.heart_rate.filter((value) => value !== null);
  const steps = known.steps.reduce<number>((sum, value) => sum + (value ?? 0), 0);
  answer(
    `beats ${beatTimes(analysis.features).length}, steps ${steps}, bins with a heart rate ${rates.length} of ${known.heart_rate.length}`,
  );
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
  answer('Retrospective research data, not for monitoring.');
}

function formatMetric(name: string, value: number | undefined): string {
  if (value === undefined) return 'not enough data';
  if (name.endsWith('_TS')) return new Date(value).toISOString();
  if (name.endsWith('_DURATION')) return formatDuration(value * 1000);
  return String(Math.round(value * 100) / 100);
}
