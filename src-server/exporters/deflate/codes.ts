/** The length and distance codes of DEFLATE (RFC 1951, 3.2.5). */

export const LITERALS = 286;
export const DISTANCES = 30;
export const END_OF_BLOCK = 256;
export const FIRST_LENGTH = 257;
export const SHORTEST_MATCH = 3;
export const LONGEST_MATCH = 258;
export const FARTHEST_MATCH = 32_768;

/** The base and the number of extra bits of each length or distance code; both grow by the same scheme. */
function ranges(count: number, first: number, plain: number, perStep: number): { base: number[]; extra: number[] } {
  const base: number[] = [];
  const extra: number[] = [];
  let at = first;
  for (let code = 0; code < count; code++) {
    const bits = code < plain ? 0 : Math.floor((code - plain) / perStep) + 1;
    base.push(at);
    extra.push(bits);
    at += 1 << bits;
  }
  return { base, extra };
}

const LENGTH = ranges(28, SHORTEST_MATCH, 8, 4);
// The longest match has a code of its own.
LENGTH.base.push(LONGEST_MATCH);
LENGTH.extra.push(0);
const DISTANCE = ranges(DISTANCES, 1, 4, 2);

export const LENGTH_BASE = Uint16Array.from(LENGTH.base);
export const LENGTH_EXTRA = Uint8Array.from(LENGTH.extra);
export const DISTANCE_BASE = Uint16Array.from(DISTANCE.base);
export const DISTANCE_EXTRA = Uint8Array.from(DISTANCE.extra);

/** Code of each length, from 0. */
export const LENGTH_CODE = new Uint8Array(LONGEST_MATCH + 1);
for (const [code, base] of LENGTH.base.entries()) LENGTH_CODE.fill(code, base);

/** Distances up to here have a table of their own; the code of each 128 of the greater ones is in another. */
export const NEAR_DISTANCE = 256;
export const NEAR_CODE = new Uint8Array(NEAR_DISTANCE + 1);
/** By `(distance - 1) >> 7`. */
export const FAR_CODE = new Uint8Array(FARTHEST_MATCH >> 7);
for (const [code, base] of DISTANCE.base.entries()) {
  if (base <= NEAR_DISTANCE) NEAR_CODE.fill(code, base);
  FAR_CODE.fill(code, base <= NEAR_DISTANCE ? 0 : (base - 1) >> 7);
}
