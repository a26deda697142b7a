/** The facts of a recording: its channels, where its sensor was worn, and the states it passes through. */

/** Where and how a sensor was worn; location and side as on the wire (`MEDIAL_CHEST`, `LEFT`). */
export interface PhysicalConfig {
  location: string;
  side: string;
  signal?: string;
}

/**
 * `ECG`, `EMG` (dimension `v`, unit V), `ACCEL` (x, y, z in g), `GYRO` (x, y, z in deg/s), or, for a signal of a foreign
 * file that is none of these, its label in capitals with its own unit. Further leads of one ECG at one rate are further
 * dimensions of the same channel (`v`, then the lead's name in lower case, such as `v5`).
 */
export interface SignalChannel {
  type: string;
  dimensions: string[];
  unit: string;
  nominalRateHz: number;
  /** Per dimension: physical = count * scale + offset. */
  scale: number[];
  offset: number[];
  sampleBits: 16 | 32;
  /** Per dimension, when the source printed doubles that `count * scale + offset` meets only to the last few bits. */
  exact?: ExactValueRule[];
}

/**
 * The exact double of a count: `((count - origin) / divisor) * span + low`, each step rounded as IEEE doubles are, then
 * moved by the count's last-place correction. Needed only to reproduce a text exactly;
 * `count * scale + offset` agrees to far below one step. See `signals/exact-values.ts`.
 */
export interface ExactValueRule {
  origin: number;
  divisor: number;
  span: number;
  low: number;
  /**
   * Base64 of the raw-deflated, little-endian Int32Array of 65,536 corrections in units of the last place, for counts -32768 to 32767.
   * Files that went through another program (a data-frame library with a fast but inexact number reader) need it.
   */
  lastPlaces?: string;
}

/** A sensor clock reading beside the clock of the device that collected it, for drift correction. */
export interface SyncPoint {
  sensorUs: number;
  hostUs: number;
}

/** How far a recording's data has come on its way from the sensor to the metrics (domain 5.4). */
export type DataState =
  | 'ON_SENSOR'
  | 'ON_HUB'
  | 'RECEIVING'
  | 'RECEIVED'
  | 'VERIFIED'
  | 'DECODED'
  | 'ANALYSED'
  | 'REJECTED';

/** What the last check of the signal file found. */
export type FileState = 'PRESENT' | 'MISSING' | 'DAMAGED';
