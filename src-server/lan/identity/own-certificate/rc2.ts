/**
 * RC2 in CBC mode (RFC 2268), decryption only. Old PKCS#12 files hide their certificates, not their key, behind 40 bits of it, and
 * no runtime of ours brings it any more. Never a protection of anything here.
 */

const BLOCK_BYTES = 8;
const WORD = 0xffff;
/** Rotations of the four words of a block. */
const ROTATIONS = [1, 2, 3, 5] as const;

const PI_TABLE = Uint8Array.from(
  Buffer.from(
    'd978f9c419ddb5ed28e9fd794aa0d89dc67e37832b76538e624c6488448bfba2179a59f587b34f1361456d8d09817d32bd8f40eb86b77b0bf09521225c6b4e82' +
      '54d66593ce60b21c7356c014a78cf1dc1275ca1f3bbee4d1423dd430a33cb6266fbf0eda4669075727f21d9bbc944303f811c7f690ef3ee706c3d52fc8661ed7' +
      '08e8eade8052eef784aa72ac354d6a2a961ad2715a1549744b9fd05e0418a4ecc2e0416e0f51cbcc2491af50a1f47039997c3a8523b8b47afc02365b25559731' +
      '2d5dfa98e38a92ae05df2910676cbac9d300e6cfe19ea82c6316013f58e289a90d38341bab33ffb0bb480c5fb9b1cd2ec5f3db47e5a59c770aa62068fe7fc1ad',
    'hex',
  ),
);

const pi = (index: number): number => PI_TABLE[index & 0xff] ?? 0;

/** The 64 words that a key expands to; `effectiveBits` is the length of the key that counts. */
function expandKey(key: Uint8Array, effectiveBits: number): Uint16Array {
  const bytes = new Uint8Array(128);
  bytes.set(key);
  const at = (index: number): number => bytes[index] ?? 0;
  for (let i = key.length; i < 128; i += 1) bytes[i] = pi(at(i - 1) + at(i - key.length));
  const kept = Math.ceil(effectiveBits / 8);
  const mask = 0xff >> (8 * kept - effectiveBits);
  bytes[128 - kept] = pi(at(128 - kept) & mask);
  for (let i = 127 - kept; i >= 0; i -= 1) bytes[i] = pi(at(i + 1) ^ at(i + kept));
  return Uint16Array.from({ length: 64 }, (_, i) => at(2 * i) | (at(2 * i + 1) << 8));
}

function decryptBlock(words: number[], key: Uint16Array): void {
  const word = (index: number): number => words[index & 3] ?? 0;
  let next = 63;
  const mix = () => {
    for (let i = 3; i >= 0; i -= 1) {
      const by = ROTATIONS[i] ?? 0;
      const turned = ((word(i) >>> by) | (word(i) << (16 - by))) & WORD;
      const before = (word(i + 3) & word(i + 2)) + (~word(i + 3) & word(i + 1) & WORD);
      words[i] = (turned - (key[next] ?? 0) - before) & WORD;
      next -= 1;
    }
  };
  const mash = () => {
    for (let i = 3; i >= 0; i -= 1) words[i] = (word(i) - (key[word(i + 3) & 63] ?? 0)) & WORD;
  };
  for (const rounds of [5, 6, 5]) {
    if (rounds === 6 || next < 43) mash();
    for (let round = 0; round < rounds; round += 1) mix();
  }
}

/** Returns the plain text with its padding removed, or undefined when the padding is wrong: another key. */
export function decryptRc2(key: Uint8Array, iv: Uint8Array, encrypted: Uint8Array): Uint8Array | undefined {
  if (encrypted.length === 0 || encrypted.length % BLOCK_BYTES !== 0) return undefined;
  const expanded = expandKey(key, 8 * key.length);
  const plain = new Uint8Array(encrypted.length);
  let previous = iv;
  for (let start = 0; start < encrypted.length; start += BLOCK_BYTES) {
    const block = encrypted.subarray(start, start + BLOCK_BYTES);
    const words = [0, 2, 4, 6].map((i) => (block[i] ?? 0) | ((block[i + 1] ?? 0) << 8));
    decryptBlock(words, expanded);
    for (let i = 0; i < BLOCK_BYTES; i += 1) {
      plain[start + i] = ((words[i >> 1] ?? 0) >>> (8 * (i & 1))) ^ (previous[i] ?? 0);
    }
    previous = block;
  }
  const padding = plain.at(-1) ?? 0;
  const isPadded = padding >= 1 && padding <= BLOCK_BYTES && plain.subarray(-padding).every((byte) => byte === padding);
  return isPadded ? plain.subarray(0, -padding) : undefined;
}
