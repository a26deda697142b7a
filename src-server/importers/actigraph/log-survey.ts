/** First reading of a log: which records it has, its rate, scale and offset from UTC, and how far it can be read. */
import type { MemberFault, SalvagedMember } from '../../files/zip-salvage.ts';
import { throwIfAborted } from '../refusals.ts';
import { ForeignSurvey } from './foreign-channels.ts';
import { offsetMinutes } from './info-text.ts';
import { isActivity, type LogRecord, LogRecordReader, RECORD } from './log-records.ts';
import { PARAMETER, type ParameterId, readParameters, sspFloat } from './parameters.ts';
import { samplesIn } from './samples.ts';

export interface LogSurvey {
  /** Of the first samples; null when there are none. */
  firstSecond: number | null;
  /** Of most seconds. */
  samplesPerSecond: number;
  isPacked: boolean;
  logsIdleSleep: boolean;
  /** By the parameters and the metadata. */
  sampleRateHz?: number;
  countsPerG?: number;
  utcOffsetMinutes?: number;
  parameters: Map<ParameterId, number>;
  foreign: ForeignSurvey;
  fault: MemberFault | null;
  damagedBytes: number;
  logBytes: number;
}

export async function surveyLog(
  log: SalvagedMember,
  isPlausible: (type: number, second: number) => boolean,
  signal: AbortSignal | undefined,
): Promise<LogSurvey> {
  const reader = new LogRecordReader(isPlausible);
  const sizes = new Map<number, number>();
  const survey: LogSurvey = {
    firstSecond: null,
    samplesPerSecond: 0,
    isPacked: false,
    logsIdleSleep: false,
    parameters: new Map(),
    foreign: new ForeignSurvey(),
    fault: null,
    damagedBytes: 0,
    logBytes: 0,
  };
  const take = (record: LogRecord): void => {
    const { type, bytes, start, size } = record;
    if (isActivity(type)) {
      const count = samplesIn(type, size);
      if (count === 0) return;
      survey.firstSecond ??= record.second;
      survey.isPacked ||= type !== RECORD.ACTIVITY_WIDE;
      sizes.set(count, (sizes.get(count) ?? 0) + 1);
    } else if (type === RECORD.PARAMETERS) {
      for (const [id, value] of readParameters(bytes, start, size)) survey.parameters.set(id, value);
    } else if (type === RECORD.METADATA) survey.utcOffsetMinutes ??= offsetOfMetadata(bytes, start, size);
    else if (type === RECORD.EVENT) survey.logsIdleSleep ||= size > 0 && (bytes[start] === 8 || bytes[start] === 9);
    else survey.foreign.take(record);
  };
  for await (const chunk of log.open((fault) => {
    survey.fault = fault;
  })) {
    throwIfAborted(signal);
    survey.logBytes += chunk.byteLength;
    for (const record of reader.push(chunk)) take(record);
  }
  for (const record of reader.end()) take(record);
  survey.damagedBytes = reader.damagedBytes;
  survey.samplesPerSecond = [...sizes].reduce((best, size) => (size[1] > best[1] ? size : best), [0, 0])[0]!;
  const scale = survey.parameters.get(PARAMETER.ACCELERATION_SCALE);
  const countsPerG = scale === undefined ? 0 : sspFloat(scale);
  if (countsPerG > 0) survey.countsPerG = countsPerG;
  const rate = survey.parameters.get(PARAMETER.SAMPLE_RATE);
  if (rate) survey.sampleRateHz = rate;
  return survey;
}

function offsetOfMetadata(bytes: Uint8Array, start: number, size: number): number | undefined {
  const text = Buffer.from(bytes.subarray(start, start + size)).toString('utf8');
  return offsetMinutes(/"UtcOffset"\s*:\s*"([^"]+)"/.exec(text)?.[1]);
}
