import { expect, test } from 'vitest';
import { analyseRecording, analyseWindow } from '../../analytics/index.ts';
import { ACTIVITIES } from '../../analytics/types.ts';
import { simulateSubject } from './subject.ts';

test('the analytics finds in an evening and half a night what the truth says', () => {
  const startMs = Date.UTC(2024, 4, 14, 19);
  const stopMs = startMs + 9 * 3_600_000;
  const { truth, recordings } = simulateSubject({
    seed: 11,
    timeZone: 'US/Eastern',
    startMs,
    stopMs,
    profile: { runningChance: 1, wakeHour: 6.5, bedHour: 22.5 },
  });
  const features = recordings.map((recording) => {
    const { header, startUs, stopUs } = recording;
    const pages = [...recording.pages()];
    const { location } = header.physicalConfig;
    const inputs = header.channels.map(({ type, scale, offset, nominalRateHz }, channel) => ({
      type: type as 'ECG' | 'ACCEL',
      location,
      scale,
      offset,
      nominalRateHz,
      chunks: pages.filter((page) => page.channel === channel),
    }));
    return analyseRecording(header.recordingId, location, inputs, startUs, stopUs);
  });
  const { seconds, sleep } = analyseWindow({ date: '2024-05-15', startMs, stopMs }, features, []);

  let worn = 0;
  let agreed = 0;
  let steps = 0;
  let foundSteps = 0;
  let beats = 0;
  let foundBeats = 0;
  for (let i = 0; i < seconds.count; i++) {
    if (truth.worn[i] === 0) continue;
    worn++;
    // Lying awake and lying asleep differ in nothing that a second could show.
    const lying = (code: number) => ACTIVITIES[code]?.endsWith(':LYING');
    if (truth.activity[i] === seconds.activity[i] || (lying(truth.activity[i]) && lying(seconds.activity[i]))) agreed++;
    steps += truth.steps[i];
    foundSteps += seconds.steps[i];
    foundBeats += seconds.rrCount[i];
  }
  for (const timeUs of truth.beatTimesUs) if (truth.worn[Math.floor((timeUs / 1000 - startMs) / 1000)]) beats++;
  expect(agreed / worn).toBeGreaterThan(0.97);
  expect(Math.abs(foundSteps - steps) / steps).toBeLessThan(0.03);
  expect(Math.abs(foundBeats - beats) / beats).toBeLessThan(0.01);
  expect(Math.abs(sleep[0].onsetMs - truth.sleep[0].startMs)).toBeLessThan(30 * 60_000);
});
