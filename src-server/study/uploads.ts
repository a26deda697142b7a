/** The states of an upload, and the facts that the check of its file found. */

/**
 * RECEIVING: bytes are missing. RECEIVED: all are here, the check has not ended. STORED: it is a recording. QUARANTINED:
 * kept until a person decides. REJECTED: a person decided against it. REFUSED: it will never be taken. EXPIRED, ENDED:
 * given up, by time or by the device.
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

/** What the check found in a file that then waits for a decision. Times in epoch microseconds. */
export interface UploadFacts {
  /** Corrected. */
  startUs: number;
  stopUs: number;
  sensorStartUs: number;
  location: string;
  udid: string;
  samples: number;
}
