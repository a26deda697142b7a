/** What goes wrong on a phone, and what a refusal of the whole call means for what it holds. */

export type PhoneProblemCode = 'NOT_A_SIGN_IN_CODE' | 'CODE_VERSION' | 'CODE_WITHOUT_ADDRESS' | 'CODE_EXPIRED';

export class PhoneProblem extends Error {
  readonly code: PhoneProblemCode;

  constructor(code: PhoneProblemCode, message: string) {
    super(message);
    this.name = 'PhoneProblem';
    this.code = code;
  }
}

/**
 * `WIPE`: the site ended the right of this phone to hold the subject's data. `STOP`: repeating the call is of no use until somebody
 * at the site has acted, and everything is kept. `LATER`: try again.
 */
export type Consequence = 'WIPE' | 'STOP' | 'LATER';

const CONSEQUENCES: Readonly<Record<string, Consequence>> = {
  DEVICE_REVOKED: 'WIPE',
  SUBJECT_ERASED: 'WIPE',
  // A site restored from an older backup may not know the phone yet, and a closed subject may be opened again.
  UNAUTHORIZED: 'STOP',
  DEVICE_WRONG_SITE: 'STOP',
  FORBIDDEN: 'STOP',
};

/** Of a refusal of a whole call, by its code. */
export const consequenceOf = (code: string): Consequence => CONSEQUENCES[code] ?? 'LATER';
