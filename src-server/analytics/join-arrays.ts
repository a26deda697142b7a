/** Joins arrays of one kind, the only one without a copy. */
export function joinArrays<T extends Uint8Array | Float32Array | Float64Array>(
  parts: readonly T[],
  make: (length: number) => T,
): T {
  if (parts.length === 1) return parts[0]!;
  const whole = make(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
