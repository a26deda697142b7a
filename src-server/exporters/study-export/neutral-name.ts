/** Names of de-identified files. */
import { sha256Hex } from '../../files/content-hash.ts';

const HASH_CHARACTERS = 16;

/**
 * Returns a file name that reveals no study, subject, id or day; the same parts yield the same name. Ids hold 74 random bits, so
 * the hash cannot be reversed by brute force.
 */
export function neutralName(what: 'study' | 'recording', ...parts: readonly string[]): string {
  const hash = sha256Hex(JSON.stringify(['file', what, ...parts]));
  return `deidentified-${what}-${hash.slice(0, HASH_CHARACTERS)}`;
}
