/**
 * Unit conversion of all imports: to V, g, deg/s, uS, degC, uT, lux, hPa and microseconds. Unknown units are rejected, because a wrong factor would go
 * unnoticed.
 */
import { basename } from 'node:path';
import { type DiagnosticCode, diagnostic } from '../diagnostics.ts';
import { OutpostError } from '../errors.ts';

export type Quantity =
  | 'VOLTAGE'
  | 'ACCELERATION'
  | 'ROTATION'
  | 'CONDUCTANCE'
  | 'TEMPERATURE'
  | 'MAGNETIC_FIELD'
  | 'ILLUMINANCE'
  | 'PRESSURE';

const STANDARD_GRAVITY = 9.80665;
const DEGREES_PER_RADIAN = 180 / Math.PI;

/** Factors to the units of {@link TARGETS}, by the spelling that {@link plainUnit} normalises to. */
const FACTORS: Record<Quantity, Readonly<Record<string, number>>> = {
  VOLTAGE: {
    v: 1,
    volt: 1,
    volts: 1,
    mv: 1e-3,
    millivolt: 1e-3,
    millivolts: 1e-3,
    uv: 1e-6,
    microvolt: 1e-6,
    microvolts: 1e-6,
    nv: 1e-9,
  },
  ACCELERATION: {
    g: 1,
    gn: 1,
    g0: 1,
    mg: 1e-3,
    ug: 1e-6,
    'm/s2': 1 / STANDARD_GRAVITY,
    'm/s/s': 1 / STANDARD_GRAVITY,
    'm/sec2': 1 / STANDARD_GRAVITY,
    'ms-2': 1 / STANDARD_GRAVITY,
    'cm/s2': 0.01 / STANDARD_GRAVITY,
    'mm/s2': 0.001 / STANDARD_GRAVITY,
    gal: 0.01 / STANDARD_GRAVITY,
    mgal: 1e-5 / STANDARD_GRAVITY,
  },
  ROTATION: {
    'deg/s': 1,
    'deg/sec': 1,
    'degs-1': 1,
    'degrees/s': 1,
    'degree/s': 1,
    dps: 1,
    'mdeg/s': 1e-3,
    mdps: 1e-3,
    'rad/s': DEGREES_PER_RADIAN,
    'rad/sec': DEGREES_PER_RADIAN,
    'rads-1': DEGREES_PER_RADIAN,
    'mrad/s': DEGREES_PER_RADIAN / 1000,
  },
  CONDUCTANCE: { us: 1, usiemens: 1, microsiemens: 1, ms: 1000, ns: 1e-3, s: 1e6 },
  TEMPERATURE: {
    degc: 1,
    c: 1,
    cel: 1,
    celsius: 1,
    degreescelsius: 1,
    k: 1,
    kelvin: 1,
    degf: 5 / 9,
    f: 5 / 9,
    fahrenheit: 5 / 9,
  },
  // One gauss is 100 uT.
  MAGNETIC_FIELD: {
    ut: 1,
    microtesla: 1,
    t: 1e6,
    mt: 1000,
    nt: 1e-3,
    g: 100,
    ga: 100,
    gauss: 100,
    mg: 0.1,
    mgauss: 0.1,
  },
  ILLUMINANCE: { lux: 1, lx: 1, klux: 1000, klx: 1000 },
  PRESSURE: { hpa: 1, mbar: 1, pa: 0.01, kpa: 10, bar: 1000, mmhg: 1.33322387415 },
};

/** Physical value = value in the file * factor + offset; only scales of temperature have an offset. */
const OFFSETS: Readonly<Record<string, number>> = {
  k: -273.15,
  kelvin: -273.15,
  degf: -160 / 9,
  f: -160 / 9,
  fahrenheit: -160 / 9,
};

/** Units of stored values, and the spellings that an error message suggests. */
const TARGETS: Record<Quantity, { unit: string; accepted: string }> = {
  VOLTAGE: { unit: 'V', accepted: 'V, mV, uV, nV' },
  ACCELERATION: { unit: 'g', accepted: 'g, mg, m/s^2, cm/s^2, mm/s^2, Gal' },
  ROTATION: { unit: 'deg/s', accepted: 'deg/s, dps, mdps, rad/s, mrad/s' },
  CONDUCTANCE: { unit: 'uS', accepted: 'uS, mS, nS, S' },
  TEMPERATURE: { unit: 'degC', accepted: 'degC, K, degF' },
  MAGNETIC_FIELD: { unit: 'uT', accepted: 'uT, nT, mT, G, mG' },
  ILLUMINANCE: { unit: 'lux', accepted: 'lux, klux' },
  PRESSURE: { unit: 'hPa', accepted: 'hPa, Pa, kPa, mbar, bar, mmHg' },
};

/** Power of ten from a time unit to microseconds. */
const TIME_POWERS: Readonly<Record<string, number>> = {
  s: 6,
  sec: 6,
  second: 6,
  seconds: 6,
  ms: 3,
  msec: 3,
  millisecond: 3,
  milliseconds: 3,
  us: 0,
  usec: 0,
  microsecond: 0,
  microseconds: 0,
  ns: -3,
  nanosecond: -3,
  nanoseconds: -3,
};
const ACCEPTED_TIMES = 's, ms, us, ns, ISO 8601';

/**
 * Normalises the spelling of a unit: `m/s²`, `m/(s^2)` and `M/S2` become `m/s2`, `°/s` becomes `deg/s`, `µV` and `μV` become
 * `uV`. Case is ignored, since devices write `MV` and `G` and no two accepted units differ by case alone. ASCII formats such
 * as EDF turn the degree sign into `?`.
 */
function plainUnit(unit: string): string {
  return unit
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s^*·.⋅()]/g, '')
    .replace(/[\u2212\u2013\u2010]/g, '-')
    .replaceAll('μ', 'u')
    .replace(/^(?:°|º|\?|\ufffd)(?=\/s|s-1|[cf]$)/, 'deg');
}

/** Returns the factor to the unit of stored values; undefined for an unknown or empty unit. */
export function unitFactor(quantity: Quantity, unit: string): number | undefined {
  const plain = plainUnit(unit);
  return Object.hasOwn(FACTORS[quantity], plain) ? FACTORS[quantity][plain] : undefined;
}

/** Returns what to add after multiplying by {@link unitFactor}: 0 except for temperatures that are not in degrees Celsius. */
export function unitOffset(quantity: Quantity, unit: string): number {
  return quantity === 'TEMPERATURE' ? (OFFSETS[plainUnit(unit)] ?? 0) : 0;
}

/** Format of a file's times: text, or a number in a unit of 10^`power` microseconds. */
export type TimeUnit = { kind: 'ISO 8601' } | { kind: 'number'; power: number };

export const MICROSECONDS: TimeUnit = { kind: 'number', power: 0 };

/** Returns the unit that a time column's header names; undefined when it is unknown. */
export function timeUnit(unit: string): TimeUnit | undefined {
  const plain = plainUnit(unit);
  if (/^iso-?8601$/.test(plain)) return { kind: 'ISO 8601' };
  const power = Object.hasOwn(TIME_POWERS, plain) ? TIME_POWERS[plain] : undefined;
  return power === undefined ? undefined : { kind: 'number', power };
}

/** An error that the desk can translate: its facts are in the error's details. */
function refusal<Code extends DiagnosticCode & ('UNIT_UNKNOWN' | 'TIME_IMPLAUSIBLE')>(
  code: Code,
  ...facts: Parameters<typeof diagnostic<Code>> extends [Code, ...infer Rest] ? Rest : never
): OutpostError {
  const { message, facts: details } = diagnostic(code, ...(facts as never));
  return new OutpostError(code, message, { details });
}

/** @param column as the file names it */
export function unknownUnit(path: string, column: string, unit: string, quantity: Quantity): OutpostError {
  const { unit: target, accepted } = TARGETS[quantity];
  return refusal('UNIT_UNKNOWN', { file: basename(path), column, unit, target, accepted });
}

export function unknownTimeUnit(path: string, column: string, unit: string): OutpostError {
  return refusal('UNIT_UNKNOWN', { file: basename(path), column, unit, target: 'us', accepted: ACCEPTED_TIMES });
}

/** Plausible times: no supported sensor recorded before 1980, and no clock runs 75 years ahead. */
const EARLIEST_US = Date.UTC(1980, 0, 1) * 1000;
const LATEST_US = Date.UTC(2100, 0, 1) * 1000;
/** True for a time after this century. */
export const isBeyondClocks = (timeUs: number): boolean => !(timeUs < LATEST_US);

const READINGS: readonly (readonly [string, number])[] = [
  ['s', 6],
  ['ms', 3],
  ['us', 0],
  ['ns', -3],
];

/**
 * Rejects a first time outside 1980 to 2099 in the unit that the file states: seconds under "(microseconds)" fall in 1970,
 * microseconds under "(ms)" after the year 50,000. The error suggests the likelier unit but none is assumed: magnitude
 * identifies a unit only if the clock was right, and a wrong guess would move a recording to other days unnoticed.
 *
 * @throws TIME_IMPLAUSIBLE
 */
export function requirePlausibleTime(path: string, firstUs: number, unit: TimeUnit): void {
  if (firstUs >= EARLIEST_US && firstUs < LATEST_US) return;
  // A textual date has no unit; it was parsed to microseconds.
  const power = unit.kind === 'number' ? unit.power : 0;
  const written = firstUs / 10 ** power;
  const stated = READINGS.find(([, other]) => other === power)?.[0] ?? 'us';
  const others = READINGS.filter(([, other]) => other !== power).map(
    ([name, other]) => `${dayOf(written * 10 ** other)} (${name})`,
  );
  throw refusal('TIME_IMPLAUSIBLE', {
    file: basename(path),
    unit: stated,
    day: dayOf(firstUs),
    others: others.join(', '),
  });
}

/** `1970-01-19`; only the year beyond 9999, where the day is meaningless. */
function dayOf(timeUs: number): string {
  const date = new Date(timeUs / 1000);
  if (Number.isNaN(date.getTime())) return timeUs > 0 ? 'year 275760+' : 'year 0';
  const year = date.getUTCFullYear();
  return year > 9999 ? `year ${year}` : date.toISOString().slice(0, 10);
}
