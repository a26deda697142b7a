/**
 * Analytics results that full sites reuse: thirty consecutive simulated days through the real analytics. Every subject-day of a
 * full site carries one of them, moved to its own date, so its bytes are real but repeat from subject to subject.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { analyseRecording, analyseWindow, dailyMetrics, featuresFrom, type NoonSleeps } from '../../analytics/index.ts';
import { createSecondColumns } from '../../analytics/seconds.ts';
import { signalSources } from '../../analytics/signal-sources.ts';
import type { NoonWindow, SecondColumns, SleepPeriod, WindowResult } from '../../analytics/types.ts';
import { decodeArrays, encodeArrays } from '../../db/array-codec.ts';
import { DAY_MS } from '../../durations.ts';
import type { SignalPage } from '../../signals/types.ts';
import { simulateSubject } from '../../simulator/physiology/subject.ts';

/** The result of one noon window and of the day that it ends in. Times are those of the simulation. */
export interface SampleDay {
  seconds: SecondColumns;
  sleep: SleepPeriod[];
  metrics: Record<string, number>;
  validSeconds: Record<string, number>;
}

export const SAMPLE_DAYS = 30;
/** Noon, UTC. */
const FIRST_NOON_MS = Date.UTC(2026, 0, 1, 12);
const SEED = 14;

/**
 * Days that take milliseconds to make: worn and walking by formula, for tests that do not look at the values.
 * @param recordedSeconds fewer are faster to store
 */
export function plainDays(count = 3, recordedSeconds = DAY_MS / 1000): SampleDay[] {
  return Array.from({ length: count }, (_, day) => {
    const startMs = FIRST_NOON_MS + day * DAY_MS;
    const seconds = createSecondColumns(startMs, recordedSeconds);
    seconds.recorded.fill(1, 0, 80_000);
    seconds.worn.fill(1, 0, 80_000 - day * 1000);
    seconds.rrCount.fill(1, 0, 80_000);
    seconds.rrSumMs.fill(800 + day, 0, 80_000);
    return {
      seconds,
      sleep: [{ onsetMs: startMs + DAY_MS / 3, wakeMs: startMs + (2 * DAY_MS) / 3 }],
      metrics: { SENSOR_WEAR_DURATION: 80_000 - day * 1000, MOVING_STEPS: 7000 + day, RESTING_AVG_HR: 61.5 },
      validSeconds: { MOVING: 4000, RESTING: 60_000 },
    };
  });
}

/** Simulates and analyses the days; half a minute of processor time per ten days. */
export function simulatedDays(count = SAMPLE_DAYS): SampleDay[] {
  const startMs = FIRST_NOON_MS;
  const { recordings } = simulateSubject({
    seed: SEED,
    timeZone: 'UTC',
    startMs,
    stopMs: startMs + (count + 1) * DAY_MS,
  });
  const features = recordings.map((recording) => {
    const { channels, recordingId, physicalConfig } = recording.header;
    const pages: SignalPage[][] = channels.map(() => []);
    for (const page of recording.pages()) pages[page.channel]?.push(page);
    const inputs = signalSources(channels, physicalConfig.location).map(({ channel, source }) => ({
      ...source,
      chunks: pages[channel] ?? [],
    }));
    return analyseRecording(recordingId, physicalConfig.location, inputs, recording.startUs, recording.stopUs);
  });
  const between = featuresFrom(features);
  const noons: NoonSleeps = new Map();
  const results = Array.from({ length: count + 1 }, (_, day): WindowResult => {
    const window: NoonWindow = {
      date: new Date(startMs + (day + 1) * DAY_MS).toISOString().slice(0, 10),
      startMs: startMs + day * DAY_MS,
      stopMs: startMs + (day + 1) * DAY_MS,
    };
    return analyseWindow(window, between, [], noons);
  });
  return results.slice(0, count).flatMap((result, day) => {
    const dayStartMs = result.window.stopMs - DAY_MS / 2;
    const found = dailyMetrics(
      { date: result.window.date, startMs: dayStartMs, stopMs: dayStartMs + DAY_MS },
      results.slice(day, day + 2),
    );
    if (!found) return [];
    const { seconds, sleep } = result;
    return [{ seconds, sleep, metrics: found.metrics, validSeconds: found.validSeconds }];
  });
}

/** The simulated days, computed once and kept in a file. */
export async function keptSimulatedDays(path: string): Promise<SampleDay[]> {
  if (existsSync(path)) return decodeArrays(await readFile(path)) as SampleDay[];
  const days = simulatedDays();
  await mkdir(dirname(path), { recursive: true });
  const partial = `${path}.${process.pid}.partial`;
  await writeFile(partial, encodeArrays(days));
  await rename(partial, path);
  return days;
}

/** A sample day at another time: the same values, with every instant moved. */
export function movedDay(sample: SampleDay, startMs: number): SampleDay {
  const byMs = startMs - sample.seconds.startMs;
  return {
    seconds: { ...sample.seconds, startMs },
    sleep: sample.sleep.map(({ onsetMs, wakeMs }) => ({ onsetMs: onsetMs + byMs, wakeMs: wakeMs + byMs })),
    metrics: Object.fromEntries(
      Object.entries(sample.metrics).map(([name, value]) => [name, name.endsWith('_TS') ? value + byMs : value]),
    ),
    validSeconds: sample.validSeconds,
  };
}
