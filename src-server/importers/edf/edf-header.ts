/**
 * The header of EDF, EDF+, BDF and BDF+ files.
 * Kemp B et al., A simple format for exchange of digitized polygraphic recordings, 1992; Kemp B, Olivan J, European data
 * format 'plus', 2003. BDF: 24 bit samples, first byte 255 and "BIOSEMI".
 */
import { Temporal } from 'temporal-polyfill';
import { OutpostError } from '../../errors.ts';
import { damaged, unsupported } from '../refusals.ts';

export interface EdfSignalHeader {
  label: string;
  transducer: string;
  unit: string;
  physicalMinimum: number;
  physicalMaximum: number;
  digitalMinimum: number;
  digitalMaximum: number;
  prefilter: string;
  samplesPerRecord: number;
  isAnnotations: boolean;
  /** Byte offset of its samples inside a data record. */
  recordOffset: number;
}

export interface EdfHeader {
  /** `EDF`, `EDF+C`, `EDF+D`, `BDF`, `BDF+C`, `BDF+D`. */
  format: string;
  bytesPerSample: 2 | 3;
  isDiscontinuous: boolean;
  isPlus: boolean;
  patient: string;
  recording: string;
  /** Wall clock of the header, to the second; null when it names no date. */
  start: Temporal.PlainDateTime | null;
  headerBytes: number;
  /** Whole records in the file, at most those that the header promises. */
  recordCount: number;
  /** Records that the header promises and the file does not have. */
  missingRecords: number;
  recordBytes: number;
  recordDurationUs: number;
  signals: EdfSignalHeader[];
}

const FIXED_BYTES = 256;
const MAX_SIGNALS = 4096;
/** The specifications recommend 61,440 bytes per record; some writers put minutes into one. */
const MAX_RECORD_BYTES = 64 << 20;
const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

export function isEdf(head: Buffer): boolean {
  return head.length >= 8 && head.toString('latin1', 0, 8) === '0       ';
}

export function isBdf(head: Buffer): boolean {
  return head.length >= 8 && head[0] === 255 && head.toString('latin1', 1, 8) === 'BIOSEMI';
}

/** Bytes of the whole header according to its 256 fixed bytes; rejects implausible numbers. */
export function edfHeaderBytes(fixed: Buffer, path: string): number {
  if (fixed.length < FIXED_BYTES) throw damaged(path, 'it ends inside its header.');
  const signals = readNumber(fixed, 252, 4, 'number of signals', path, true);
  if (signals < 1 || signals > MAX_SIGNALS) throw damaged(path, `its header names ${signals} signals.`);
  const bytes = readNumber(fixed, 184, 8, 'header size', path, true);
  if (bytes !== FIXED_BYTES * (signals + 1)) {
    throw damaged(path, `its header says ${bytes} bytes where ${signals} signals need ${FIXED_BYTES * (signals + 1)}.`);
  }
  return bytes;
}

/** UTF-8 where it is valid, as newer writers put names; else Latin-1. */
function text(bytes: Buffer, offset: number, length: number): string {
  const part = bytes.subarray(offset, offset + length);
  const decoded = part.toString('utf8');
  return (decoded.includes('�') ? part.toString('latin1') : decoded).replaceAll('\0', ' ').trim();
}

function readNumber(
  bytes: Buffer,
  offset: number,
  length: number,
  what: string,
  path: string,
  isInteger: boolean,
): number {
  const written = text(bytes, offset, length).replace(',', '.');
  const value = Number(written);
  if (written === '' || !Number.isFinite(value) || (isInteger && !Number.isInteger(value))) {
    throw damaged(path, `its ${what} reads "${written.slice(0, 20)}", which is not a number.`);
  }
  return value;
}

/** Reads the whole header and checks it against the size of the file. */
export function parseEdfHeader(bytes: Buffer, fileBytes: number, path: string): EdfHeader {
  const headerBytes = edfHeaderBytes(bytes, path);
  if (bytes.length < headerBytes) throw damaged(path, 'it ends inside its header.');
  const family = isBdf(bytes) ? 'BDF' : 'EDF';
  const bytesPerSample = family === 'BDF' ? 3 : 2;
  const reserved = text(bytes, 192, 44);
  const isPlus = /^(EDF|BDF)\+[CD]/.test(reserved);
  const isDiscontinuous = isPlus && reserved[4] === 'D';
  const signals = parseSignals(bytes, headerBytes / FIXED_BYTES - 1, bytesPerSample, path);
  const recordBytes = signals.reduce((sum, signal) => sum + signal.samplesPerRecord * bytesPerSample, 0);
  if (recordBytes === 0) throw damaged(path, 'its data records are empty.');
  if (recordBytes > MAX_RECORD_BYTES) {
    throw unsupported(path, `one data record has ${recordBytes} bytes; up to ${MAX_RECORD_BYTES} are taken.`);
  }
  const duration = readNumber(bytes, 244, 8, 'duration of a data record', path, false);
  const hasSamples = signals.some((signal) => !signal.isAnnotations);
  if (duration < 0 || (duration === 0 && hasSamples)) throw damaged(path, `its data records last ${duration} seconds.`);
  const fastest = Math.max(0, ...signals.filter((s) => !s.isAnnotations).map((s) => s.samplesPerRecord));
  if (duration > 0 && fastest / duration > 1e6) {
    throw damaged(path, `it claims ${fastest / duration} samples per second, which no sensor has.`);
  }
  return {
    format: isPlus ? `${family}+${isDiscontinuous ? 'D' : 'C'}` : family,
    bytesPerSample,
    isDiscontinuous,
    isPlus,
    patient: text(bytes, 8, 80),
    recording: text(bytes, 88, 80),
    start: parseStart(bytes, path),
    headerBytes,
    ...recordCountOf(bytes, fileBytes - headerBytes, recordBytes, path),
    recordBytes,
    recordDurationUs: duration * 1e6,
    signals,
  };
}

/** A file that was cut off is read as far as it goes. */
function recordCountOf(
  bytes: Buffer,
  dataBytes: number,
  recordBytes: number,
  path: string,
): { recordCount: number; missingRecords: number } {
  const declared = readNumber(bytes, 236, 8, 'number of data records', path, true);
  const whole = Math.floor(dataBytes / recordBytes);
  if (declared === 0 || (declared < 0 && whole === 0)) {
    throw new OutpostError('FILE_EMPTY', `${path.split('/').at(-1)} holds no data records. Nothing was imported.`);
  }
  if (whole === 0) {
    throw damaged(path, `it was cut off: its header promises ${declared} data records, and none of them is whole.`);
  }
  if (declared < 0) return { recordCount: whole, missingRecords: 0 };
  return { recordCount: Math.min(declared, whole), missingRecords: Math.max(0, declared - whole) };
}

function parseSignals(bytes: Buffer, count: number, bytesPerSample: number, path: string): EdfSignalHeader[] {
  const signals: EdfSignalHeader[] = [];
  let recordOffset = 0;
  const field = (start: number, width: number, index: number): [number, number] => [
    FIXED_BYTES + start * count + width * index,
    width,
  ];
  for (let i = 0; i < count; i++) {
    const label = text(bytes, ...field(0, 16, i));
    const where = `of signal ${i + 1} (${label})`;
    const numberAt = (start: number, what: string, isInteger: boolean): number =>
      readNumber(bytes, ...field(start, 8, i), `${what} ${where}`, path, isInteger);
    const isAnnotations = label === 'EDF Annotations' || label === 'BDF Annotations';
    const samplesPerRecord = numberAt(216, 'number of samples', true);
    if (samplesPerRecord < 0) throw damaged(path, `its number of samples ${where} is negative.`);
    signals.push({
      label,
      transducer: text(bytes, ...field(16, 80, i)),
      unit: text(bytes, ...field(96, 8, i)),
      physicalMinimum: isAnnotations ? -1 : numberAt(104, 'physical minimum', false),
      physicalMaximum: isAnnotations ? 1 : numberAt(112, 'physical maximum', false),
      digitalMinimum: isAnnotations ? -1 : numberAt(120, 'digital minimum', true),
      digitalMaximum: isAnnotations ? 1 : numberAt(128, 'digital maximum', true),
      prefilter: text(bytes, ...field(136, 80, i)),
      samplesPerRecord,
      isAnnotations,
      recordOffset,
    });
    recordOffset += samplesPerRecord * bytesPerSample;
  }
  return signals;
}

/** `dd.mm.yy` and `hh.mm.ss`; the year is full in EDF+'s "Startdate dd-MMM-yyyy", else 1985 to 2084 by its two digits. */
function parseStart(bytes: Buffer, path: string): Temporal.PlainDateTime | null {
  const date = /^(\d\d)[.\-/](\d\d)[.\-/](\d\d)$/.exec(text(bytes, 168, 8));
  const time = /^(\d\d)[.:](\d\d)[.:](\d\d)$/.exec(text(bytes, 176, 8));
  if (!date || !time) {
    throw damaged(path, `its start reads "${text(bytes, 168, 16)}", which is not a date and a time.`);
  }
  const twoDigits = Number(date[3]);
  let year = twoDigits >= 85 ? 1900 + twoDigits : 2000 + twoDigits;
  const full = /Startdate \d\d-([A-Z]{3})-(\d{4})/i.exec(text(bytes, 88, 80));
  if (full && MONTHS.indexOf(full[1]!.toUpperCase()) === Number(date[2]) - 1 && Number(full[2]) % 100 === twoDigits) {
    year = Number(full[2]);
  }
  try {
    return Temporal.PlainDateTime.from(
      {
        year,
        month: Number(date[2]),
        day: Number(date[1]),
        hour: Number(time[1]),
        minute: Number(time[2]),
        second: Number(time[3]),
      },
      { overflow: 'reject' },
    );
  } catch {
    return null;
  }
}

/** Code, sex, date of birth and name, as EDF+ writes them. */
const PATIENT = /^(\S+) [MFX] (?:X|\d\d-[A-Z]{3}-\d{4})(?: |$)/i;

/**
 * The patient's code of an EDF+ header. Undefined for an unknown one, and for a field of another form, which may hold a name. Nothing else of
 * the field is taken.
 */
export function patientCode(patient: string): string | undefined {
  const code = PATIENT.exec(patient)?.[1];
  return code === undefined || /^x$/i.test(code) ? undefined : code.replaceAll('_', ' ').slice(0, 80);
}
