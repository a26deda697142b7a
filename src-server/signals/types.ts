/**
 * The data model of recordings: header, pages of samples, and marks.
 *
 * Time is epoch microseconds in a plain number (2^53 us is the year 2255). Samples are integer counts; a physical
 * value is `count * scale + offset` in the channel's unit. Time always comes from pages, never from a nominal rate:
 * real sensor clocks drift (245 to 252 Hz at nominal 250 Hz) and have gaps.
 */

import type { PhysicalConfig, SignalChannel, SyncPoint } from '../study/recording.ts';

export type { ExactValueRule, PhysicalConfig, SignalChannel, SyncPoint } from '../study/recording.ts';

/** Counts of one dimension. Int16Array when every count fits 16 bits, else Int32Array. */
export type SampleArray = Int16Array | Int32Array;

export interface SignalHeader {
  /** Version of the header's schema, not of the container. */
  version: 1;
  /** Id of the recording: the same UUID as its row in the database and its file name. */
  recordingId: string;
  /** The sensor's own counter of recordings, 0 when unknown. */
  deviceRecordingId: number;
  udid: string;
  hardwareId: string;
  firmwareId: string;
  physicalConfig: PhysicalConfig;
  /** As in interface.md; stored in full, so that a recording can be restored from its file alone. */
  sensorConfig: Record<string, unknown>;
  channels: SignalChannel[];
  syncPoints: SyncPoint[];
  /** What a foreign file states of its device, beside `udid` (serial number), `hardwareId` (model) and `firmwareId`. */
  device?: ForeignDevice;
  /** The source of the recording: format, file name, SHA-256 of the source bytes. */
  source: { format: string; fileName: string; sha256: string };
}

export interface ForeignDevice {
  maker?: string;
  /** The code of a subject that was set in the device: shown for comparison, it identifies nobody here. */
  subjectCode?: string;
}

/** A segment of evenly spaced samples of one channel, at most about a minute long and without gaps. */
export interface SignalPage {
  /** Index into `SignalHeader.channels`. */
  channel: number;
  /** Time of the first sample. */
  startUs: number;
  /** Measured sampling period of this page, not the nominal one. */
  periodUs: number;
  count: number;
  /** One array of `count` counts per dimension. */
  columns: SampleArray[];
  /**
   * Exact time of sample i = round(startUs + i * periodUs) + timeResidualsUs[i]. Absent when all are zero. Stored so
   * that a file imported with jittered timestamps is exported with the same ones.
   */
  timeResidualsUs?: Int32Array;
}

/** A fault inside a signal, such as MC10's `EMPTY_SAMPLE` rows of elec-errors.csv, or why samples are missing after this time. */
export interface SignalMark {
  channel: number;
  /** Of a gap: the time of the last sample before it. */
  timeUs: number;
  /** `MARK_REASONS` of `vocabulary/coverage.ts`; files of others may have further ones. */
  reason: string;
}
