/** `info.txt` of an ActiGraph file: `Key: value` lines, dates as .NET ticks of the device's wall clock. */

export interface ActigraphInfo {
  serial?: string;
  deviceType?: string;
  firmware?: string;
  sampleRateHz?: number;
  /** Seconds since 1970 on the device's wall clock. */
  startSecond?: number;
  /** The latest second that the file's facts allow: download, last sample or planned stop. */
  lastSecond?: number;
  /** Offset of the computer that set the device. */
  utcOffsetMinutes?: number;
  countsPerG?: number;
  limb?: string;
  side?: string;
}

const TICKS_OF_1970 = 621_355_968_000_000_000n;
const TICKS_PER_SECOND = 10_000_000n;
const MAX_OFFSET_MINUTES = 14 * 60;

export function parseInfo(bytes: Uint8Array): ActigraphInfo {
  const fields = new Map<string, string>();
  for (const line of Buffer.from(bytes)
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon > 0) fields.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  const text = (key: string): string | undefined => fields.get(key) || undefined;
  const number = (key: string): number | undefined => {
    const value = Number(text(key)?.replace(',', '.'));
    return Number.isFinite(value) && value > 0 ? value : undefined;
  };
  const dates = ['download date', 'last sample time', 'stop date'].map((key) => secondOfTicks(text(key)));
  const lastSecond = Math.max(...dates.map((second) => second ?? 0));
  return {
    serial: text('serial number'),
    deviceType: text('device type'),
    firmware: text('firmware'),
    sampleRateHz: number('sample rate'),
    startSecond: secondOfTicks(text('start date')),
    lastSecond: lastSecond > 0 ? lastSecond : undefined,
    utcOffsetMinutes: offsetMinutes(text('timezone')),
    countsPerG: number('acceleration scale'),
    limb: text('limb'),
    side: text('side'),
  };
}

/** Whole seconds since 1970; undefined where the date is not set (0) or is not a number. */
function secondOfTicks(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,19}$/.test(text)) return undefined;
  const seconds = (BigInt(text) - TICKS_OF_1970) / TICKS_PER_SECOND;
  return seconds > 0n ? Number(seconds) : undefined;
}

/** `-04:00:00` or `05:30` to minutes east of UTC. */
export function offsetMinutes(text: string | undefined): number | undefined {
  const parts = /^([+-]?)(\d{1,2}):(\d\d)(?::\d\d(?:\.\d+)?)?$/.exec(text ?? '');
  if (!parts) return undefined;
  const minutes = Number(parts[2]) * 60 + Number(parts[3]);
  if (minutes > MAX_OFFSET_MINUTES) return undefined;
  return parts[1] === '-' ? -minutes : minutes;
}
