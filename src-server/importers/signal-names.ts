/** Interprets the label and unit of a foreign signal: type, dimension and the factor to V, g or deg/s. */
import { unitFactor, unknownUnit } from './units.ts';

export interface NamedSignal {
  type: string;
  dimension: string;
  unit: string;
  /** Stored value = value in the file * factor. */
  factor: number;
  /** Set when the unit was missing and had to be assumed. */
  note?: string;
}

const ECG_LEAD = /^(?:ECG|EKG)(?:[\s_-]+(.+))?$/i;
/** Lead names without a prefix, as in WFDB headers and Holter files. */
const BARE_ECG_LEAD = /^(?:ML?(?:I{1,3}|V[1-6]?)|I|II|III|AV[RLF]|V[1-9]?R?|CM\d|CC5|D[1-4]|MCL1|MV\d)$/i;
const EMG_LABEL = /^EMG(?:[\s_-]+(.+))?$/i;
const MAGNETOMETER = /^MAG(?:N|NETO|NETOMETER)?[\s_.-]*([XYZ])$/i;
const MOTION = /^(ACC(?:EL|ELERATION|ELEROMETER)?|GYRO(?:SCOPE)?)(?:[\s_.-]*([XYZ]))?$/i;

type Assumed = 'VOLTAGE' | 'ACCELERATION' | 'ROTATION';
/** Assumed units where the file names none. */
const ASSUMED: Record<Assumed, string> = { VOLTAGE: 'mV', ACCELERATION: 'g', ROTATION: 'deg/s' };

function convert(quantity: Assumed, unit: string, label: string, path: string): { factor: number; note?: string } {
  if (unit.trim() === '') {
    const assumed = ASSUMED[quantity];
    const note = `${label} has no unit; ${assumed} was assumed.`;
    return { factor: unitFactor(quantity, assumed) as number, note };
  }
  const factor = unitFactor(quantity, unit);
  if (factor === undefined) throw unknownUnit(path, label, unit.trim(), quantity);
  return { factor };
}

/**
 * Returns the meaning of a label. Signals other than ECG, EMG, acceleration and rotation keep their label and unit.
 *
 * @param allowBareLeads whether a bare lead name (WFDB `MLII`, `V5`) counts as ECG
 * @throws UNIT_UNKNOWN when one of these quantities is in a unit that cannot be converted (counts, or another quantity's)
 */
export function nameSignal(label: string, unit: string, allowBareLeads: boolean, path: string): NamedSignal {
  const name = label.trim();
  const ecg = ECG_LEAD.exec(name) ?? (allowBareLeads && BARE_ECG_LEAD.test(name) ? [name, name] : null);
  const electrode = ecg ?? EMG_LABEL.exec(name);
  if (electrode) {
    const volts = convert('VOLTAGE', unit, name, path);
    return { type: ecg ? 'ECG' : 'EMG', dimension: dimensionName(electrode[1]), unit: 'V', ...volts };
  }
  const motion = MOTION.exec(name);
  if (motion) {
    const isAccel = motion[1]!.toUpperCase().startsWith('ACC');
    const converted = convert(isAccel ? 'ACCELERATION' : 'ROTATION', unit, name, path);
    const type = isAccel ? 'ACCEL' : 'GYRO';
    const stored = isAccel ? 'g' : 'dps';
    // Without an axis it must not be mixed with x, y and z.
    if (!motion[2]) return { type: `${type}_SINGLE`, dimension: 'v', unit: stored, ...converted };
    return { type, dimension: motion[2].toLowerCase(), unit: stored, ...converted };
  }
  const field = MAGNETOMETER.exec(name);
  const perMicrotesla = unitFactor('MAGNETIC_FIELD', unit);
  if (field && perMicrotesla !== undefined) {
    return { type: 'MAGNETOMETER', dimension: field[1]!.toLowerCase(), unit: 'uT', factor: perMicrotesla };
  }
  const type = name.toUpperCase().replace(/\s+/g, '_') || 'SIGNAL';
  return { type, dimension: 'v', unit: unit.trim(), factor: 1 };
}

function dimensionName(lead: string | undefined): string {
  const name = lead?.trim().toLowerCase().replace(/\s+/g, '_');
  // A chest lead named just "V" must not be confused with the first lead, `v`.
  if (name === 'v') return 'lead_v';
  return name || 'v';
}

export interface GroupedSignals<T> {
  type: string;
  unit: string;
  dimensions: string[];
  members: T[];
}

/** Whether the dimensions of a channel are the axes of space. */
const isSpatial = (type: string): boolean => type === 'ACCEL' || type === 'GYRO' || type === 'MAGNETOMETER';

/**
 * Groups signals of one type and rate into channels: x, y, z together, leads of one ECG together (first `v`, then the lead
 * names). A second set of axes, a repeated lead, or a lead of another rate starts a separate channel and keeps its name.
 */
export function groupSignals<T extends { named: NamedSignal; rateKey: string }>(signals: T[]): GroupedSignals<T>[] {
  const groups: (GroupedSignals<T> & { rateKey: string })[] = [];
  for (const signal of signals) {
    const { type, unit, dimension } = signal.named;
    const isSharing = type === 'ECG' || type === 'EMG' || isSpatial(type);
    const isElectrode = type === 'ECG' || type === 'EMG';
    const group = groups.find(
      (candidate) =>
        isSharing &&
        candidate.type === type &&
        candidate.rateKey === signal.rateKey &&
        !candidate.dimensions.includes(dimension),
    );
    if (group) {
      group.dimensions.push(dimension);
      group.members.push(signal);
    } else {
      const isFirst = !groups.some((candidate) => candidate.type === type);
      const first = isElectrode && isFirst ? 'v' : dimension;
      groups.push({ type, unit, dimensions: [first], members: [signal], rateKey: signal.rateKey });
    }
  }
  const seen = new Map<string, number>();
  return groups.map(({ type, unit, dimensions, members }) => {
    const turn = (seen.get(type) ?? 0) + 1;
    seen.set(type, turn);
    const order = isSpatial(type) ? ['x', 'y', 'z'] : dimensions;
    const sorted = dimensions
      .map((dimension, index) => ({ dimension, member: members[index]! }))
      .sort((a, b) => order.indexOf(a.dimension) - order.indexOf(b.dimension));
    return {
      type: turn === 1 ? type : `${type}_${turn}`,
      unit,
      dimensions: sorted.map(({ dimension }) => dimension),
      members: sorted.map(({ member }) => member),
    };
  });
}
