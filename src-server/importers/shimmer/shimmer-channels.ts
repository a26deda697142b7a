/** What the columns of a Shimmer export mean: one channel per sensor, axes and leads together. */
import type { TableChannel } from '../text/timed-table.ts';
import { type Quantity, unitFactor, unitOffset, unknownUnit } from '../units.ts';
import type { ShimmerColumn } from './shimmer-head.ts';

/** A column of one device, without the device's name. */
export interface SignalColumn extends ShimmerColumn {
  signal: string;
}

interface Meaning {
  test: RegExp;
  quantity: Quantity;
  type: string;
  unit: string;
}

const AXIS = /^(.+?)_([XYZ])$/;
const MOTIONS: readonly (Meaning & { rank: (name: string) => number })[] = [
  {
    test: /^Accel/i,
    quantity: 'ACCELERATION',
    type: 'ACCEL',
    unit: 'g',
    // The low-noise sensor ends at 2 g, the one for impacts resolves little of a day.
    rank: (name) => (/WR/i.test(name) ? 0 : /HG|HIGH/i.test(name) ? 2 : 1),
  },
  { test: /^Gyro/i, quantity: 'ROTATION', type: 'GYRO', unit: 'dps', rank: () => 0 },
  { test: /^Mag/i, quantity: 'MAGNETIC_FIELD', type: 'MAGNETOMETER', unit: 'uT', rank: () => 0 },
];
const SINGLES: readonly Meaning[] = [
  { test: /^GSR_Skin_Conductance/i, quantity: 'CONDUCTANCE', type: 'EDA', unit: 'uS' },
  { test: /^Temperature/i, quantity: 'TEMPERATURE', type: 'TEMPERATURE', unit: 'degC' },
  { test: /^Pressure/i, quantity: 'PRESSURE', type: 'PRESSURE', unit: 'hPa' },
  { test: /^Battery(?:_Voltage)?$/i, quantity: 'VOLTAGE', type: 'BATTERY', unit: 'V' },
];
/** `ECG_LL_RA_24BIT`, `EMG_CH1_24BIT`; respiration and the state of the electrodes come under the same name. */
const LEAD = /^(ECG|EMG)_(?!RESP|Status|EMG_Status)(.+?)(?:_(?:16|24)BIT)?$/i;
const NO_UNITS = /^no[_ ]?units?$/i;

/** Channels of one device; `columns` of a channel index `numbers`. */
export function shimmerChannels(
  columns: readonly SignalColumn[],
  numbers: readonly number[],
  fileName: string,
  notes: string[],
): TableChannel[] {
  const at = ({ place }: SignalColumn): number => numbers.indexOf(place);
  const left = new Set(columns);
  const channels = [
    ...electrodeChannels(left, at, fileName, notes),
    ...motionChannels(left, at, fileName, notes),
    ...[...left].map((column) => singleChannel(column, at(column), fileName)),
  ];
  const turns = new Map<string, number>();
  return channels.map((channel) => {
    const turn = (turns.get(channel.type) ?? 0) + 1;
    turns.set(channel.type, turn);
    return turn === 1 ? channel : { ...channel, type: `${channel.type}_${turn}` };
  });
}

/** Leads of one amplifier; the first is `v` as everywhere, the others have their names. */
function electrodeChannels(
  left: Set<SignalColumn>,
  at: (column: SignalColumn) => number,
  fileName: string,
  notes: string[],
): TableChannel[] {
  return (['ECG', 'EMG'] as const).flatMap((type) => {
    const leads = [...left].flatMap((column) => {
      const [, kind, lead] = LEAD.exec(column.signal) ?? [];
      return kind?.toUpperCase() === type ? [{ column, lead: lead!.toLowerCase() }] : [];
    });
    if (leads.length === 0) return [];
    for (const { column } of leads) left.delete(column);
    if (leads.length > 1) notes.push(`${type}: v is ${leads[0]!.column.signal}.`);
    return [
      {
        type,
        dimensions: leads.map(({ lead }, i) => (i === 0 ? 'v' : lead)),
        unit: 'V',
        columns: leads.map(({ column }) => at(column)),
        factors: leads.map(({ column }) => factorOf('VOLTAGE', column, fileName)),
        gapReason: 'LOST_BLOCK' as const,
      },
    ];
  });
}

function motionChannels(
  left: Set<SignalColumn>,
  at: (column: SignalColumn) => number,
  fileName: string,
  notes: string[],
): TableChannel[] {
  const groups = new Map<string, Map<string, SignalColumn>>();
  for (const column of left) {
    const [, name, axis] = AXIS.exec(column.signal) ?? [];
    if (name === undefined) continue;
    groups.set(name, (groups.get(name) ?? new Map<string, SignalColumn>()).set(axis!, column));
  }
  const found = [...groups].flatMap(([name, axes]) => {
    const motion = MOTIONS.find(({ test }) => test.test(name));
    return motion && axes.size === 3 ? [{ name, motion, axes: ['X', 'Y', 'Z'].map((axis) => axes.get(axis)!) }] : [];
  });
  found.sort(
    (a, b) => MOTIONS.indexOf(a.motion) - MOTIONS.indexOf(b.motion) || a.motion.rank(a.name) - b.motion.rank(b.name),
  );
  const accelerometers = found.filter(({ motion }) => motion.type === 'ACCEL');
  if (accelerometers.length > 1) {
    const named = accelerometers.map(({ name }, i) => `${i === 0 ? 'ACCEL' : `ACCEL_${i + 1}`} is ${name}`);
    notes.push(`${named.join(', ')}.`);
  }
  return found.map(({ name, motion, axes }) => {
    for (const axis of axes) left.delete(axis);
    const common = {
      dimensions: ['x', 'y', 'z'],
      columns: axes.map(at),
      gapReason: 'LOST_BLOCK' as const,
    };
    // Of the field of the earth where the sensor was calibrated: no unit of a field.
    if (motion.quantity === 'MAGNETIC_FIELD' && unitFactor(motion.quantity, axes[0]!.unit) === undefined) {
      return { ...common, type: wireName(name), unit: unitOf(axes[0]!), factors: [1, 1, 1] };
    }
    const factors = axes.map((axis) => factorOf(motion.quantity, axis, fileName));
    return { ...common, type: motion.type, unit: motion.unit, factors };
  });
}

function singleChannel(column: SignalColumn, index: number, fileName: string): TableChannel {
  const one = { dimensions: ['v'], columns: [index], gapReason: 'LOST_BLOCK' as const };
  const known = SINGLES.find(({ test }) => test.test(column.signal));
  // A temperature on another scale keeps its name and unit.
  if (known && unitOffset(known.quantity, column.unit) === 0) {
    return { ...one, type: known.type, unit: known.unit, factors: [factorOf(known.quantity, column, fileName)] };
  }
  return { ...one, type: wireName(column.signal), unit: unitOf(column), factors: [1] };
}

const unitOf = ({ unit }: SignalColumn): string => (NO_UNITS.test(unit) ? '' : unit);

const wireName = (name: string): string => name.toUpperCase().replace(/[^A-Z0-9]+/g, '_') || 'SIGNAL';

function factorOf(quantity: Quantity, column: SignalColumn, fileName: string): number {
  const factor = unitFactor(quantity, column.unit);
  if (factor === undefined) throw unknownUnit(fileName, column.name, column.unit, quantity);
  return factor;
}
