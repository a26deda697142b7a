/** Names of de-identified files. */
import { sha256Hex } from '../../files/content-hash.ts';

const HASH_CHARACTERS = 16;

/**
 * A name that tells no study, subject, id or day; the same parts give the same one. Ids hold 74 random bits, so nobody
 * finds them by trying.
 */
export function neutralName(what: 'study' | 'recording', ...parts: readonly string[]): string {
  const hash = sha256Hex(JSON.stringify(['file', what, ...parts]));
  return `deidentified-${what}-${hash.slice(0, HASH_CHARACTERS)}`;
}
