/** The log of records: a first reading finds its channels, its rate and its scale; a second one makes the pages. */
import { basename } from 'node:path';
import type { SalvagedMember } from '../../files/zip-salvage.ts';
import type { SampleArray, SignalChannel, SignalPage } from '../../signals/types.ts';
import { makeHeader } from '../recording-header.ts';
import { damaged, throwIfAborted, unsupported } from '../refusals.ts';
import type { ImportedRecording, ImportSource } from '../types.ts';
import { AccelerationPages } from './acceleration-pages.ts';
import {
  type AccelCalibration,
  CALIBRATED_STEP_G,
  calibrate,
  parseCalibration,
  parseTemperatureCalibration,
} from './calibration.ts';
import { type ActigraphFile, accelerationChannel, clockOf, deviceOf, noSamples, usualCountsPerG } from './facts.ts';
import { ForeignChannels } from './foreign-channels.ts';
import type { ActigraphInfo } from './info-text.ts';
import { isActivity, LogRecordReader, RECORD } from './log-records.ts';
import { type LogSurvey, surveyLog } from './log-survey.ts';

const DAY_SECONDS = 86_400;
/** 2100-01-01. */
const LATEST_SECOND = 4_102_444_800;
const ROTATED = { family: 'MOS', firmware: '1.6.0' };
const IDLE_BEGINS = 8;
const IDLE_ENDS = 9;
const UNEXPECTED_RESET = 1;

export async function readLogLayout(file: ActigraphFile, log: SalvagedMember): Promise<Omit<ImportSource, 'close'>> {
  const { path, options, notes, sha256 } = file;
  const isPlausible = plausibleSeconds(file.info);
  const survey = await surveyLog(log, isPlausible, options.signal);
  if (survey.firstSecond === null) {
    if (survey.damagedBytes > 0 || survey.fault !== null) throw damaged(path, 'no record of its log is whole.');
    throw noSamples(path);
  }
  const info = withFactsOfLog(file, survey);
  const rate = sampleRate(info, survey, file);
  const { toUs, clock } = clockOf(file, info.utcOffsetMinutes, survey.firstSecond);
  const accel = await accelerationOf(file, info, rate, survey);
  const temperature = (await file.small('temperature.json')) ?? (await file.small('temperature_calibration.json'));
  const foreign = new ForeignChannels(
    survey.foreign.seen,
    {
      schemas: [...survey.foreign.schemas.values()],
      parameters: survey.parameters,
      temperature: temperature && parseTemperatureCalibration(temperature),
      thermometers: survey.foreign.thermometers,
      hasBeats: survey.foreign.hasBeats,
    },
    1,
    toUs,
  );
  if (survey.foreign.unreadableSchemas > 0) {
    notes.push('Sensors whose columns are described in an unknown way were left out.');
  }
  const acceleration = new AccelerationPages({
    rate,
    finish: accel.finish,
    toUs,
    logsIdleSleep: survey.logsIdleSleep,
  });
  let doneBytes = 0;

  async function* pages(): AsyncGenerator<SignalPage> {
    const reader = new LogRecordReader(isPlausible);
    function* pagesOf(records: ReturnType<LogRecordReader['push']>): Generator<SignalPage> {
      for (const record of records) {
        const { type, bytes, start, size } = record;
        if (record.isAfterDamage) acceleration.saw('BAD_CHECKSUM');
        if (isActivity(type)) {
          // A payload of one byte says that the device was connected to a computer.
          if (size <= 1) acceleration.saw('DOCKED');
          else yield* acceleration.push(record);
        } else if (type === RECORD.EVENT) {
          const event = size > 0 ? bytes[start] : undefined;
          if (event === IDLE_BEGINS || event === IDLE_ENDS) acceleration.saw('IDLE_SLEEP');
          else if (event === UNEXPECTED_RESET) acceleration.saw('SENSOR_RESTART');
        } else if (type === RECORD.BUTTON || type === RECORD.LONG_PRESS) {
          acceleration.marks.push({ channel: 0, timeUs: toUs(record.second), reason: 'BUTTON' });
        } else yield* foreign.push(record);
      }
    }
    for await (const chunk of log.open()) {
      throwIfAborted(options.signal);
      yield* pagesOf(reader.push(chunk));
      doneBytes += chunk.byteLength;
    }
    const before = reader.damagedBytes;
    yield* pagesOf(reader.end());
    if (reader.damagedBytes > before) acceleration.saw('BAD_CHECKSUM');
    yield* acceleration.end();
    yield* foreign.end();
    notes.push(...damageNotes(reader, acceleration, survey));
  }

  const recording: ImportedRecording = {
    header: makeHeader(
      {
        channels: [accel.channel, ...foreign.channels],
        source: { format: formatOf(file), fileName: basename(path), sha256 },
        location: info.limb || undefined,
        side: info.side || undefined,
        device: deviceOf(info),
      },
      options,
    ),
    pages,
    labels: [],
    marks: acceleration.marks,
    notes,
    progress: () => ({ doneBytes, totalBytes: log.sizeBytes ?? survey.logBytes }),
  };
  return { format: formatOf(file), clock, recordings: [recording], labels: [] };
}

const formatOf = ({ member }: ActigraphFile): string =>
  member('calibration.json') ? 'ActiGraph AGDC' : 'ActiGraph GT3X';

/** Samples lie between the start and the download; a day of tolerance for two clocks. Other records may be older. */
function plausibleSeconds({ startSecond, lastSecond }: ActigraphInfo): (type: number, second: number) => boolean {
  const earliest = startSecond === undefined ? 0 : startSecond - DAY_SECONDS;
  const latest = lastSecond === undefined || lastSecond < earliest ? LATEST_SECOND : lastSecond + DAY_SECONDS;
  return (type, second) => second < LATEST_SECOND && (!isActivity(type) || (second >= earliest && second <= latest));
}

/** Facts that `info.txt` does not give, from the log's own records. */
function withFactsOfLog({ info, hasInfo }: ActigraphFile, survey: LogSurvey): ActigraphInfo {
  return {
    ...info,
    sampleRateHz: info.sampleRateHz ?? survey.sampleRateHz,
    countsPerG: info.countsPerG ?? survey.countsPerG,
    utcOffsetMinutes: info.utcOffsetMinutes ?? (hasInfo ? undefined : survey.utcOffsetMinutes),
  };
}

/** The samples that most seconds have; the stated rate is that of the setting. */
function sampleRate(info: ActigraphInfo, survey: LogSurvey, { notes }: ActigraphFile): number {
  const counted = survey.samplesPerSecond;
  if (info.sampleRateHz !== undefined && info.sampleRateHz !== counted) {
    notes.push(`The file states ${info.sampleRateHz} Hz, but its seconds hold ${counted} samples, which were taken.`);
  }
  return counted;
}

interface Acceleration {
  channel: SignalChannel;
  finish: (columns: [Int16Array, Int16Array, Int16Array]) => SampleArray[];
}

async function accelerationOf(
  file: ActigraphFile,
  info: ActigraphInfo,
  rate: number,
  survey: LogSurvey,
): Promise<Acceleration> {
  const { path, notes } = file;
  const calibrationBytes = await file.small('calibration.json');
  const calibration = calibrationBytes && parseCalibration(calibrationBytes, info.sampleRateHz ?? rate);
  if (file.member('calibration.json') && calibration === null) {
    throw unsupported(path, 'its calibration cannot be read, so its counts cannot be turned into g.');
  }
  if (calibration && calibration !== 'CALIBRATED') return calibratedAcceleration(rate, calibration, notes);
  const countsPerG = info.countsPerG ?? usualCountsPerG(info.serial);
  if (countsPerG === undefined || countsPerG <= 1) {
    throw unsupported(
      path,
      'it does not state the scale of its acceleration, and its serial number is of no known family.',
    );
  }
  if (info.countsPerG === undefined) {
    notes.push(`The file states no scale; ${countsPerG} counts per g are usual for ${info.serial}.`);
  }
  const isRotated = info.serial?.startsWith(ROTATED.family) === true && info.firmware === ROTATED.firmware;
  if (isRotated && survey.isPacked) {
    notes.push(
      'Firmware 1.6.0 of this device turns the axes by 90 degrees; x and y were turned back as ActiGraph documents.',
    );
  }
  return {
    channel: accelerationChannel(rate, countsPerG),
    finish: isRotated ? turnedBack : (columns) => columns,
  };
}

function calibratedAcceleration(rate: number, calibration: AccelCalibration, notes: string[]): Acceleration {
  const rows = calibration.matrix.map((row) => `[${row.map((value) => value.toPrecision(9)).join(', ')}]`).join(', ');
  notes.push(
    `The counts were calibrated by the file's own factors: offsets ${calibration.offsets.join(', ')}, then the matrix ${rows}.`,
  );
  const step = CALIBRATED_STEP_G;
  return {
    channel: {
      type: 'ACCEL',
      dimensions: ['x', 'y', 'z'],
      unit: 'g',
      nominalRateHz: rate,
      scale: [step, step, step],
      offset: [0, 0, 0],
      sampleBits: 32,
    },
    finish: (columns) => calibrate(columns, calibration),
  };
}

function turnedBack([x, y, z]: [Int16Array, Int16Array, Int16Array]): SampleArray[] {
  return [y, x.map((value) => -value), z];
}

function damageNotes(reader: LogRecordReader, acceleration: AccelerationPages, survey: LogSurvey): string[] {
  const notes: string[] = [];
  if (reader.damagedStretches > 0) {
    notes.push(
      `${reader.damagedStretches} damaged places of the log (${reader.damagedBytes} bytes) were left out; ${acceleration.damagedSeconds} seconds of acceleration are missing there.`,
    );
  }
  // The member's CRC-32 shows that something is wrong, and nothing in a record shows where: XOR of a byte passes one damaged record in 256.
  if (survey.fault === 'BROKEN' && reader.damagedStretches === 0) {
    notes.push(
      'log.bin does not match its checksum, though each of its records does: some values are wrong, or what lies between records is.',
    );
  } else if (survey.fault === 'BROKEN') {
    notes.push(
      'log.bin does not match its checksum; records whose own checksum is right were taken. It has 8 bits, so about 1 in 256 damaged records passes it.',
    );
  } else if (survey.fault === 'CUT') notes.push('log.bin was cut off; the whole records were taken.');
  if (acceleration.repeatedSeconds > 0) {
    notes.push(`${acceleration.repeatedSeconds} seconds that were there already, or go back in time, were left out.`);
  }
  if (acceleration.strayedSeconds > 0) {
    notes.push(`${acceleration.strayedSeconds} seconds whose time is ahead of those after them were left out.`);
  }
  if (acceleration.unevenSeconds > 0) {
    notes.push(`${acceleration.unevenSeconds} seconds hold more or fewer samples than the others.`);
  }
  return notes;
}
