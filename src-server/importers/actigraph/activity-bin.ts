/** The old layout of the GT3X+: `activity.bin` without records, from the start date on to the padding of the flash memory. */
import { basename } from 'node:path';
import type { MemberFault, SalvagedMember } from '../../files/zip-salvage.ts';
import type { SignalChannel, SignalPage } from '../../signals/types.ts';
import { makeHeader } from '../recording-header.ts';
import { damaged, throwIfAborted, unsupported } from '../refusals.ts';
import type { ImportedRecording, ImportSource } from '../types.ts';
import { type ActigraphFile, accelerationChannel, clockOf, deviceOf, noSamples, usualCountsPerG } from './facts.ts';
import { RECORD } from './log-records.ts';
import { unpackSamples } from './samples.ts';

const PAGE_SECONDS = 60;
/** Lux per count by the colour of the case; readings of 0xFFFF are none. */
const LUX_PER_COUNT: Record<string, number> = { NEO: 1.25, MRA: 3.25 };
const NO_LIGHT = 0xffff;
const MAX_LIGHT_BYTES = 64 << 20;
const MAX_RATE_HZ = 1000;

export async function readOldLayout(
  file: ActigraphFile,
  activity: SalvagedMember,
): Promise<Omit<ImportSource, 'close'>> {
  const { path, options, notes, sha256, info } = file;
  const { serial, startSecond, sampleRateHz: rate } = info;
  if (
    !file.hasInfo ||
    startSecond === undefined ||
    rate === undefined ||
    !Number.isInteger(rate) ||
    rate > MAX_RATE_HZ
  ) {
    throw damaged(
      path,
      'its info.txt does not say when it was recorded and how fast, and the old layout says it nowhere else.',
    );
  }
  const countsPerG = info.countsPerG ?? usualCountsPerG(serial);
  if (countsPerG === undefined) throw unsupported(path, 'it does not state the scale of its acceleration.');
  if (info.countsPerG === undefined) {
    notes.push(`The file states no scale; ${countsPerG} counts per g are usual for ${serial}.`);
  }
  const { samples, total, fault } = await lengthWithoutPadding(activity, options.signal);
  // No record has a checksum, so that a wrong byte would be a wrong value.
  if (fault === 'BROKEN') throw damaged(path, 'activity.bin does not match its checksum.');
  if (fault === 'CUT') notes.push('activity.bin was cut off; the whole samples were taken.');
  if (samples === 0) throw noSamples(path);
  if (total > samples) {
    notes.push(`${total - samples} samples of zeros at the end, which pad the memory of the device, were left out.`);
  }
  const { toUs, clock } = clockOf(file, info.utcOffsetMinutes, startSecond);
  const light = await lightOf(file, Math.ceil(samples / rate));
  let doneBytes = 0;
  async function* pages(): AsyncGenerator<SignalPage> {
    const paging = new OldLayoutPages(rate!, samples, (index) => toUs(startSecond! + index / rate!));
    for await (const chunk of activity.open()) {
      throwIfAborted(options.signal);
      yield* paging.push(chunk);
      doneBytes += chunk.byteLength;
    }
    if (light) yield* lightPages(light.counts, toUs, startSecond!);
  }
  const channels = [accelerationChannel(rate, countsPerG)];
  if (light) channels.push(light.channel);
  const format = 'ActiGraph GT3X';
  const recording: ImportedRecording = {
    header: makeHeader(
      {
        channels,
        source: { format, fileName: basename(path), sha256 },
        location: info.limb || undefined,
        side: info.side || undefined,
        device: deviceOf(info),
      },
      options,
    ),
    pages,
    labels: [],
    marks: [],
    notes,
    progress: () => ({ doneBytes, totalBytes: activity.sizeBytes ?? Math.ceil(total * 4.5) }),
  };
  return { format, clock, recordings: [recording], labels: [] };
}

/** Whole samples up to the last that is not 0, 0, 0: a sensor at rest reads 1 g. */
async function lengthWithoutPadding(activity: SalvagedMember, signal: AbortSignal | undefined) {
  let fault: MemberFault | null = null;
  let bytes = 0;
  let lastNibble = -1;
  for await (const chunk of activity.open((found) => {
    fault = found;
  })) {
    throwIfAborted(signal);
    for (let i = chunk.byteLength - 1; i >= 0; i--) {
      if (chunk[i] === 0) continue;
      lastNibble = 2 * (bytes + i) + ((chunk[i]! & 15) === 0 ? 0 : 1);
      break;
    }
    bytes += chunk.byteLength;
  }
  const total = Math.floor((bytes * 2) / 9);
  return { total, samples: Math.min(total, Math.floor(lastNibble / 9) + 1), fault: fault as MemberFault | null };
}

/** Samples of 36 bits run across chunks: pairs of nine bytes are unpacked, the rest waits. */
class OldLayoutPages {
  readonly #periodUs: number;
  readonly #timeOf: (index: number) => number;
  readonly #perPage: number;
  #left: number;
  #done = 0;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(rate: number, samples: number, timeOf: (index: number) => number) {
    this.#periodUs = 1e6 / rate;
    this.#perPage = rate * PAGE_SECONDS;
    this.#left = samples;
    this.#timeOf = timeOf;
  }

  *push(chunk: Uint8Array): Generator<SignalPage> {
    let bytes = Buffer.concat([this.#rest, chunk]);
    for (;;) {
      const want = Math.min(this.#perPage, this.#left);
      if (want === 0) return;
      const need = Math.ceil(want * 4.5);
      // An even number of samples ends on a whole byte; an odd one is only at the end or for odd rates, whose minute is even.
      if (bytes.byteLength < need) break;
      const columns = [new Int16Array(want), new Int16Array(want), new Int16Array(want)] as const;
      unpackSamples(RECORD.ACTIVITY, bytes, 0, want, columns, 0);
      yield {
        channel: 0,
        startUs: Math.round(this.#timeOf(this.#done)),
        periodUs: this.#periodUs,
        count: want,
        columns: [...columns],
      };
      this.#done += want;
      this.#left -= want;
      bytes = bytes.subarray(need);
    }
    this.#rest = Buffer.from(bytes);
  }
}

/** One reading per second, as long as there is acceleration. */
async function lightOf(
  file: ActigraphFile,
  seconds: number,
): Promise<{ channel: SignalChannel; counts: Int32Array } | null> {
  const factor = LUX_PER_COUNT[file.info.serial?.slice(0, 3).toUpperCase() ?? ''];
  const member = file.member('lux.bin');
  if (!member || factor === undefined || (member.sizeBytes ?? 0) > MAX_LIGHT_BYTES) return null;
  const parts: Uint8Array[] = [];
  let isWhole = false;
  for await (const chunk of member.open((fault) => {
    isWhole = fault === null;
  })) {
    throwIfAborted(file.options.signal);
    parts.push(chunk);
  }
  const bytes = Buffer.concat(parts);
  if (!isWhole || bytes.length < 2) {
    file.notes.push('lux.bin is damaged and was left out.');
    return null;
  }
  const count = Math.min(seconds, bytes.length >> 1);
  return {
    counts: Int32Array.from({ length: count }, (_, i) => bytes.readUInt16LE(2 * i)),
    channel: {
      type: 'LIGHT',
      dimensions: ['v'],
      unit: 'lux',
      nominalRateHz: 1,
      scale: [factor],
      offset: [0],
      sampleBits: 32,
    },
  };
}

function* lightPages(counts: Int32Array, toUs: (second: number) => number, startSecond: number): Generator<SignalPage> {
  let from = 0;
  for (let i = 0; i <= counts.length; i++) {
    const isEnd = i === counts.length || counts[i] === NO_LIGHT;
    if (!isEnd && i - from < PAGE_SECONDS) continue;
    if (i > from) {
      const columns = [counts.slice(from, i)];
      yield { channel: 1, startUs: toUs(startSecond + from), periodUs: 1e6, count: i - from, columns };
    }
    from = isEnd ? i + 1 : i;
  }
}
