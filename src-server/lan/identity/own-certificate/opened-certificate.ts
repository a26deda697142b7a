import type { KeyObject, X509Certificate } from 'node:crypto';
import { OutpostError } from '../../../errors.ts';

/** What a file held, in its order. */
export interface OpenedCertificate {
  certificates: X509Certificate[];
  keys: KeyObject[];
}

/** A server needs one key and a chain of a few certificates; each more costs time to compare. */
export const MOST_BLOCKS = 50;

export function tooMany(): OutpostError {
  return new OutpostError(
    'CERTIFICATE_UNREADABLE',
    `There are more than ${MOST_BLOCKS} certificates and keys in this file. Leave only the certificate, its key and the authorities above it.`,
  );
}
