/** The states of an upload, and the facts that the check of its file found. */

/**
 * RECEIVING: bytes are missing. RECEIVED: complete, the check is pending. STORED: it became a recording. QUARANTINED: kept until a
 * person decides. REJECTED: a person decided against it. REFUSED: the site will never accept it. EXPIRED, ENDED: abandoned, by time or
 * by the device.
 */
export type UploadState =
  | 'RECEIVING'
  | 'RECEIVED'
  | 'STORED'
  | 'QUARANTINED'
  | 'REJECTED'
  | 'REFUSED'
  | 'EXPIRED'
  | 'ENDED';

/** What the check found in a file that awaits a decision. Times in epoch microseconds. */
export interface UploadFacts {
  /** Corrected. */
  startUs: number;
  stopUs: number;
  sensorStartUs: number;
  location: string;
  udid: string;
  samples: number;
}
