/** A resting ECG as a recording: leads that were recorded together are one channel, with the counts of the file. */
import type { Temporal } from 'temporal-polyfill';
import type { SignalChannel, SignalMark, SignalPage } from '../../signals/types.ts';
import { startAtOffset, startOfWallClock } from '../local-time.ts';
import { makeHeader } from '../recording-header.ts';
import { damaged } from '../refusals.ts';
import { GapMarks } from '../text/gap-marks.ts';
import { evenPage } from '../timed-pages.ts';
import type { ImportedRecording, ImportOptions, ImportSource } from '../types.ts';

export interface RestingLead {
  /** `I`, `aVR`, `V1`. */
  name: string;
  counts: Int32Array;
  /** Volts per count, and of count 0. */
  voltsPerCount: number;
  zeroVolts: number;
}

/** Samples from one place up to, and without, another. */
export interface Run {
  from: number;
  to: number;
}

/** Leads of one length that begin at one time. */
export interface RestingGroup {
  leads: RestingLead[];
  /** Where the leads were recorded; absent where they were throughout. */
  runs?: Run[];
  rateHz: number;
  start: Temporal.PlainDateTime;
  /** Null where the file states no offset from UTC. */
  utcOffsetMinutes: number | null;
}

interface RestingEcg {
  format: string;
  groups: RestingGroup[];
  subjectCode?: string;
  /** Of the recorder. */
  model?: string;
  serial?: string;
  notes: string[];
}

const INT16_MAX = 32_767;
const MAX_RATE_HZ = 100_000;
const PAGE_SECONDS = 60;

export function restingSource(
  { format, groups, subjectCode, model, serial, notes }: RestingEcg,
  source: { path: string; fileName: string; sha256: string; sizeBytes: number },
  options: ImportOptions,
): ImportSource {
  const placed = groups.map((group) => ({ ...group, ...placeOf(group, options, notes) }));
  const channels = placed.map((group, index) => channelOf(source.path, group, index));
  if (placed.length > 1) {
    const held = placed.map(({ leads }, i) => `${channels[i]!.type} is ${leads.map(({ name }) => name).join(', ')}`);
    notes.push(`${held.join('; ')}.`);
  }
  const marks: SignalMark[] = [];
  const recording: ImportedRecording = {
    header: makeHeader(
      {
        channels,
        source: { format, fileName: source.fileName, sha256: source.sha256 },
        ...(model !== undefined && { hardwareId: model }),
        ...(serial !== undefined && { udid: serial }),
        ...(subjectCode !== undefined && { subjectCode }),
      },
      options,
    ),
    async *pages() {
      for (const [index, group] of placed.entries()) {
        const gaps = new GapMarks(marks, () => 'LOST_BLOCK');
        for (const page of pagesOf(group, index, channels[index]!.sampleBits)) {
          gaps.see(page);
          yield page;
        }
      }
    },
    labels: [],
    marks,
    // Each group that is placed by a wall clock says the same of it.
    notes: [...new Set(notes)],
    progress: () => ({ doneBytes: source.sizeBytes, totalBytes: source.sizeBytes }),
  };
  return {
    format,
    clock: placed[0]!.clock,
    recordings: [recording],
    labels: [],
    close: async () => undefined,
  };
}

const placeOf = ({ start, utcOffsetMinutes }: RestingGroup, options: ImportOptions, notes: string[]) =>
  utcOffsetMinutes === null ? startOfWallClock(start, options, notes) : startAtOffset(start, utcOffsetMinutes);

/** Leads of one recorder are calibrated alike; each has its own rule all the same. */
function channelOf(path: string, { leads, rateHz }: RestingGroup, index: number): SignalChannel {
  if (!(rateHz > 0 && rateHz <= MAX_RATE_HZ)) throw damaged(path, 'its sampling rate cannot be.');
  const isWide = leads.some(({ counts }) => counts.some((count) => count < -INT16_MAX - 1 || count > INT16_MAX));
  return {
    type: index === 0 ? 'ECG' : `ECG_${index + 1}`,
    dimensions: leads.map(({ name }, i) => (i === 0 ? 'v' : dimensionOf(name, i, leads))),
    unit: 'V',
    nominalRateHz: rateHz,
    scale: leads.map(({ voltsPerCount }) => voltsPerCount),
    offset: leads.map(({ zeroVolts }) => zeroVolts),
    sampleBits: isWide ? 32 : 16,
    exact: leads.map(({ voltsPerCount, zeroVolts }) => ({
      origin: 0,
      divisor: 1,
      span: voltsPerCount,
      low: zeroVolts,
    })),
  };
}

function dimensionOf(name: string, index: number, leads: readonly RestingLead[]): string {
  const plain = name.toLowerCase().replace(/[^a-z0-9]+/g, '_');
  const isTaken = plain === '' || plain === 'v' || leads.findIndex((lead) => lead.name === name) !== index;
  return isTaken ? `lead_${index + 1}` : plain;
}

function* pagesOf(
  { leads, rateHz, startUs, runs = [{ from: 0, to: leads[0]!.counts.length }] }: RestingGroup & { startUs: number },
  channel: number,
  sampleBits: 16 | 32,
): Generator<SignalPage> {
  const perPage = Math.max(1, Math.floor(PAGE_SECONDS * rateHz));
  for (const run of runs) {
    for (let { from } = run; from < run.to; from += perPage) {
      const columns = leads.map(({ counts }) => counts.subarray(from, Math.min(from + perPage, run.to)));
      yield evenPage(channel, Math.round(startUs + (from / rateHz) * 1e6), 1e6 / rateHz, columns, sampleBits);
    }
  }
}
