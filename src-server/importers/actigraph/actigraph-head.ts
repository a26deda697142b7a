/** Tells an ActiGraph file from other ZIPs, by the names of its members. */

/** All that ActiGraph's software puts into its files, old and new. */
const MEMBERS: ReadonlySet<string> = new Set([
  'log.bin',
  'activity.bin',
  'battery.bin',
  'eeprom.bin',
  'event.bin',
  'firmware.bin',
  'lux.bin',
  'info.txt',
  'metadata.json',
  'calibration.json',
  'temperature.json',
  'temperature_calibration.json',
]);

/** A ZIP that was cut off has lost its list and its last members: `info.txt` may be missing, but nothing foreign is there. */
export function isActigraph(names: readonly string[]): boolean {
  const hasLog = names.includes('log.bin') || names.includes('activity.bin');
  return hasLog && (names.includes('info.txt') || names.every((name) => MEMBERS.has(name)));
}
