/** What the columns of a signal file of Polar Sensor Logger mean. */
import type { TableChannel } from '../text/timed-table.ts';
import { type Quantity, unitFactor, unknownUnit } from '../units.ts';
import type { PolarColumn, PolarColumns } from './polar-columns.ts';

/** The measured rates of 50 and 52 Hz overlap; a strap has only these. */
const STRAP_RATES = [25, 50, 100, 200];
const RATES = {
  ECG: [130],
  ACCEL: [13, 25, 26, 50, 52, 100, 104, 200, 208, 416],
  GYRO: [13, 26, 50, 52, 100, 104, 200, 208, 416],
  MAGNETOMETER: [10, 20, 50, 100],
  PPG: [28, 44, 55, 135, 176],
} as const;

/** Of axes: gauss is a capital G, acceleration a small one. */
const AXES: readonly { type: 'ACCEL' | 'GYRO' | 'MAGNETOMETER'; test: RegExp; quantity: Quantity; unit: string }[] = [
  { type: 'MAGNETOMETER', test: /^(?:G|mG|[Gg]auss|[uµμ]T)$/, quantity: 'MAGNETIC_FIELD', unit: 'uT' },
  { type: 'GYRO', test: /^(?:dps|deg\/s|°\/s|rad\/s)$/i, quantity: 'ROTATION', unit: 'dps' },
  { type: 'ACCEL', test: /./, quantity: 'ACCELERATION', unit: 'g' },
];

/** The channels of a file and the places of their columns; `columns` of a channel index `numbers`. */
export function polarChannels(columns: PolarColumns, name: string): { channels: TableChannel[]; numbers: number[] } {
  const numbers = [...(columns.sensor === null ? [] : [columns.sensor]), ...columns.values.map(({ place }) => place)];
  const at = ({ place }: PolarColumn): number => numbers.indexOf(place);
  const channels: TableChannel[] = [];
  const left = new Set(columns.values);
  const axes = ['x', 'y', 'z'].map((axis) => columns.values.find((column) => column.name.toLowerCase() === axis));
  if (axes.every((axis) => axis !== undefined)) {
    const { type, quantity, unit } = AXES.find(({ test }) => test.test(axes[0]!.unit)) ?? AXES[2]!;
    channels.push({
      type,
      dimensions: ['x', 'y', 'z'],
      unit,
      columns: axes.map(at),
      factors: axes.map((axis) => factorOf(quantity, axis, name)),
      rates: type === 'ACCEL' && /_H(?:9|10)_/i.test(name) ? STRAP_RATES : RATES[type],
      gapReason: 'LINK_LOST',
    });
    for (const axis of axes) left.delete(axis);
  }
  const lights = [...left].filter((column) => /^(?:channel\s*\d+|ppg\s*\d+|ambient\s*\d*)$/i.test(column.name));
  if (lights.length > 0) {
    channels.push({
      type: 'PPG',
      dimensions: lights.map((light) => light.name.toLowerCase().replace(/\s+/g, '_')),
      unit: 'adu',
      columns: lights.map(at),
      factors: lights.map(() => 1),
      rates: RATES.PPG,
      gapReason: 'LINK_LOST',
    });
    for (const light of lights) left.delete(light);
  }
  // Intervals of beats are no signal.
  for (const column of left) if (column.place === columns.interval?.place) left.delete(column);
  for (const column of left) channels.push(singleChannel(column, at(column), name));
  return { channels, numbers };
}

function singleChannel(column: PolarColumn, index: number, name: string): TableChannel {
  const one = { dimensions: ['v'], columns: [index], factors: [1] };
  if (/^ecg$/i.test(column.name)) {
    const factors = [factorOf('VOLTAGE', column, name)];
    return { ...one, factors, type: 'ECG', unit: 'V', rates: RATES.ECG, gapReason: 'LINK_LOST' };
  }
  // The strap sends 0 while it has no contact.
  if (/^hr$/i.test(column.name))
    return { ...one, type: 'HR', unit: '/min', isZeroAbsent: true, gapReason: 'NO_CONTACT' };
  if (/^temp/i.test(column.name) && /^°?c$/i.test(column.unit)) {
    return { ...one, type: 'TEMPERATURE', unit: 'degC', gapReason: 'LINK_LOST' };
  }
  const type = column.name.toUpperCase().replace(/[^A-Z0-9]+/g, '_') || 'SIGNAL';
  // What the app derives, such as HRV, it writes now and then.
  return { ...one, type, unit: column.unit, gapReason: null };
}

function factorOf(quantity: Quantity, column: PolarColumn, name: string): number {
  const factor = unitFactor(quantity, column.unit);
  if (factor === undefined) throw unknownUnit(name, column.name, column.unit, quantity);
  return factor;
}
