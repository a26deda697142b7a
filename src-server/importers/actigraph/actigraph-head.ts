/** Tells an ActiGraph file from other ZIPs, by the names of its members. */

/** A ZIP that was cut off has lost its list: then only the first member is known, and ActiGraph's software writes the log first. */
export function isActigraph(names: readonly string[]): boolean {
  const hasLog = names.includes('log.bin') || names.includes('activity.bin');
  return hasLog && (names.includes('info.txt') || names.length === 1);
}
