/**
 * Records of an ActiGraph log (`log.bin`): 0x1E, type, seconds u32, size u16, payload, checksum, all little endian.
 *
 * The checksum has 8 bits, so one in 256 random places passes it. While a damaged stretch is searched for the next record, a
 * record must therefore also have a plausible type and size and end where another begins.
 */

export const RECORD = {
  /** 12-bit samples y, x, z. */
  ACTIVITY: 0x00,
  BATTERY: 0x02,
  EVENT: 0x03,
  HEART_RATE: 0x04,
  LUX: 0x05,
  METADATA: 0x06,
  WEAR: 0x0d,
  HEART_RATE_BLE: 0x0e,
  PARAMETERS: 0x15,
  SENSOR_SCHEMA: 0x18,
  SENSOR_DATA: 0x19,
  /** 16-bit samples x, y, z. */
  ACTIVITY_WIDE: 0x1a,
  /** 12-bit samples x, y, z. */
  ACTIVITY_XYZ: 0x1b,
  LONG_PRESS: 0x1c,
  BUTTON: 0x1d,
  TEMPERATURE: 0x1e,
} as const;

export const isActivity = (type: number): boolean =>
  type === RECORD.ACTIVITY || type === RECORD.ACTIVITY_WIDE || type === RECORD.ACTIVITY_XYZ;

const SEPARATOR = 0x1e;
const HEAD_BYTES = 8;
const FRAME_BYTES = 9;
/** A second of 256 Hz has 1,536 bytes; metadata a few hundred. */
const MAX_SEARCHED_BYTES = 8192;
const MAX_SEARCHED_TYPE = 0x3f;

/** Valid until the next record is asked for. */
export interface LogRecord {
  type: number;
  /** Wall clock of the device, in seconds since 1970. */
  second: number;
  bytes: Uint8Array;
  /** Place of the payload in `bytes`. */
  start: number;
  size: number;
  /** Damaged bytes lie between this record and the one before. */
  isAfterDamage: boolean;
}

export class LogRecordReader {
  readonly #isPlausible: (type: number, second: number) => boolean;
  #bytes: Uint8Array = new Uint8Array(0);
  #isInStep = true;
  #isAfterDamage = false;
  readonly #usualSize = new Int32Array(256).fill(-1);
  readonly #record: LogRecord = {
    type: 0,
    second: 0,
    bytes: this.#bytes,
    start: 0,
    size: 0,
    isAfterDamage: false,
  };
  damagedStretches = 0;
  damagedBytes = 0;

  constructor(isPlausible: (type: number, second: number) => boolean) {
    this.#isPlausible = isPlausible;
  }

  *push(chunk: Uint8Array): Generator<LogRecord> {
    if (this.#bytes.byteLength > 0) {
      const joined = new Uint8Array(this.#bytes.byteLength + chunk.byteLength);
      joined.set(this.#bytes);
      joined.set(chunk, this.#bytes.byteLength);
      this.#bytes = joined;
    } else this.#bytes = chunk;
    yield* this.#records(false);
  }

  /** The last records; what is left after them is a broken-off one. */
  *end(): Generator<LogRecord> {
    yield* this.#records(true);
  }

  *#records(isEnd: boolean): Generator<LogRecord> {
    const bytes = this.#bytes;
    const stop = bytes.byteLength;
    let position = 0;
    while (position < stop) {
      if (bytes[position] !== SEPARATOR) {
        // Some firmware leaves zeros between whole records.
        if (this.#isInStep && bytes[position] === 0) position++;
        else position = this.#skip(position);
        continue;
      }
      const left = stop - position;
      if (left < HEAD_BYTES && !isEnd) break;
      const size = left < HEAD_BYTES ? stop : bytes[position + 6]! | (bytes[position + 7]! << 8);
      if (!this.#isInStep && (bytes[position + 1]! > MAX_SEARCHED_TYPE || size > MAX_SEARCHED_BYTES)) {
        position = this.#skip(position);
        continue;
      }
      const next = position + FRAME_BYTES + size;
      // One byte more than the record, which tells whether another begins there.
      if (next >= stop && !isEnd) break;
      if (!this.#isWhole(position, size, next, stop)) {
        position = this.#skip(position);
        continue;
      }
      this.#isInStep = true;
      const record = this.#record;
      record.type = bytes[position + 1]!;
      record.second = secondAt(bytes, position);
      record.bytes = bytes;
      record.start = position + HEAD_BYTES;
      record.size = size;
      record.isAfterDamage = this.#isAfterDamage;
      this.#isAfterDamage = false;
      this.#usualSize[record.type] = size;
      position = next;
      yield record;
    }
    this.#bytes = bytes.slice(position);
  }

  #skip(position: number): number {
    if (this.#isInStep) this.damagedStretches++;
    this.#isInStep = false;
    this.#isAfterDamage = true;
    this.damagedBytes++;
    return position + 1;
  }

  #isWhole(position: number, size: number, next: number, stop: number): boolean {
    if (next > stop) return false;
    const bytes = this.#bytes;
    let sum = 0xff;
    for (let i = position; i < next; i++) sum ^= bytes[i]!;
    if (sum !== 0) return false;
    const type = bytes[position + 1]!;
    if (!this.#isPlausible(type, secondAt(bytes, position))) return false;
    const follower = next < stop ? bytes[next]! : SEPARATOR;
    if (follower === SEPARATOR || follower === 0) return true;
    return this.#isInStep && size === this.#usualSize[type];
  }
}

const secondAt = (bytes: Uint8Array, position: number): number =>
  (bytes[position + 2]! | (bytes[position + 3]! << 8) | (bytes[position + 4]! << 16) | (bytes[position + 5]! << 24)) >>>
  0;
