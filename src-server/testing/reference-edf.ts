/**
 * Reference recordings of the developer data (JSON beside gzip'd int16) as EDF+ files, for tests and benches that feed
 * the analytics from files. ECG in mV; acceleration as "Accel X/Y/Z" in g. Recordings with breaks become EDF+D.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { annotationList, EdfFileWriter, type EdfSignal } from '../exporters/edf/file-writer.ts';

interface Segment {
  start: number;
  stop: number;
  /** Seconds since the first sample, if the source has them; trials have none. */
  t?: number;
}

interface ReferenceRecord {
  fs: number;
  samples: number;
  file?: string;
  gainPerMv?: number;
  zero?: number;
  sites?: Record<string, { file: string }>;
  segments?: Segment[];
}

export interface ReferenceEdf {
  /** Start of each segment in the file: sample index and epoch microseconds. */
  segments: { start: number; stop: number; startUs: number }[];
  /** Samples added to fill the last data record. */
  padding: number;
}

/** Gap between concatenated trials, so that no analysis crosses their border. */
const TRIAL_PAUSE_SECONDS = 10;
const DEFAULT_START_MS = Date.UTC(2024, 0, 8, 9, 0, 0);
const INT16_MAXIMUM = 32_767;

/**
 * Writes one record, or one sensor site of it, as EDF+. `outPath` must not exist.
 * The file keeps the record's counts; its scale is rounded to the header's eight characters (below 1e-6 relative).
 */
export async function writeReferenceEdf(
  jsonPath: string,
  outPath: string,
  options: { site?: string; startMs?: number } = {},
): Promise<ReferenceEdf> {
  const record = JSON.parse(readFileSync(jsonPath, 'utf8')) as ReferenceRecord;
  const site = options.site === undefined ? undefined : record.sites?.[options.site];
  const fileName = site?.file ?? record.file;
  if (fileName === undefined) throw new Error(`${jsonPath} has no samples of ${options.site ?? 'an ECG'}.`);
  const bytes = new Uint8Array(gunzipSync(readFileSync(join(dirname(jsonPath), fileName))));
  const interleaved = new Int16Array(bytes.buffer);
  const axes = site ? 3 : 1;
  const startMs = options.startMs ?? DEFAULT_START_MS;
  const segments = placeSegments(record, interleaved.length / axes, startMs);
  const perRecord = samplesPerRecord(record.fs, segments);
  const recordCounts = segments.map(({ start, stop }) => Math.ceil((stop - start) / perRecord));
  const signals = site ? accelerationSignals(perRecord) : [ecgSignal(record, perRecord)];
  const writer = await EdfFileWriter.create(outPath, {
    bytesPerSample: 2,
    isDiscontinuous: segments.length > 1,
    startSecondMs: startMs,
    patient: 'X X X X',
    recording: 'X X X',
    recordCount: recordCounts.reduce((sum, count) => sum + count, 0),
    recordDurationUs: (perRecord / record.fs) * 1e6,
    signals,
    annotationBytes: 32,
  });
  const columns = signals.map(() => new Int32Array(perRecord));
  let padding = 0;
  for (const [s, { start, stop, startUs }] of segments.entries()) {
    for (let r = 0; r < recordCounts[s]!; r++) {
      for (let i = 0; i < perRecord; i++) {
        const sample = Math.min(start + r * perRecord + i, stop - 1);
        for (let d = 0; d < axes; d++) columns[d]![i] = interleaved[sample * axes + d]!;
      }
      const onsetUs = startUs - startMs * 1000 + (r * perRecord * 1e6) / record.fs;
      await writer.record(columns, annotationList({ onsetUs, durationUs: 0, text: '' }));
    }
    padding += recordCounts[s]! * perRecord - (stop - start);
  }
  await writer.finish();
  return { segments, padding };
}

function placeSegments(record: ReferenceRecord, samples: number, startMs: number): ReferenceEdf['segments'] {
  const given = record.segments ?? [{ start: 0, stop: samples }];
  const placed: ReferenceEdf['segments'] = [];
  for (const [index, { start, stop, t }] of given.entries()) {
    const seconds = t ?? start / record.fs + index * TRIAL_PAUSE_SECONDS;
    placed.push({ start, stop, startUs: Math.round(startMs * 1000 + seconds * 1e6) });
  }
  return placed;
}

/** About a second; with gaps, a divisor of every segment, so that no record inside the recording needs padding. */
function samplesPerRecord(rateHz: number, segments: ReferenceEdf['segments']): number {
  // A rate that is no whole number per second (130.161 Hz) has no exact record of a second: EDF stores eight characters.
  const second = Math.max(1, Math.round(rateHz));
  if (segments.length === 1) return second;
  let shared = 0;
  for (const { start, stop } of segments) {
    let [a, b] = [stop - start, shared];
    while (b > 0) [a, b] = [b, a % b];
    shared = a;
  }
  for (let count = Math.min(second, shared); count > 1; count--) if (shared % count === 0) return count;
  return 1;
}

function ecgSignal({ gainPerMv = 1, zero = 0 }: ReferenceRecord, perRecord: number): EdfSignal {
  return {
    label: 'ECG',
    transducer: '',
    unit: 'mV',
    physicalMinimum: (-INT16_MAXIMUM - zero) / gainPerMv,
    physicalMaximum: (INT16_MAXIMUM - zero) / gainPerMv,
    digitalMinimum: -INT16_MAXIMUM,
    digitalMaximum: INT16_MAXIMUM,
    prefilter: '',
    samplesPerRecord: perRecord,
  };
}

function accelerationSignals(perRecord: number): EdfSignal[] {
  return ['X', 'Y', 'Z'].map((axis) => ({
    label: `Accel ${axis}`,
    transducer: '',
    unit: 'g',
    physicalMinimum: -INT16_MAXIMUM / 1000,
    physicalMaximum: INT16_MAXIMUM / 1000,
    digitalMinimum: -INT16_MAXIMUM,
    digitalMaximum: INT16_MAXIMUM,
    prefilter: '',
    samplesPerRecord: perRecord,
  }));
}
