/**
 * Frames of FLAC (RFC 9639), decoded bit by bit exactly. Both checksums of each frame are verified, so that a damaged frame gives no
 * samples; the work of a frame is bounded by its block size.
 */
import { FlacBits } from './flac-bits.ts';

export interface FlacStream {
  channels: number;
  bitsPerSample: number;
  maxBlockSamples: number;
  /** Per channel; 0 when the stream does not say. */
  samples: number;
  /** Where the first frame begins. */
  framesFrom: number;
}

/** What makes a frame unreadable, other than the end of the bytes. */
export class FlacFault extends Error {}

export interface FlacFrame {
  /** One per channel. */
  channels: Int32Array[];
  bytes: number;
}

const table = (width: 8 | 16, polynomial: number): Uint16Array =>
  Uint16Array.from({ length: 256 }, (_, byte) => {
    let value = byte << (width - 8);
    for (let bit = 0; bit < 8; bit++) value = value & (1 << (width - 1)) ? (value << 1) ^ polynomial : value << 1;
    return value & (2 ** width - 1);
  });
const CRC8 = table(8, 0x07);
const CRC16 = table(16, 0x8005);

function crc8(bytes: Uint8Array): number {
  let sum = 0;
  for (const byte of bytes) sum = CRC8[sum ^ byte]!;
  return sum;
}

function crc16(bytes: Uint8Array): number {
  let sum = 0;
  for (const byte of bytes) sum = ((sum << 8) & 0xffff) ^ CRC16[(sum >> 8) ^ byte]!;
  return sum;
}

const STREAM_INFO_BYTES = 34;

/** The head of a stream; null when it is none, or the given bytes do not reach its first frame. */
export function flacStreamOf(head: Buffer): FlacStream | null {
  if (head.length < 8 + STREAM_INFO_BYTES || head.toString('latin1', 0, 4) !== 'fLaC') return null;
  if ((head[4]! & 0x7f) !== 0 || head.readUIntBE(5, 3) !== STREAM_INFO_BYTES) return null;
  const info = new FlacBits(head, 8 + 10);
  info.unsigned(20);
  const channels = info.unsigned(3) + 1;
  const bitsPerSample = info.unsigned(5) + 1;
  const samples = info.unsigned(4) * 2 ** 32 + info.unsigned(32);
  let at = 4;
  for (;;) {
    if (at + 4 > head.length) return null;
    const isLast = (head[at]! & 0x80) !== 0;
    at += 4 + head.readUIntBE(at + 1, 3);
    if (isLast) break;
  }
  return { channels, bitsPerSample, maxBlockSamples: head.readUInt16BE(10), samples, framesFrom: at };
}

/** The most bytes that a frame of this stream can take, so that a reader knows how much it must hold. */
export const maxFrameBytes = ({ channels, bitsPerSample, maxBlockSamples }: FlacStream): number =>
  64 + channels * (16 + Math.ceil((maxBlockSamples * (bitsPerSample + 2)) / 8) * 2);

/** @throws FlacEnd when the bytes end inside the frame, FlacFault when it is damaged */
export function decodeFlacFrame(bytes: Uint8Array, stream: FlacStream): FlacFrame {
  const bits = new FlacBits(bytes);
  if (bits.unsigned(15) !== 0b111111111111100) throw new FlacFault('no frame begins there');
  bits.unsigned(1);
  const sizeCode = bits.unsigned(4);
  const rateCode = bits.unsigned(4);
  const assignment = bits.unsigned(4);
  const widthCode = bits.unsigned(3);
  if (bits.unsigned(1) !== 0) throw new FlacFault('a reserved bit is set');
  skipCodedNumber(bits);
  const count = blockSamples(bits, sizeCode);
  if (rateCode === 12) bits.unsigned(8);
  else if (rateCode === 13 || rateCode === 14) bits.unsigned(16);
  const headBytes = bits.byte;
  if (bits.unsigned(8) !== crc8(bytes.subarray(0, headBytes)))
    throw new FlacFault('its head does not match its checksum');
  const isPair = assignment >= 8 && assignment <= 10;
  const channelCount = isPair ? 2 : assignment + 1;
  const width = [stream.bitsPerSample, 8, 12, -1, 16, 20, 24, 32][widthCode]!;
  const isOther = channelCount !== stream.channels || width !== stream.bitsPerSample;
  if (assignment > 10 || isOther || count > stream.maxBlockSamples)
    throw new FlacFault('it is of another form than the stream');
  const channels = Array.from({ length: channelCount }, (_, c) => {
    const isSide = assignment === 8 || assignment === 10 ? c === 1 : assignment === 9 && c === 0;
    return subframe(bits, count, width + (isSide ? 1 : 0));
  });
  bits.alignToByte();
  const bodyBytes = bits.byte;
  if (bits.unsigned(16) !== crc16(bytes.subarray(0, bodyBytes))) throw new FlacFault('it does not match its checksum');
  if (isPair) unpair(channels as [Int32Array, Int32Array], assignment);
  return { channels, bytes: bits.byte };
}

function skipCodedNumber(bits: FlacBits): void {
  const first = bits.unsigned(8);
  const ones = Math.clz32(~(first << 24));
  if (ones === 1 || ones > 7) throw new FlacFault('its number is not coded as one');
  for (let i = 1; i < ones; i++) bits.unsigned(8);
}

function blockSamples(bits: FlacBits, code: number): number {
  if (code === 0) throw new FlacFault('its size is reserved');
  if (code === 1) return 192;
  if (code <= 5) return 576 << (code - 2);
  if (code === 6) return bits.unsigned(8) + 1;
  if (code === 7) return bits.unsigned(16) + 1;
  return 256 << (code - 8);
}

function unpair([first, second]: [Int32Array, Int32Array], assignment: number): void {
  for (let i = 0; i < first.length; i++) {
    const a = first[i]!;
    const b = second[i]!;
    if (assignment === 8) second[i] = a - b;
    else if (assignment === 9) first[i] = a + b;
    else {
      const mid = a * 2 + (b & 1);
      first[i] = (mid + b) / 2;
      second[i] = (mid - b) / 2;
    }
  }
}

function subframe(bits: FlacBits, count: number, fullWidth: number): Int32Array {
  if (bits.unsigned(1) !== 0) throw new FlacFault('a reserved bit is set');
  const type = bits.unsigned(6);
  const wasted = bits.unsigned(1) === 1 ? bits.unary() + 1 : 0;
  const width = fullWidth - wasted;
  if (width < 1) throw new FlacFault('it leaves no bits');
  const samples = new Int32Array(count);
  if (type === 0) samples.fill(bits.signed(width));
  else if (type === 1) for (let i = 0; i < count; i++) samples[i] = bits.signed(width);
  else if (type >= 8 && type <= 12) predicted(bits, samples, width, type - 8, null);
  else if (type >= 32) predicted(bits, samples, width, type - 31, 'LPC');
  else throw new FlacFault('its kind is reserved');
  if (wasted > 0) for (let i = 0; i < count; i++) samples[i] = samples[i]! * 2 ** wasted;
  return samples;
}

const FIXED: readonly (readonly number[])[] = [[], [1], [2, -1], [3, -3, 1], [4, -6, 4, -1]];

function predicted(bits: FlacBits, samples: Int32Array, width: number, order: number, kind: 'LPC' | null): void {
  if (order > samples.length) throw new FlacFault('its predictor is longer than its block');
  for (let i = 0; i < order; i++) samples[i] = bits.signed(width);
  let coefficients = FIXED[order] ?? [];
  let shift = 0;
  if (kind === 'LPC') {
    const precision = bits.unsigned(4) + 1;
    shift = bits.signed(5);
    if (precision === 16 || shift < 0) throw new FlacFault('its predictor is of no valid form');
    coefficients = Array.from({ length: order }, () => bits.signed(precision));
  }
  readResiduals(bits, samples, order);
  const divisor = 2 ** shift;
  for (let i = order; i < samples.length; i++) {
    // Doubles hold these sums exactly; 32 bits would not.
    let sum = 0;
    for (let c = 0; c < order; c++) sum += coefficients[c]! * samples[i - 1 - c]!;
    samples[i] = samples[i]! + Math.floor(sum / divisor);
  }
}

/** Fills everything behind the first `order` samples with what the predictor misses. */
function readResiduals(bits: FlacBits, samples: Int32Array, order: number): void {
  const method = bits.unsigned(2);
  if (method > 1) throw new FlacFault('its residual is of a reserved form');
  const parameterBits = method === 0 ? 4 : 5;
  const unpacked = 2 ** parameterBits - 1;
  const partitions = 1 << bits.unsigned(4);
  const perPartition = samples.length / partitions;
  if (!Number.isInteger(perPartition) || perPartition < order) throw new FlacFault('its parts do not fit its block');
  for (let p = 0, at = order; p < partitions; p++) {
    const stop = (p + 1) * perPartition;
    const parameter = bits.unsigned(parameterBits);
    if (parameter === unpacked) {
      const raw = bits.unsigned(5);
      for (; at < stop; at++) samples[at] = bits.signed(raw);
    } else {
      for (; at < stop; at++) {
        const folded = bits.unary() * 2 ** parameter + bits.unsigned(parameter);
        samples[at] = folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2;
      }
    }
  }
}
