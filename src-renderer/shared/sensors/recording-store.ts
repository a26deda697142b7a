/** What live recording keeps on the device, so that a killed page, a full phone battery or a site that is away cost nothing. */
import type { PhysicalConfig, SyncPoint } from '../../../src-server/signals/types.ts';
import type { DriverKind, FrameSource, StreamPlan } from './driver.ts';
import type { DecoderCarry } from './recording/carry.ts';

/** One notification, as received. */
export interface StoredFrame {
  recordingId: string;
  /** From 0, in order of arrival. */
  sequence: number;
  /** Number of the connection of this recording. */
  connection: number;
  /** Epoch ms by this device's clock as it was when the recording began, regardless of later changes. */
  arrivalMs: number;
  source: FrameSource;
  bytes: Uint8Array;
}

/** One encoded block of the recording's file. */
export interface StoredBlock {
  recordingId: string;
  /** From 0, in file order. */
  sequence: number;
  bytes: Uint8Array;
}

export interface RecordingFile {
  /** What stands before and behind the blocks. */
  header: Uint8Array;
  footer: Uint8Array;
  sizeBytes: number;
  sha256: string;
  startUs: number;
  stopUs: number;
  syncPoints: SyncPoint[];
}

/** For whom and by whom a desk records; a phone has one subject, and needs none of it. */
export interface RecordingPlace {
  userId: string;
  studyId: string;
  subjectId: string;
}

export type RecordingState = 'RECORDING' | 'FINISHED' | 'REFUSED';

export interface ClockStamp {
  wallMs: number;
  epoch: string;
}

export interface RecordingRow {
  recordingId: string;
  state: RecordingState;
  createdTs: number;
  driver: DriverKind;
  /** The sensor at the site. */
  serial: string;
  displayName: string;
  hardwareId: string;
  firmwareId: string;
  physicalConfig: PhysicalConfig;
  sensorConfig: Record<string, unknown>;
  place?: RecordingPlace;
  plan: StreamPlan[];
  carry?: DecoderCarry;
  /** Site minus the clock of the recording's times, as far as it was known when the recording began. */
  clockOffsetMs?: number;
  /** When the recording began, by an epoch of the clock of a phone: its offset may be known better later. */
  clockStamp?: ClockStamp;
  file?: RecordingFile;
  /** Bytes that the site has safely. */
  sentBytes?: number;
  /** Why the site refused it. */
  code?: string;
  message?: string;
}

/** Every method resolves once its change survives a crash. */
export interface RecordingStore {
  create(row: RecordingRow): Promise<void>;
  update(recordingId: string, change: Partial<RecordingRow>): Promise<void>;
  /** All recordings of this device, oldest first. */
  list(): Promise<RecordingRow[]>;
  addFrames(frames: readonly StoredFrame[]): Promise<void>;
  frames(recordingId: string): Promise<StoredFrame[]>;
  addBlocks(blocks: readonly StoredBlock[]): Promise<void>;
  blocks(recordingId: string): Promise<StoredBlock[]>;
  /** Removes the blocks only: they are made again from the frames. */
  removeBlocks(recordingId: string): Promise<void>;
  /** Removes the recording with its frames and blocks, at once. */
  remove(recordingId: string): Promise<void>;
}
