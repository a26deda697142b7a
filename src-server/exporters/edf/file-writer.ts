/**
 * Low-level writer of EDF, EDF+ and BDF+ files (Kemp B, Olivan J, European data format 'plus', 2003). Callers decide on the
 * contents of header and data records.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { Temporal } from 'temporal-polyfill';
import { OutpostError } from '../../errors.ts';

export interface EdfSignal {
  label: string;
  transducer: string;
  unit: string;
  physicalMinimum: number;
  physicalMaximum: number;
  digitalMinimum: number;
  digitalMaximum: number;
  prefilter: string;
  samplesPerRecord: number;
}

export interface EdfAnnotation {
  /** Relative to the start in the header, which is a whole second. */
  onsetUs: number;
  durationUs: number;
  text: string;
}

export interface EdfDescription {
  /** Bytes per sample: 2 (EDF) or 3 (BDF). */
  bytesPerSample: 2 | 3;
  isDiscontinuous: boolean;
  /** Whole second; its fraction is in the onset of the first record. */
  startSecondMs: number;
  /** Offset from UTC of the header's clock. Default 0. */
  utcOffsetMinutes?: number;
  patient: string;
  /** Text after `Startdate dd-MMM-yyyy` in the recording field. */
  recording: string;
  recordCount: number;
  recordDurationUs: number;
  signals: EdfSignal[];
  /** Bytes of annotations per record; a multiple of `bytesPerSample`. */
  annotationBytes: number;
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const FLUSH_BYTES = 1 << 20;

/** Seconds of EDF+ texts: six decimals at most, no trailing zeros. */
function secondsText(us: number): string {
  const rounded = Math.round(us);
  const whole = Math.floor(rounded / 1e6);
  const rest = `${rounded - whole * 1e6}`.padStart(6, '0').replace(/0+$/, '');
  return rest === '' ? `${whole}` : `${whole}.${rest}`;
}

/** One time-stamped annotation list; with an empty text it marks the start of its record. */
export function annotationList({ onsetUs, durationUs, text }: EdfAnnotation): Buffer {
  const onset = onsetUs < 0 ? `-${secondsText(-onsetUs)}` : `+${secondsText(onsetUs)}`;
  const duration = durationUs > 0 ? `\x15${secondsText(durationUs)}` : '';
  return Buffer.from(`${onset}${duration}\x14${text.replaceAll(/\p{Cc}/gu, ' ')}\x14\0`);
}

/** The nearest number of at most eight characters, rounded away from zero when it bounds a range. */
function eightCharacters(value: number): string {
  for (let digits = 8; digits > 0; digits--) {
    const plain = `${Number(value.toPrecision(digits))}`;
    if (plain.length <= 8 && !plain.includes('e')) return plain;
  }
  for (let digits = 6; digits > 0; digits--) {
    const text = value
      .toExponential(digits - 1)
      .replace('e+', 'E')
      .replace('e', 'E');
    if (text.length <= 8) return text;
  }
  return '0';
}

function field(text: string, width: number): string {
  const ascii = text.normalize('NFKD').replaceAll(/[^\x20-\x7e]/g, '?');
  return ascii.slice(0, width).padEnd(width);
}

/** Returns the bytes of the header. @throws INVALID_INPUT when a value does not fit its field */
export function encodeEdfHeader(description: EdfDescription): Buffer {
  const { bytesPerSample, signals, recordCount } = description;
  const localMs = description.startSecondMs + (description.utcOffsetMinutes ?? 0) * 60_000;
  const start = Temporal.Instant.fromEpochMilliseconds(localMs).toZonedDateTimeISO('UTC');
  const two = (value: number): string => `${value}`.padStart(2, '0').slice(-2);
  const duration = secondsText(description.recordDurationUs);
  if (duration.length > 8 || `${recordCount}`.length > 8) {
    throw new OutpostError('INVALID_INPUT', 'The recording is too long for the fields of an EDF header.');
  }
  if (start.year < 1985 || start.year > 2084) {
    throw new OutpostError('INVALID_INPUT', `EDF dates range from 1985 to 2084; the recording is from ${start.year}.`);
  }
  const family = bytesPerSample === 3 ? 'BDF' : 'EDF';
  const all: EdfSignal[] = [
    ...signals,
    {
      label: `${family} Annotations`,
      transducer: '',
      unit: '',
      physicalMinimum: -1,
      physicalMaximum: 1,
      digitalMinimum: bytesPerSample === 3 ? -8_388_608 : -32_768,
      digitalMaximum: bytesPerSample === 3 ? 8_388_607 : 32_767,
      prefilter: '',
      samplesPerRecord: description.annotationBytes / bytesPerSample,
    },
  ];
  const version = bytesPerSample === 3 ? Buffer.from('\xffBIOSEMI', 'latin1') : Buffer.from(field('0', 8));
  const startDate = `Startdate ${two(start.day)}-${MONTHS[start.month - 1]}-${start.year}`;
  const fixed = [
    field(description.patient, 80),
    field(`${startDate} ${description.recording}`, 80),
    `${two(start.day)}.${two(start.month)}.${two(start.year)}`,
    `${two(start.hour)}.${two(start.minute)}.${two(start.second)}`,
    field(`${256 * (all.length + 1)}`, 8),
    field(`${family}+${description.isDiscontinuous ? 'D' : 'C'}`, 44),
    field(`${recordCount}`, 8),
    field(duration, 8),
    field(`${all.length}`, 4),
  ];
  const columns: [number, (signal: EdfSignal) => string][] = [
    [16, ({ label }) => label],
    [80, ({ transducer }) => transducer],
    [8, ({ unit }) => unit],
    [8, ({ physicalMinimum }) => eightCharacters(physicalMinimum)],
    [8, ({ physicalMaximum }) => eightCharacters(physicalMaximum)],
    [8, ({ digitalMinimum }) => `${digitalMinimum}`],
    [8, ({ digitalMaximum }) => `${digitalMaximum}`],
    [80, ({ prefilter }) => prefilter],
    [8, ({ samplesPerRecord }) => `${samplesPerRecord}`],
    [32, () => ''],
  ];
  const perSignal = columns.map(([width, text]) => all.map((signal) => field(text(signal), width)).join(''));
  return Buffer.concat([version, Buffer.from([...fixed, ...perSignal].join(''), 'latin1')]);
}

/** Appends data records to a new file. */
export class EdfFileWriter {
  readonly #handle: FileHandle;
  readonly #description: EdfDescription;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #position = 0;
  #records = 0;

  private constructor(handle: FileHandle, description: EdfDescription) {
    this.#handle = handle;
    this.#description = description;
  }

  /** Creates the file, which must not exist, and writes its header. */
  static async create(path: string, description: EdfDescription): Promise<EdfFileWriter> {
    const header = encodeEdfHeader(description);
    const writer = new EdfFileWriter(await open(path, 'wx'), description);
    await writer.#push(header);
    return writer;
  }

  /** One record: samples of each signal (shorter arrays are filled with `fill`), then its annotation lists. */
  async record(samples: readonly Int32Array[], annotations: Buffer): Promise<void> {
    const { bytesPerSample, signals, annotationBytes } = this.#description;
    const sampleCount = signals.reduce((sum, { samplesPerRecord }) => sum + samplesPerRecord, 0);
    const bytes = Buffer.alloc(sampleCount * bytesPerSample + annotationBytes);
    let at = 0;
    for (let s = 0; s < signals.length; s++) {
      const column = samples[s]!;
      for (let i = 0; i < signals[s]!.samplesPerRecord; i++, at += bytesPerSample) {
        const value = column[i]!;
        bytes[at] = value;
        bytes[at + 1] = value >> 8;
        if (bytesPerSample === 3) bytes[at + 2] = value >> 16;
      }
    }
    if (annotations.length > annotationBytes)
      throw new OutpostError('INTERNAL', 'The annotations of a record exceed its space.');
    annotations.copy(bytes, at);
    this.#records++;
    await this.#push(bytes);
  }

  async #push(bytes: Buffer): Promise<void> {
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    if (this.#pendingBytes >= FLUSH_BYTES) await this.#flush();
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.concat(this.#pending);
    this.#pending = [];
    this.#pendingBytes = 0;
    let written = 0;
    while (written < bytes.length) {
      written += (await this.#handle.write(bytes, written, bytes.length - written, this.#position + written))
        .bytesWritten;
    }
    this.#position += bytes.length;
  }

  /** Flushes and closes the file. @throws INTERNAL when fewer records were written than the header announces */
  async finish(): Promise<{ sizeBytes: number }> {
    if (this.#records !== this.#description.recordCount) {
      throw new OutpostError(
        'INTERNAL',
        `${this.#records} of ${this.#description.recordCount} data records were written.`,
      );
    }
    await this.#flush();
    await this.#handle.sync();
    await this.#handle.close();
    return { sizeBytes: this.#position };
  }

  async abort(): Promise<void> {
    await this.#handle.close();
  }
}
