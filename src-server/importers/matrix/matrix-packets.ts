/**
 * Packets of the Parmay Matrix. Each has a checksum over everything behind it, so a packet is taken whole or not at all: without the
 * checksum nothing tells which of its numbers are right. The next packet is found by its mark.
 */
import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { damaged, throwIfAborted } from '../refusals.ts';
import { readFully } from '../source-bytes.ts';
import { REMARK_BYTES } from './matrix-head.ts';

const HEADER_BYTES = REMARK_BYTES + 12;
const PACKET_MARK = Buffer.from('MDTCPACK', 'latin1');
const PACKET_HEADER_BYTES = 36;
/** The checksum begins here. */
const CHECKED_FROM = 12;
/** An hour of all sensors at 100 Hz is 5 MB. */
const MAX_PACKET_BYTES = 64 << 20;
const SCAN_BYTES = 1 << 18;
const MAX_RATE_HZ = 4000;
const ACCEL_RANGES_G: readonly number[] = [2, 4, 8, 16, 32];

export interface MatrixHeader {
  packets: number;
  accelRangeG: number;
  gyroRangeDps: number;
}

export interface MatrixPacket {
  position: number;
  bytes: number;
  startSecond: number;
  endSecond: number;
  accel: number;
  gyro: number;
  temperature: number;
  heart: number;
  /** Bytes between the last good packet and this one hold damaged ones. */
  isAfterDamage: boolean;
}

export interface MatrixSurvey {
  packets: MatrixPacket[];
  /** Packets that begin and are not whole, or do not match their checksum. */
  damagedPackets: number;
  /** The last of them reaches beyond the end of the file. */
  isCut: boolean;
  endsDamaged: boolean;
}

/** @throws FILE_DAMAGED when the scale of the samples cannot be known */
export function readMatrixHeader(head: Buffer, path: string): MatrixHeader {
  if (head.length < HEADER_BYTES) throw damaged(path, 'it ends inside its header.');
  const accelRangeG = head.readUInt16LE(REMARK_BYTES + 8);
  if (!ACCEL_RANGES_G.includes(accelRangeG)) {
    throw damaged(path, `its header states a range of ${accelRangeG} g, which no such sensor has.`);
  }
  return {
    packets: head.readUInt32LE(REMARK_BYTES + 4),
    accelRangeG,
    gyroRangeDps: head.readUInt16LE(REMARK_BYTES + 10),
  };
}

/** First pass: finds the packets that are whole and match their checksums. */
export async function surveyPackets(
  file: FileHandle,
  fileBytes: number,
  signal: AbortSignal | undefined,
): Promise<MatrixSurvey> {
  const survey: MatrixSurvey = { packets: [], damagedPackets: 0, isCut: false, endsDamaged: false };
  let position = HEADER_BYTES;
  let isAfterDamage = false;
  while (position < fileBytes) {
    throwIfAborted(signal);
    const found = await nextMark(file, position);
    if (found === null) {
      isAfterDamage = true;
      break;
    }
    isAfterDamage ||= found > position;
    const packet = await packetAt(file, found, fileBytes);
    if (typeof packet === 'string') {
      survey.damagedPackets++;
      survey.isCut = packet === 'CUT';
      isAfterDamage = true;
      position = found + PACKET_MARK.length;
    } else {
      survey.packets.push({ ...packet, isAfterDamage });
      survey.isCut = false;
      isAfterDamage = false;
      position = found + packet.bytes;
    }
  }
  return { ...survey, endsDamaged: isAfterDamage };
}

/** The samples of a packet, without its header. */
export async function readPacket(file: FileHandle, { position, bytes }: MatrixPacket, path: string): Promise<Buffer> {
  const body = Buffer.alloc(bytes - PACKET_HEADER_BYTES);
  if ((await readFully(file, body, position + PACKET_HEADER_BYTES)) < body.length) {
    throw damaged(path, 'it became shorter while it was read.');
  }
  return body;
}

async function nextMark(file: FileHandle, from: number): Promise<number | null> {
  const bytes = Buffer.alloc(SCAN_BYTES);
  for (let position = from; ; position += SCAN_BYTES - PACKET_MARK.length + 1) {
    const got = await readFully(file, bytes, position);
    const at = bytes.subarray(0, got).indexOf(PACKET_MARK);
    if (at >= 0) return position + at;
    if (got < SCAN_BYTES) return null;
  }
}

async function packetAt(
  file: FileHandle,
  position: number,
  fileBytes: number,
): Promise<Omit<MatrixPacket, 'isAfterDamage'> | 'CUT' | 'BROKEN'> {
  const head = Buffer.alloc(PACKET_HEADER_BYTES);
  if ((await readFully(file, head, position)) < head.length) return 'CUT';
  const [startSecond, endSecond, accel, gyro, temperature, heart] = [12, 16, 20, 24, 28, 32].map((at) =>
    head.readUInt32LE(at),
  ) as [number, number, number, number, number, number];
  const bytes = PACKET_HEADER_BYTES + 6 * (accel + gyro) + 4 * (temperature + heart);
  if (bytes > MAX_PACKET_BYTES) return 'BROKEN';
  if (position + bytes > fileBytes) return 'CUT';
  const seconds = endSecond - startSecond;
  if (seconds <= 0 || Math.max(accel, gyro, temperature, heart) > seconds * MAX_RATE_HZ) return 'BROKEN';
  const packet = { position, bytes, startSecond, endSecond, accel, gyro, temperature, heart };
  const checked = Buffer.alloc(bytes - CHECKED_FROM);
  if ((await readFully(file, checked, position + CHECKED_FROM)) < checked.length) return 'CUT';
  return crc32(checked) === head.readUInt32LE(8) ? packet : 'BROKEN';
}
