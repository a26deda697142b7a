/** Failures of the phone itself; their codes have sentences in the phone's words. */
export type PhoneFailureCode =
  | 'STORAGE_FULL'
  | 'STORAGE_UNAVAILABLE'
  | 'LINK_INVALID'
  | 'LINK_EXPIRED'
  | 'WRONG_SITE'
  | 'ALREADY_SIGNED_IN'
  | 'NOT_FOUND'
  | 'NETWORK'
  | 'SITE_UNAVAILABLE'
  | 'INVALID_INPUT'
  | 'LOCK_WAIT';

export class PhoneFailure extends Error {
  readonly code: PhoneFailureCode;

  constructor(code: PhoneFailureCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'PhoneFailure';
    this.code = code;
  }
}

/** A failed write as the subject has to know it: nothing of it was stored. */
export function storeFailure(thrown: unknown): PhoneFailure {
  const name = thrown instanceof Error ? thrown.name : '';
  return name === 'QuotaExceededError'
    ? new PhoneFailure('STORAGE_FULL', 'There is no room left on this phone. Nothing was stored.', { cause: thrown })
    : new PhoneFailure('STORAGE_UNAVAILABLE', 'This browser does not let the app store anything.', { cause: thrown });
}
