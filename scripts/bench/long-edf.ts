/** EDF files of many days for benches: one simulated day, repeated. */
import { open } from 'node:fs/promises';
import { DAY_MS } from '../../src-server/durations.ts';
import { encodeEdfHeader } from '../../src-server/exporters/edf/file-writer.ts';
import { simulateSubject } from '../../src-server/simulator/physiology/subject.ts';
import { SimulatedWrist } from '../../src-server/testing/simulated-wrist.ts';

/** The shortest record with whole samples at 31.25 Hz would be of 4 s; longer ones are read faster. */
const RECORD_SECONDS = 16;
const RECORDS_PER_DAY = DAY_MS / 1000 / RECORD_SECONDS;
const ANNOTATION_BYTES = 64;
const START_MS = Date.UTC(2024, 4, 1, 4);

interface Signal {
  label: string;
  unit: string;
  scale: number;
  samplesPerRecord: number;
  samples: Int16Array;
}

type Recordings = ReturnType<typeof simulateSubject>['recordings'];

/** The ECG and acceleration of a simulated day at one place, with the spans without data filled from before them. */
function signalsOf(recordings: Recordings, place: string): Signal[] {
  const own = recordings.filter(({ header }) => header.physicalConfig.location.includes(place));
  const signals: Signal[] = [];
  for (const [index, { type, scale, dimensions, nominalRateHz }] of own[0]!.header.channels.entries()) {
    if (type !== 'ECG' && type !== 'ACCEL') continue;
    for (const dimension of dimensions.keys()) {
      const samplesPerRecord = Math.round(nominalRateHz * RECORD_SECONDS);
      const samples = new Int16Array(samplesPerRecord * RECORDS_PER_DAY);
      let count = 0;
      for (const page of own.flatMap((recording) => [...recording.pages()])) {
        if (page.channel !== index) continue;
        const column = page.columns[dimension]!.subarray(0, samples.length - count);
        samples.set(column, count);
        count += column.length;
      }
      for (; count < samples.length; count++) samples[count] = samples[count - samplesPerRecord]!;
      const isEcg = type === 'ECG';
      signals.push({
        label: isEcg ? 'ECG' : `Accel ${'XYZ'[dimension]}`,
        unit: isEcg ? 'mV' : 'g',
        scale: isEcg ? 1000 * scale[dimension]! : scale[dimension]!,
        samplesPerRecord,
        samples,
      });
    }
  }
  return signals;
}

async function writeEdf(path: string, signals: readonly Signal[], days: number): Promise<void> {
  const header = encodeEdfHeader({
    bytesPerSample: 2,
    isDiscontinuous: false,
    startSecondMs: START_MS,
    patient: 'X X X X',
    recording: 'X X X',
    recordCount: RECORDS_PER_DAY * days,
    recordDurationUs: RECORD_SECONDS * 1e6,
    signals: signals.map(({ label, unit, scale, samplesPerRecord }) => ({
      ...{ label, unit, samplesPerRecord, transducer: '', prefilter: '' },
      ...{ physicalMinimum: -32_768 * scale, physicalMaximum: 32_767 * scale },
      ...{ digitalMinimum: -32_768, digitalMaximum: 32_767 },
    })),
    annotationBytes: ANNOTATION_BYTES,
  });
  const samplesPerRecord = signals.reduce((sum, signal) => sum + signal.samplesPerRecord, 0) + ANNOTATION_BYTES / 2;
  const day = new Int16Array(samplesPerRecord * RECORDS_PER_DAY);
  for (let record = 0, at = 0; record < RECORDS_PER_DAY; record++, at += ANNOTATION_BYTES / 2) {
    for (const { samples, samplesPerRecord: count } of signals) {
      day.set(samples.subarray(record * count, (record + 1) * count), at);
      at += count;
    }
  }
  const file = await open(path, 'wx');
  try {
    await file.writeFile(header);
    for (let k = 0; k < days; k++) await file.writeFile(new Uint8Array(day.buffer));
  } finally {
    await file.close();
  }
}

/** Writes ECG at 250 Hz with acceleration at 31.25 Hz of a chest, and acceleration of a thigh. */
export async function writeLongEdfs(chestPath: string, thighPath: string, days: number): Promise<void> {
  const stopMs = START_MS + DAY_MS;
  const { recordings } = simulateSubject({
    ...{ seed: 7, timeZone: 'UTC', startMs: START_MS, stopMs, dailyCharging: false },
  });
  await writeEdf(chestPath, signalsOf(recordings, 'CHEST'), days);
  await writeEdf(thighPath, signalsOf(recordings, 'THIGH'), days);
}

/** Writes acceleration at 100 Hz of a wrist sensor with an error of offset and gain, which its calibration finds. */
export async function writeLongWristEdf(path: string, days: number): Promise<void> {
  const rateHz = 100;
  const { input } = new SimulatedWrist({
    ...{ startMs: START_MS, hours: 24, rateHz },
    ...{ offsetG: [0.03, -0.02, 0.04], gain: [1.01, 0.99, 1.02] },
  });
  const samplesPerRecord = rateHz * RECORD_SECONDS;
  const axes = input.scale.map(() => new Int16Array(samplesPerRecord * RECORDS_PER_DAY));
  let count = 0;
  for (const page of input.chunks) {
    for (const [axis, samples] of axes.entries()) samples.set(page.columns[axis]!, count);
    count += page.count;
  }
  const signals = axes.map(
    (samples, axis): Signal => ({
      ...{ label: `Accel ${'XYZ'[axis]}`, unit: 'g', scale: input.scale[axis]!, samplesPerRecord, samples },
    }),
  );
  await writeEdf(path, signals, days);
}
