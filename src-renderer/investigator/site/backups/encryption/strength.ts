/**
 * How hard a passphrase is to guess, in bits, estimated from below: words, years, repeats and runs on the keyboard count little, because
 * programs try them first. Not a dictionary: it warns of what is clearly weak, and never says that a passphrase is safe.
 */

export type Strength = 'short' | 'weak' | 'fair' | 'strong';

/** As many as the site asks for. */
export const MIN_LENGTH = 10;
/** A guess costs a second of processor time, so 40 bits are some ten thousand years of one processor. */
const FAIR_BITS = 40;
const STRONG_BITS = 60;

/** A word of any length is one of a few thousand that people choose. */
const WORD_BITS = 12;
const COMMON =
  /^(?:pass(?:word|phrase)?|outpost|backups?|clinic|study|letmein|welcome|qwert[yz]?|admin|secret|hospital|love)$/;
const RUNS = ['abcdefghijklmnopqrstuvwxyz', '01234567890', 'qwertyuiop', 'qwertzuiop', 'asdfghjkl', 'zxcvbnm'];

const isRun = (token: string) =>
  token.length >= 3 && RUNS.some((run) => run.includes(token) || [...run].reverse().join('').includes(token));

/** Letters, digits and other characters separately. */
const TOKENS = /\p{Script=Latin}+|\p{N}+|\p{Script=Han}+|[\p{Script=Hiragana}\p{Script=Katakana}ー]+|[^\p{L}\p{N}]/gu;

function bitsOf(token: string): number {
  const lower = token.toLowerCase();
  const { length } = [...token];
  if (new Set(lower).size === 1) return 4 + Math.log2(length);
  if (COMMON.test(lower)) return 3;
  if (isRun(lower)) return 4;
  if (/^(?:19|20)\d\d$/.test(token)) return 6;
  if (/^\p{N}/u.test(token)) return 3.3 * length;
  const mixed = token !== lower && token !== token.toUpperCase() && !/^\p{Lu}\p{Ll}+$/u.test(token) ? length : 0;
  if (/^\p{Script=Latin}/u.test(token)) return mixed > 0 ? 5 * length : Math.min(4 * length, WORD_BITS);
  if (/^\p{Script=Han}/u.test(token)) return 7 * length;
  return /^\p{L}/u.test(token) ? 4 * length : 4;
}

/** Letters that people write as digits. */
const DISGUISED: Record<string, string> = { '0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '@': 'a', $: 's' };
const DISGUISE_BITS = 6;

export function bitsOfPassphrase(passphrase: string): number {
  const plain = passphrase.replaceAll(/[01345@$]/g, (character) => DISGUISED[character] ?? character);
  return Math.min(bitsOfTokens(passphrase), bitsOfTokens(plain) + DISGUISE_BITS);
}

function bitsOfTokens(passphrase: string): number {
  const seen = new Set<string>();
  let bits = 0;
  for (const [token] of passphrase.matchAll(TOKENS)) {
    const known = token.toLowerCase();
    bits += seen.has(known) ? 1 : bitsOf(token);
    seen.add(known);
  }
  return bits;
}

export function strengthOf(passphrase: string): Strength {
  if ([...passphrase].length < MIN_LENGTH) return 'short';
  const bits = bitsOfPassphrase(passphrase);
  return bits >= STRONG_BITS ? 'strong' : bits >= FAIR_BITS ? 'fair' : 'weak';
}

/** Without letters and digits that look alike on paper. */
const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const GROUPS = 5;
const GROUP_LENGTH = 5;

/** A random passphrase of 125 bits, in groups that can be read aloud. */
export function suggestPassphrase(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(GROUPS * GROUP_LENGTH));
  const letters = Array.from(bytes, (byte) => ALPHABET[byte % ALPHABET.length]).join('');
  return letters.match(new RegExp(`.{${GROUP_LENGTH}}`, 'g'))?.join('-') ?? letters;
}
