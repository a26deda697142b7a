/** A failure of a sensor or of its link: a stable code, which the screens have sentences for, and an English sentence for logs. */
export class SensorProblem extends Error {
  readonly code: string;
  /** Trying again cannot help: the device lacks what is needed. */
  readonly isFinal: boolean;

  constructor(code: string, message: string, isFinal = false) {
    super(message);
    this.name = 'SensorProblem';
    this.code = code;
    this.isFinal = isFinal;
  }
}

/** Code of a write that came after its owner was gone, such as by a wipe: nothing was written. */
export const OWNER_GONE = 'OWNER_GONE';
