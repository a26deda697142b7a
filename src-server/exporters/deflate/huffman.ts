/** Huffman codes of DEFLATE: lengths within a limit, and canonical codes with their bits in the order of the stream. */

/**
 * Returns the code length of each symbol, zero for symbols that do not occur. A single symbol gets a code of one bit.
 * Lengths beyond the limit are shortened at the cost of the longest others, as zlib and miniz do, instead of optimally.
 */
export function lengthsOf(counts: Uint32Array, limit: number): Uint8Array {
  const lengths = new Uint8Array(counts.length);
  const symbols = [...counts.keys()].filter((symbol) => counts[symbol]! > 0);
  symbols.sort((a, b) => counts[a]! - counts[b]! || a - b);
  if (symbols.length < 2) {
    for (const symbol of symbols) lengths[symbol] = 1;
    return lengths;
  }
  const perLength = countLengths(symbols.map((symbol) => counts[symbol]!));
  for (let length = perLength.length - 1; length > limit; length--) perLength[limit]! += perLength[length]!;
  const atLimit = perLength.slice(0, limit + 1);
  // Kraft: the codes fit when these shares add up to one.
  let share = 0;
  for (let length = 1; length < atLimit.length; length++) share += atLimit[length]! * 2 ** (limit - length);
  while (share > 2 ** limit) {
    let length = limit - 1;
    while (atLimit[length]! === 0) length--;
    atLimit[length]!--;
    atLimit[length + 1]! += 2;
    atLimit[limit]!--;
    share--;
  }
  // The rarest symbols get the longest codes.
  let next = 0;
  for (let length = atLimit.length - 1; length > 0; length--) {
    for (let i = 0; i < atLimit[length]!; i++) lengths[symbols[next++]!] = length;
  }
  return lengths;
}

/** Returns how many codes of each length a Huffman tree of these ascending weights has. */
function countLengths(weights: readonly number[]): number[] {
  const parents: number[] = [];
  const sums: number[] = [...weights];
  let leaf = 0;
  let inner = weights.length;
  const lightest = (): number =>
    leaf < weights.length && (inner >= sums.length || sums[leaf]! <= sums[inner]!) ? leaf++ : inner++;
  while (sums.length < 2 * weights.length - 1) {
    const [a, b] = [lightest(), lightest()];
    parents[a] = sums.length;
    parents[b] = sums.length;
    sums.push(sums[a]! + sums[b]!);
  }
  const depths: number[] = [];
  depths[sums.length - 1] = 0;
  const perLength: number[] = new Array<number>(weights.length + 16).fill(0);
  for (let node = sums.length - 2; node >= 0; node--) {
    depths[node] = depths[parents[node]!]! + 1;
    if (node < weights.length) perLength[depths[node]!]!++;
  }
  return perLength;
}

/** Returns the canonical code of each symbol with its first bit lowest, as DEFLATE stores codes. */
export function codesOf(lengths: Uint8Array): Uint16Array {
  const perLength = new Uint32Array(17);
  for (const length of lengths) if (length > 0) perLength[length]!++;
  const next = new Uint32Array(17);
  for (let length = 1; length <= 16; length++) next[length] = (next[length - 1]! + perLength[length - 1]!) << 1;
  const codes = new Uint16Array(lengths.length);
  for (const [symbol, length] of lengths.entries()) {
    if (length === 0) continue;
    let code = next[length]!++;
    let reversed = 0;
    for (let bit = 0; bit < length; bit++) {
      reversed = (reversed << 1) | (code & 1);
      code >>= 1;
    }
    codes[symbol] = reversed;
  }
  return codes;
}
