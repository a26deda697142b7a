/** What the channels of a mapping become: type, dimensions, the unit they are stored in and the way there. */

import { FOREIGN_CHANNELS } from '../../vocabulary/channels.ts';
import type { CsvChannel, CsvChannelType, CsvMapping } from '../../vocabulary/csv-mapping.ts';
import { type Quantity, timeUnit, unitFactor, unitOffset, unknownTimeUnit, unknownUnit } from '../units.ts';

export interface ChannelPlan {
  /** Place in the mapping. */
  index: number;
  type: string;
  dimensions: string[];
  /** Stored value = value in the file * factor + offset, in `unit`. */
  unit: string;
  fileUnit: string;
  factor: number;
  offset: number;
  isBeats: boolean;
}

const QUANTITIES: Partial<Record<CsvChannelType, { quantity: Quantity; unit: string }>> = {
  ECG: { quantity: 'VOLTAGE', unit: 'V' },
  EMG: { quantity: 'VOLTAGE', unit: 'V' },
  ACCEL: { quantity: 'ACCELERATION', unit: 'g' },
  GYRO: { quantity: 'ROTATION', unit: 'dps' },
  MAGNETOMETER: { quantity: 'MAGNETIC_FIELD', unit: FOREIGN_CHANNELS.MAGNETOMETER.unit },
  EDA: { quantity: 'CONDUCTANCE', unit: FOREIGN_CHANNELS.EDA.unit },
  TEMPERATURE: { quantity: 'TEMPERATURE', unit: FOREIGN_CHANNELS.TEMPERATURE.unit },
  LIGHT: { quantity: 'ILLUMINANCE', unit: FOREIGN_CHANNELS.LIGHT.unit },
};

const isSpatial = (type: CsvChannelType): boolean => type === 'ACCEL' || type === 'GYRO' || type === 'MAGNETOMETER';

/** @throws UNIT_UNKNOWN */
export function channelPlans(path: string, mapping: CsvMapping): ChannelPlan[] {
  const turns = new Map<string, number>();
  return mapping.channels.map((channel, index) => {
    const name = typeName(channel);
    const turn = (turns.get(name) ?? 0) + 1;
    turns.set(name, turn);
    return {
      index,
      type: turn === 1 ? name : `${name}_${turn}`,
      dimensions: dimensionsOf(channel),
      fileUnit: channel.unit.trim(),
      isBeats: channel.type === 'RR',
      ...conversionOf(path, channel),
    };
  });
}

function typeName({ type, name }: CsvChannel): string {
  if (type !== 'OTHER') return type;
  return (name ?? '').trim().toUpperCase().replace(/\s+/g, '_') || 'SIGNAL';
}

function dimensionsOf({ type, columns }: CsvChannel): string[] {
  if (isSpatial(type)) return ['x', 'y', 'z'];
  if (type === 'RR') return ['rr'];
  return columns.map((_, index) => (index === 0 ? 'v' : `v${index + 1}`));
}

function conversionOf(path: string, { type, unit }: CsvChannel): { unit: string; factor: number; offset: number } {
  if (type === 'RR') {
    const time = timeUnit(unit);
    if (time?.kind !== 'number') throw unknownTimeUnit(path, type, unit);
    return { unit: 's', factor: 10 ** (time.power - 6), offset: 0 };
  }
  const known = QUANTITIES[type];
  // Light, for one, is often a raw count of the sensor: stored as it is, as every signal without a unit of its own.
  if (!known || unit.trim().toLowerCase() === 'adu') return { unit: unit.trim(), factor: 1, offset: 0 };
  const factor = unitFactor(known.quantity, unit);
  if (factor === undefined) throw unknownUnit(path, type, unit, known.quantity);
  return { unit: known.unit, factor, offset: unitOffset(known.quantity, unit) };
}
