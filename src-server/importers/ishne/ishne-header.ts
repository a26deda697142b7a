/**
 * The header of ISHNE 1.0 files: Badilini F, The ISHNE Holter standard output file format, 1998. Name, birth date, sex and race of the
 * subject are not read.
 */
import { Temporal } from 'temporal-polyfill';
import { damaged } from '../refusals.ts';

export const FIXED_BYTES = 522;
const MAX_VARIABLE_BYTES = 1 << 20;
const MAX_LEADS = 12;
const MAX_RATE_HZ = 100_000;
const BYTES_PER_SAMPLE = 2;

export interface IshneLead {
  /** Name by the list of the standard; empty where the code says nothing of its place. */
  name: string;
  volts: number;
}

export interface IshneHeader {
  isChecksumRight: boolean;
  leads: IshneLead[];
  rateHz: number;
  /** Wall clock; null when the file names no date. */
  start: Temporal.PlainDateTime | null;
  dataOffset: number;
  declaredSamples: number;
  recorder: string;
  subjectId: string;
}

const LEAD_NAMES: Readonly<Record<number, string>> = {
  2: 'x',
  3: 'y',
  4: 'z',
  5: 'i',
  6: 'ii',
  7: 'iii',
  8: 'avr',
  9: 'avl',
  10: 'avf',
  11: 'v1',
  12: 'v2',
  13: 'v3',
  14: 'v4',
  15: 'v5',
  16: 'v6',
  17: 'es',
  18: 'as',
  19: 'ai',
};

/** Bytes of the fixed and the variable part; of the fixed one alone where the length cannot be right. */
export function ishneHeaderBytes(head: Buffer, path: string): number {
  if (head.length < FIXED_BYTES) throw damaged(path, 'it ends inside its header.');
  const variable = head.readInt32LE(10);
  return variable >= 0 && variable <= MAX_VARIABLE_BYTES ? FIXED_BYTES + variable : FIXED_BYTES;
}

/** @param bytes fixed and variable part */
export function parseIshneHeader(bytes: Buffer, fileBytes: number, path: string): IshneHeader {
  if (bytes.length < FIXED_BYTES) throw damaged(path, 'it ends inside its header.');
  const leadCount = bytes.readInt16LE(156);
  if (leadCount < 1 || leadCount > MAX_LEADS) throw damaged(path, `its header names ${leadCount} leads.`);
  const rateHz = bytes.readInt16LE(272);
  if (rateHz < 1 || rateHz > MAX_RATE_HZ) throw damaged(path, `its header says ${rateHz} samples per second.`);
  const leads = Array.from({ length: leadCount }, (_, i): IshneLead => {
    const nanovolts = bytes.readInt16LE(206 + 2 * i);
    if (nanovolts <= 0) throw damaged(path, `the resolution of its lead ${i + 1} is ${nanovolts} nV.`);
    return { name: LEAD_NAMES[bytes.readInt16LE(158 + 2 * i)] ?? '', volts: nanovolts * 1e-9 };
  });
  const stated = bytes.readInt32LE(22);
  const dataOffset = stated >= FIXED_BYTES && stated <= fileBytes ? stated : bytes.length;
  return {
    isChecksumRight: crcCcitt(bytes.subarray(10)) === bytes.readUInt16LE(8),
    leads,
    rateHz,
    start: startOf(bytes),
    dataOffset,
    declaredSamples: bytes.readInt32LE(14),
    recorder: text(bytes, 232, 40),
    subjectId: text(bytes, 108, 20),
  };
}

/** Polynomial 0x1021 from 0xFFFF on, most significant bit first. */
export function crcCcitt(bytes: Uint8Array): number {
  let crc = 0xffff;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff;
  }
  return crc;
}

/**
 * Samples per lead to be read, and how many the header promises beyond. Some writers state the total of all leads.
 *
 * @param dataBytes from the offset of the samples to the end of the file
 */
export function samplesPerLead(
  { declaredSamples, leads }: IshneHeader,
  dataBytes: number,
): { count: number; missing: number; beyond: number; isTotal: boolean } {
  const whole = Math.floor(dataBytes / (leads.length * BYTES_PER_SAMPLE));
  if (declaredSamples <= 0) return { count: whole, missing: 0, beyond: 0, isTotal: false };
  const isTotal = leads.length > 1 && Math.floor(declaredSamples / leads.length) === whole;
  if (isTotal) return { count: whole, missing: 0, beyond: 0, isTotal };
  const count = Math.min(declaredSamples, whole);
  return { count, missing: declaredSamples - count, beyond: whole - count, isTotal };
}

function text(bytes: Buffer, offset: number, length: number): string {
  const part = bytes.toString('latin1', offset, offset + length);
  const end = part.indexOf('\0');
  return (end < 0 ? part : part.slice(0, end)).trim();
}

/** Dates may be zeros or -9. */
function startOf(bytes: Buffer): Temporal.PlainDateTime | null {
  const at = (offset: number): number => bytes.readInt16LE(offset);
  const [day, month, year] = [at(138), at(140), at(142)];
  const [hour, minute, second] = [at(150), at(152), at(154)];
  if (year < 1980 || year > 2099) return null;
  try {
    return Temporal.PlainDateTime.from({ year, month, day, hour, minute, second }, { overflow: 'reject' });
  } catch {
    return null;
  }
}
