/** Recordings of the Parmay Matrix. Stamps are whole seconds; the rate is that of each packet, not the one that was set. */
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import type { SignalChannel, SignalMark, SignalPage } from '../../signals/types.ts';
import { startOfWallClock, wallClockOf } from '../local-time.ts';
import { makeHeader } from '../recording-header.ts';
import { damaged, empty, throwIfAborted } from '../refusals.ts';
import { fileSize, readHead, sourceHash } from '../source-bytes.ts';
import { evenPage } from '../timed-pages.ts';
import type { ImportedRecording, ImportOptions, ImportSource } from '../types.ts';
import { isBeyondClocks, requirePlausibleTime } from '../units.ts';
import { REMARK_BYTES } from './matrix-head.ts';
import { type MatrixHeader, type MatrixPacket, readMatrixHeader, readPacket, surveyPackets } from './matrix-packets.ts';

const FORMAT = 'Parmay Matrix';
const PAGE_SECONDS = 60;
const SECONDS = { kind: 'number', power: 6 } as const;

/** One kind of sample of a packet. */
interface Part {
  field: 'accel' | 'gyro' | 'temperature' | 'heart';
  /** Int16 numbers per sample in the file. */
  width: number;
  /** Which of them the channel holds. */
  columns: readonly number[];
  channel: Omit<SignalChannel, 'nominalRateHz'>;
}

/**
 * The sensor counts to 32767 upwards and to 32768 downwards for the same range; one scale between both is within 0.0016 % of either.
 */
const COUNTS_OF_RANGE = 32_767.5;

function partsOf({ accelRangeG, gyroRangeDps }: MatrixHeader): Part[] {
  const channel = (type: string, dimensions: string[], unit: string, span: number, divisor = 1) => ({
    type,
    dimensions,
    unit,
    scale: dimensions.map(() => span / divisor),
    offset: dimensions.map(() => 0),
    sampleBits: 16 as const,
    exact: dimensions.map(() => ({ origin: 0, divisor, span, low: 0 })),
  });
  const axes = ['x', 'y', 'z'];
  return [
    {
      field: 'accel',
      width: 3,
      columns: [0, 1, 2],
      channel: channel('ACCEL', axes, 'g', accelRangeG, COUNTS_OF_RANGE),
    },
    {
      field: 'gyro',
      width: 3,
      columns: [0, 1, 2],
      channel: channel('GYRO', axes, 'dps', gyroRangeDps, COUNTS_OF_RANGE),
    },
    {
      field: 'temperature',
      width: 2,
      columns: [0, 1],
      channel: channel('TEMPERATURE', ['v', 'ambient'], 'degC', 1, 10),
    },
    { field: 'heart', width: 2, columns: [1], channel: channel('HR', ['v'], '/min', 1) },
    { field: 'heart', width: 2, columns: [0], channel: channel('PPG', ['v'], 'adu', 1) },
  ];
}

/** @throws FILE_DAMAGED, FILE_EMPTY, TIME_IMPLAUSIBLE, NOT_FOUND or CANCELLED */
export async function openMatrix(path: string, options: ImportOptions): Promise<ImportSource> {
  const fileBytes = await fileSize(path);
  const header = readMatrixHeader(await readHead(path, REMARK_BYTES + 12), path);
  const sha256 = options.withoutHash ? '' : await sourceHash([path], options.signal);
  const file = await open(path, 'r');
  try {
    const survey = await surveyPackets(file, fileBytes, options.signal);
    const notes: string[] = [];
    const packets = inOrder(survey.packets, notes);
    const [first] = packets;
    if (!first) throw noPackets(path, survey.damagedPackets);
    const readings = header.gyroRangeDps > 0 ? packets : packets.map((packet) => ({ ...packet, gyro: 0 }));
    if (readings !== packets && packets.some(({ gyro }) => gyro > 0)) {
      notes.push('Rotation was left out: the header states no range for it.');
    }
    const last = packets.at(-1) as MatrixPacket;
    if (survey.damagedPackets > 0) {
      const cut = survey.isCut ? ' The last one was cut off.' : '';
      notes.push(`${survey.damagedPackets} packets are not whole or do not match their checksum and are gaps.${cut}`);
    }
    if (header.packets !== survey.packets.length + survey.damagedPackets) {
      notes.push(
        `The header announces ${header.packets} packets, the file holds ${survey.packets.length} that are whole.`,
      );
    }
    requirePlausibleTime(path, first.startSecond * 1e6, SECONDS);
    if (isBeyondClocks(last.endSecond * 1e6)) throw damaged(path, 'its last time is after the year 2099.');
    const { startUs, clock } = startOfWallClock(wallClockOf(first.startSecond * 1e6), options, notes);
    const timeOf = (second: number): number => startUs + (second - first.startSecond) * 1e6;
    const parts = partsOf(header).filter(({ field }) => readings.some((packet) => packet[field] > 0));
    const marks: SignalMark[] = [];
    let donePackets = 0;
    async function* pages(): AsyncGenerator<SignalPage> {
      const ends = parts.map(() => ({ endSecond: Number.NaN, lastUs: 0 }));
      let hasDamage = false;
      for (const packet of packets) {
        throwIfAborted(options.signal);
        hasDamage ||= packet.isAfterDamage;
        const body = await readPacket(file, packet, path);
        for (const [index, part] of parts.entries()) {
          if (packet[part.field] === 0) continue;
          const end = ends[index]!;
          if (end.endSecond < packet.startSecond) {
            marks.push({ channel: index, timeUs: end.lastUs, reason: hasDamage ? 'BAD_CHECKSUM' : 'LOST_BLOCK' });
          }
          for (const page of partPages(index, part, packet, body, timeOf(packet.startSecond))) {
            yield page;
            end.lastUs = Math.round(page.startUs + (page.count - 1) * page.periodUs);
          }
          end.endSecond = packet.endSecond;
        }
        hasDamage = false;
        donePackets++;
      }
      if (!survey.endsDamaged) return;
      for (const [channel, { endSecond, lastUs }] of ends.entries()) {
        if (endSecond === last.endSecond) marks.push({ channel, timeUs: lastUs, reason: 'BAD_CHECKSUM' });
      }
    }
    const device = { maker: 'Parmay' as const, model: 'Matrix' };
    const channels = parts.map(({ field, channel }) => ({ ...channel, nominalRateHz: rateOf(readings, field) }));
    if (parts.some(({ field }) => field === 'heart')) {
      notes.push('Heart rates of 0 are those that the device stored where it found none.');
    }
    const recording: ImportedRecording = {
      header: makeHeader({ channels, source: { format: FORMAT, fileName: basename(path), sha256 }, device }, options),
      pages,
      labels: [],
      marks,
      notes,
      progress: () => ({ doneBytes: donePackets, totalBytes: packets.length }),
    };
    return { format: FORMAT, clock, recordings: [recording], labels: [], close: () => file.close() };
  } catch (thrown) {
    await file.close();
    throw thrown;
  }
}

const noPackets = (path: string, damagedPackets: number) =>
  damagedPackets > 0
    ? damaged(path, `none of its ${damagedPackets} packets is whole and matches its checksum.`)
    : empty(path, 'it has a header and no packets.');

/** Packets in order of time; one that begins before the end of another holds the same time twice. */
function inOrder(packets: readonly MatrixPacket[], notes: string[]): MatrixPacket[] {
  const kept: MatrixPacket[] = [];
  for (const packet of packets) {
    if (packet.startSecond >= (kept.at(-1)?.endSecond ?? 0)) kept.push(packet);
  }
  const dropped = packets.length - kept.length;
  if (dropped > 0) notes.push(`${dropped} packets begin before the end of the one before and were left out.`);
  return kept;
}

/** Median of the packets that have such samples. */
function rateOf(packets: readonly MatrixPacket[], field: Part['field']): number {
  const rates = packets
    .filter((packet) => packet[field] > 0)
    .map((packet) => packet[field] / (packet.endSecond - packet.startSecond))
    .sort((a, b) => a - b);
  return Number(rates[rates.length >> 1]!.toPrecision(4));
}

function* partPages(
  index: number,
  { field, width, columns }: Part,
  packet: MatrixPacket,
  body: Buffer,
  startUs: number,
): Generator<SignalPage> {
  const count = packet[field];
  const before = { accel: 0, gyro: 6 * packet.accel, temperature: 6 * (packet.accel + packet.gyro) };
  const from = field === 'heart' ? before.temperature + 4 * packet.temperature : before[field];
  const periodUs = ((packet.endSecond - packet.startSecond) * 1e6) / count;
  const pageRows = Math.max(1, Math.floor((PAGE_SECONDS * 1e6) / periodUs));
  for (let first = 0; first < count; first += pageRows) {
    const rows = Math.min(pageRows, count - first);
    const counts = columns.map((column) => {
      const filled = new Int32Array(rows);
      for (let i = 0; i < rows; i++) filled[i] = body.readInt16LE(from + 2 * ((first + i) * width + column));
      return filled;
    });
    yield evenPage(index, Math.round(startUs + first * periodUs), periodUs, counts, 16);
  }
}
