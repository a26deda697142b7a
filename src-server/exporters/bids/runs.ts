/**
 * One channel of a recording as BIDS runs. A reader may take samples for evenly spaced, so a break of more than a second
 * begins a new run; each sample's own time stands beside it (`latency`, `timestamp`), because sensor clocks drift.
 * Acceleration and rotation are motion data (Motion-BIDS, Jeung et al. 2024), everything else is physiological data.
 */

import { createHash } from 'node:crypto';
import { type SignalFile, sampleTimesUs } from '../../signals/index.ts';
import type { SignalChannel, SignalPage } from '../../signals/types.ts';
import { holdsIntervals } from '../../vocabulary/channels.ts';
import { DeflateRows } from '../deflate/deflate-rows.ts';
import { type DeflatedText, deflatedText, gzipOf, type TextListener } from '../deflate/deflated-text.ts';
import { SampleRows } from '../sample-rows.ts';
import type { Part, PartContent } from '../study-export/part-file.ts';
import type { MemberContent, PackedMember } from '../zip-writer.ts';
import { camelOf, jsonText, labelOf, TASK, tsvRow } from './names.ts';

/** The beats of a recording among the members of its part. */
export const BEATS_MEMBER = 'beats.tsv';

const LONGEST_BREAK_US = 1_000_000;
/** Beats in succession: a heart that beats once in four seconds is the slowest that the analysis takes for one. */
const LONGEST_BEAT_BREAK_US = 4_000_000;
const ROWS_PER_CHUNK = 4096;

/** A segment of a channel without a long gap. Epoch microseconds, as recorded. */
export interface Segment {
  firstUs: number;
  lastUs: number;
  count: number;
  /** Its pages in the index of the channel: the first, and the one after the last. */
  firstPage: number;
  stopPage: number;
}

/** Returns the segments of a channel, from its page index. */
export function segmentsOf(file: SignalFile, channel: number): Segment[] {
  const segments: Segment[] = [];
  const longestUs = holdsIntervals(file.header.channels[channel]!) ? LONGEST_BEAT_BREAK_US : LONGEST_BREAK_US;
  for (const [page, { firstUs, lastUs, count }] of (file.pageIndex[channel] ?? []).entries()) {
    const before = segments.at(-1);
    if (before && firstUs - before.lastUs <= longestUs) {
      before.lastUs = lastUs;
      before.count += count;
      before.stopPage = page + 1;
    } else segments.push({ firstUs, lastUs, count, firstPage: page, stopPage: page + 1 });
  }
  return segments;
}

export const isMotion = ({ type }: SignalChannel): boolean => type === 'ACCEL' || type === 'GYRO';

/** Label of what is recorded where: `MedialChestAccel`, `ecg`. */
export function channelLabel(file: SignalFile, channel: SignalChannel): string {
  const { location, side } = file.header.physicalConfig;
  const place = `${side === 'LEFT' || side === 'RIGHT' ? camelOf(side) : ''}${camelOf(location)}`;
  return labelOf(`${place}${camelOf(channel.type)}`) || 'Sensor';
}

/** Measured rate of a segment, Hz; the nominal one for a single sample. */
function effectiveRate({ firstUs, lastUs, count }: Segment, channel: SignalChannel): number {
  if (count < 2) return channel.nominalRateHz;
  return Number((((count - 1) * 1e6) / (lastUs - firstUs)).toPrecision(10));
}

const unitOf = ({ unit }: SignalChannel): string => (unit === 'dps' ? 'deg/s' : unit);

/** Pages of a segment, with microseconds since its first sample; each is valid until the next one is requested. */
function* pagesOf(
  file: SignalFile,
  index: number,
  { firstUs, firstPage, stopPage }: Segment,
  onRows: (rows: number) => void,
): Generator<{ page: SignalPage; times: Float64Array }> {
  for (const page of file.pagesInTurn(index, firstPage, stopPage)) {
    const times = sampleTimesUs(page);
    for (let i = 0; i < times.length; i++) times[i]! -= firstUs;
    yield { page, times };
    onRows(page.count);
  }
}

type RowsOf = Parameters<typeof pagesOf>;

/** Rows of a segment: seconds since its first sample, then the value of each dimension. No header. */
function* rowsOf(...of: RowsOf): Generator<Uint8Array> {
  const [file, index] = of;
  const rows = new SampleRows(file.header.channels[index]!, { separator: '\t', time: 'seconds', format: String });
  for (const { page, times } of pagesOf(...of)) {
    for (let from = 0; from < page.count; from += ROWS_PER_CHUNK) {
      yield rows.rows(times, page.columns, from, Math.min(page.count, from + ROWS_PER_CHUNK));
    }
  }
}

/** The same rows, compressed. */
function deflated(of: RowsOf, onText?: TextListener): DeflatedText {
  const [file, index] = of;
  const channel = file.header.channels[index]!;
  return DeflateRows.canWrite(channel)
    ? deflatedCounts(channel, pagesOf(...of), onText)
    : deflatedText(rowsOf(...of), onText);
}

function deflatedCounts(
  channel: SignalChannel,
  pages: ReturnType<typeof pagesOf>,
  onText?: TextListener,
): DeflatedText {
  const rows = new DeflateRows(channel, onText);
  function* content(): Generator<Uint8Array> {
    for (const { page, times } of pages) yield* rows.rows(times, page.columns);
    yield rows.end();
  }
  return { content: content(), sums: () => ({ crc32: rows.crc32, sizeBytes: rows.sizeBytes }) };
}

/** Text that the archive holds compressed: it states the hash of the text. */
function compressedMember(name: string, ...of: RowsOf): PartContent {
  const sha256 = createHash('sha256');
  const { content, sums } = deflated(of, (piece) => sha256.update(piece));
  return { name, content, text: () => ({ ...sums(), sha256: sha256.digest('hex') }) };
}

/** A gzip file, whose own bytes are hashed: hashing the text too would take an eighth of the export. */
const gzipMember = (name: string, ...of: RowsOf): PartContent => ({ name, content: gzipOf(deflated(of)) });

/** A text of another kind, compressed alike. */
export function textMember(name: string, text: Iterable<Uint8Array>): PartContent {
  const sha256 = createHash('sha256');
  const { content, sums } = deflatedText(text, (piece) => sha256.update(piece));
  return { name, content, text: () => ({ ...sums(), sha256: sha256.digest('hex') }) };
}

/** Name of a segment's data among those of its recording. */
const memberName = (channel: number, { firstUs }: Segment): string => `${channel} ${firstUs}`;

/**
 * The data of every segment of a recording: motion as text that the archive holds compressed, everything else as gzip.
 * `onRows` may throw to stop.
 */
export function* runContents(file: SignalFile, onRows: (rows: number) => void): Generator<PartContent> {
  for (const [index, channel] of file.header.channels.entries()) {
    for (const segment of segmentsOf(file, index)) {
      const name = memberName(index, segment);
      const member = isMotion(channel) ? compressedMember : gzipMember;
      yield member(name, file, index, segment, onRows);
    }
  }
}

/** A label that identifies one device and channel. */
export interface RunFacts {
  file: SignalFile;
  channel: number;
  segment: Segment;
  /** Label of the tracking system or of the recording. */
  label: string;
  /** As the export names the device. */
  udid: string;
  /** Start after that of the run, s. */
  startSeconds: number;
  /** Holds the data of {@link runContents}. */
  part: Part;
}

interface RunFile {
  /** Behind the stem: `_motion.tsv`. */
  suffix: string;
  content: MemberContent | PackedMember;
}

function deviceFields({ file, udid }: RunFacts): Record<string, string> {
  const { hardwareId, firmwareId } = file.header;
  return {
    DeviceSerialNumber: udid,
    ...(hardwareId ? { ManufacturersModelName: hardwareId } : {}),
    ...(firmwareId ? { SoftwareVersions: firmwareId } : {}),
  };
}

function motionFiles(facts: RunFacts): RunFile[] {
  const { file, channel: index, segment, label } = facts;
  const channel = file.header.channels[index]!;
  const { location, side } = file.header.physicalConfig;
  const point = side === 'NONE' || side === '' ? location : `${side}_${location}`;
  const axes = channel.dimensions;
  const sidecar = {
    TaskName: TASK,
    TaskDescription: 'Daily life at home, without instructions.',
    TrackingSystemName: label,
    SamplingFrequency: channel.nominalRateHz,
    SamplingFrequencyEffective: effectiveRate(segment, channel),
    RecordingDuration: (segment.lastUs - segment.firstUs) / 1e6,
    MotionChannelCount: axes.length,
    [`${channel.type}ChannelCount`]: axes.length,
    LATENCYChannelCount: 1,
    TrackedPointsCount: 1,
    ...deviceFields(facts),
  };
  const prefix = channel.type === 'ACCEL' ? 'acc' : 'gyro';
  const channels = [
    tsvRow(['name', 'component', 'type', 'tracked_point', 'units']),
    tsvRow(['latency', 'n/a', 'LATENCY', 'n/a', 's']),
    ...axes.map((axis) => tsvRow([`${prefix}_${axis}`, axis, channel.type, point, unitOf(channel)])),
  ];
  return [
    { suffix: '_motion.tsv', content: facts.part.read(memberName(index, segment)) },
    { suffix: '_motion.json', content: [jsonText(sidecar)] },
    { suffix: '_channels.tsv', content: channels },
  ];
}

const BEAT_WORDS: Record<string, string> = {
  RR: 'Interval between heartbeats that ends with the beat,',
  PPI: 'Interval between pulse waves that ends with the wave (not an electrocardiogram),',
};

function physioFiles(facts: RunFacts): RunFile[] {
  const { file, channel: index, segment } = facts;
  const channel = file.header.channels[index]!;
  const { location, side } = file.header.physicalConfig;
  const isHeart = channel.type === 'ECG';
  const isBeats = holdsIntervals(channel);
  const columns = channel.dimensions.map((name) => (name === 'v' && isHeart ? 'cardiac' : name));
  const described = Object.fromEntries(
    columns.map((name) => [
      name,
      {
        Description: `${isHeart ? 'Electrocardiogram' : (BEAT_WORDS[channel.type] ?? channel.type)} at ${location}${side === 'NONE' ? '' : `, ${side}`}`,
        Units: unitOf(channel),
      },
    ]),
  );
  const sidecar = {
    SamplingFrequency: effectiveRate(segment, channel),
    StartTime: facts.startSeconds,
    Columns: ['timestamp', ...columns],
    timestamp: {
      Description: isBeats
        ? 'Time of the beat since the first one. Beats are not evenly spaced: SamplingFrequency is their mean rate'
        : 'Time of the sample since the first one, by the clock of the sensor',
      Units: 's',
    },
    ...described,
    ...deviceFields(facts),
  };
  return [
    { suffix: '_physio.tsv.gz', content: facts.part.read(memberName(index, segment)) },
    { suffix: '_physio.json', content: [jsonText(sidecar)] },
  ];
}

/** The files of a run, the data first. */
export function runFiles(facts: RunFacts): RunFile[] {
  return isMotion(facts.file.header.channels[facts.channel]!) ? motionFiles(facts) : physioFiles(facts);
}
