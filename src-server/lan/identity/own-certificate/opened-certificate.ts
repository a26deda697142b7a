import type { KeyObject, X509Certificate } from 'node:crypto';

/** What a file held, in its order. */
export interface OpenedCertificate {
  certificates: X509Certificate[];
  keys: KeyObject[];
}
