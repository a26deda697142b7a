/** The results of `outpost analyze` as tables. */
import type { CalibrationDetails, CalibrationFault } from '../analytics/epochs/types.ts';
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
  for (const { file, channels } of analysis.recordings)
    for (const { calibration } of channels)
      if (calibration) answer(`calibration of ${file}: ${calibrationText(calibration)}`);
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

const FAULTS: Record<CalibrationFault, string> = {
  TOO_FEW_WINDOWS: 'too few still windows of 10 s',
  SPHERE_NOT_COVERED: 'the still windows do not lie in all orientations',
  NO_IMPROVEMENT: 'no fit brings the error below 10 mg',
};

/** Offsets in mg, gains, and the error before and after, or why the sensor was not calibrated. */
function calibrationText({ fault, offsetG, gain, errorBeforeG, errorAfterG, windows }: CalibrationDetails): string {
  const milliG = (g: number | null): string => (g === null ? 'unknown' : `${(1000 * g).toFixed(1)} mg`);
  const found = `${windows} still window${windows === 1 ? '' : 's'}`;
  if (fault !== null) return `not calibrated, ${FAULTS[fault]} (${found}, error ${milliG(errorBeforeG)})`;
  const offsets = offsetG.map((g) => (1000 * g).toFixed(1)).join(', ');
  const gains = gain.map((factor) => factor.toFixed(4)).join(', ');
  return `offsets ${offsets} mg, gains ${gains}, error ${milliG(errorBeforeG)} before and ${milliG(errorAfterG)} after (${found})`;
}

function formatMetric(name: string, value: number | undefined): string {
  if (value === undefined) return 'not enough data';
  if (name.endsWith('_TS')) return new Date(value).toISOString();
  if (name.endsWith('_DURATION')) return formatDuration(value * 1000);
  // Gains differ from 1 in the third decimal.
  return name.startsWith('CALIBRATION_GAIN_') ? value.toFixed(5) : String(Math.round(value * 100) / 100);
}
