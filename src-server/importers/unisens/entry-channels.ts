/** What a data file of Unisens becomes: the type, unit and dimensions of its channel. The unit decides where the class contradicts it. */
import { type Quantity, timeUnit, unitFactor, unitOffset } from '../units.ts';
import { channelCount } from './entry-rows.ts';
import type { UnisensEntry } from './unisens-header.ts';

export interface EntryPlan {
  type: string;
  /** In the order of the file. */
  dimensions: string[];
  /** Channels of the file in the order in which they are stored. */
  order: number[];
  unit: string;
  /** Stored value = value in the file * factor + offset. */
  factor: number;
  offset: number;
  note?: string;
}

interface Meaning {
  name: RegExp;
  quantity: Quantity;
  type: string;
  unit: string;
  /** Where the file names no unit. */
  assumed?: string;
}

const MEANINGS: readonly Meaning[] = [
  { name: /^(?:ECG|EKG)/, quantity: 'VOLTAGE', type: 'ECG', unit: 'V', assumed: 'mV' },
  { name: /^EMG/, quantity: 'VOLTAGE', type: 'EMG', unit: 'V', assumed: 'mV' },
  { name: /^ACC/, quantity: 'ACCELERATION', type: 'ACCEL', unit: 'g', assumed: 'g' },
  { name: /^(?:GYRO|ANGULAR|ROT)/, quantity: 'ROTATION', type: 'GYRO', unit: 'dps', assumed: 'deg/s' },
  { name: /^MAG/, quantity: 'MAGNETIC_FIELD', type: 'MAGNETOMETER', unit: 'uT' },
  { name: /^(?:EDA|GSR|SCL|SKINCOND)/, quantity: 'CONDUCTANCE', type: 'EDA', unit: 'uS' },
  { name: /TEMP/, quantity: 'TEMPERATURE', type: 'TEMPERATURE', unit: 'degC' },
  { name: /^(?:AIR|BARO)?_?PRES/, quantity: 'PRESSURE', type: 'PRESSURE', unit: 'hPa' },
  { name: /^(?:LIGHT|ILLUM|LUX)/, quantity: 'ILLUMINANCE', type: 'LIGHT', unit: 'lux' },
];
const INTERVALS = /^(?:RR|IBI|NN|BB)/;
const SPATIAL: ReadonlySet<string> = new Set(['ACCEL', 'GYRO', 'MAGNETOMETER']);

const wireName = (name: string): string =>
  name
    .trim()
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');

/** The file's name without its extension. */
export const stemOf = ({ id }: UnisensEntry): string => id.slice(id.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '');

export function planOf(entry: UnisensEntry): EntryPlan {
  const names = [entry.contentClass, stemOf(entry).toUpperCase()].filter((name) => name !== '');
  const { unit } = entry;
  for (const name of names) {
    const meaning = MEANINGS.find((candidate) => candidate.name.test(name));
    const isAssumed = unit === '' && meaning?.assumed !== undefined;
    const fileUnit = isAssumed ? (meaning.assumed as string) : unit;
    const factor = meaning && unitFactor(meaning.quantity, fileUnit);
    if (!meaning || factor === undefined) continue;
    const offset = unitOffset(meaning.quantity, fileUnit);
    return {
      ...axesOf(entry, meaning.type),
      unit: meaning.unit,
      factor,
      offset,
      ...(isAssumed && { note: `${entry.id} has no unit; ${fileUnit} was assumed.` }),
    };
  }
  const time = timeUnit(unit);
  const isIntervals =
    entry.kind === 'VALUES' && names.some((name) => INTERVALS.test(name)) && channelCount(entry) === 1;
  if (isIntervals && time?.kind === 'number') {
    return { type: 'RR', dimensions: ['rr'], order: [0], unit: 's', factor: 10 ** (time.power - 6), offset: 0 };
  }
  return { ...axesOf(entry, foreignType(entry, names)), unit, factor: 1, offset: 0 };
}

/** A name of its own for everything else: never that of a quantity which it is not. */
function foreignType(entry: UnisensEntry, names: readonly string[]): string {
  if (/^mm ?hg$/i.test(entry.unit)) return 'BLOOD_PRESSURE';
  const name = names.map(wireName).find((candidate) => candidate !== '') ?? 'SIGNAL';
  const isTaken = INTERVALS.test(name) || MEANINGS.some((meaning) => meaning.name.test(name));
  return isTaken ? `${name}_RAW` : name;
}

function axesOf(entry: UnisensEntry, type: string): Pick<EntryPlan, 'type' | 'dimensions' | 'order'> {
  const count = channelCount(entry);
  const order = Array.from({ length: count }, (_, i) => i);
  if (SPATIAL.has(type)) {
    if (count !== 3) return { type: `${type}_SINGLE`, dimensions: slugs(entry, count), order };
    const axes = entry.channels.map((name) => /([xyz])$/i.exec(name)?.[1]?.toLowerCase() ?? '');
    // Three channels without names of axes are in the order of the axes.
    const isNamed = ['x', 'y', 'z'].every((axis) => axes.includes(axis));
    const sorted = isNamed ? ['x', 'y', 'z'].map((axis) => axes.indexOf(axis)) : order;
    return { type, dimensions: ['x', 'y', 'z'], order: sorted };
  }
  return { type, dimensions: slugs(entry, count), order };
}

/** The first dimension is `v` everywhere; the others have the names of the file. */
function slugs({ channels }: UnisensEntry, count: number): string[] {
  const taken = new Set<string>();
  return Array.from({ length: count }, (_, i) => {
    const name = wireName(channels[i] ?? '').toLowerCase();
    const slug = i === 0 ? 'v' : name === '' || name === 'v' || taken.has(name) ? `channel_${i + 1}` : name;
    taken.add(slug);
    return slug;
  });
}
