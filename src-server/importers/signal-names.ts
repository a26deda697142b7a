/** What a foreign signal's label and unit mean here: type, dimension and the factor to V, g or deg/s. */

export interface NamedSignal {
  type: string;
  dimension: string;
  unit: string;
  /** Physical value here = value there * factor. */
  factor: number;
  /** Set when the unit was missing or unknown and had to be assumed. */
  note?: string;
}

const STANDARD_GRAVITY = 9.80665;

const VOLTS: Record<string, number> = { v: 1, mv: 1e-3, uv: 1e-6, µv: 1e-6, μv: 1e-6, nv: 1e-9, '': 1e-3 };
const GRAVITIES: Record<string, number> = {
  g: 1,
  mg: 1e-3,
  'm/s2': 1 / STANDARD_GRAVITY,
  'm/s^2': 1 / STANDARD_GRAVITY,
  'm/s²': 1 / STANDARD_GRAVITY,
  'ms-2': 1 / STANDARD_GRAVITY,
  '': 1,
};
const DEGREES_PER_SECOND: Record<string, number> = {
  dps: 1,
  'deg/s': 1,
  '°/s': 1,
  '?/s': 1,
  'rad/s': 180 / Math.PI,
  mdps: 1e-3,
  '': 1,
};

const ECG_LEAD = /^(?:ECG|EKG)(?:[\s_-]+(.+))?$/i;
/** Lead names that stand alone in WFDB headers and Holter files. */
const BARE_ECG_LEAD = /^(?:ML?(?:I{1,3}|V[1-6]?)|I|II|III|AV[RLF]|V[1-9]?R?|CM\d|CC5|D[1-4]|MCL1|MV\d)$/i;
const EMG_LABEL = /^EMG(?:[\s_-]+(.+))?$/i;
const MOTION = /^(ACC(?:EL|ELERATION|ELEROMETER)?|GYRO(?:SCOPE)?)[\s_.-]*([XYZ])$/i;

function convert(
  units: Record<string, number>,
  unit: string,
  fallback: string,
  label: string,
): { factor: number; note?: string } | null {
  const factor = units[unit.trim().toLowerCase()];
  if (factor === undefined) return null;
  if (unit.trim() !== '') return { factor };
  return { factor, note: `${label} has no unit; it was taken as ${fallback}.` };
}

/**
 * Meaning of a label. A known name in a unit of another kind (an "ECG" in mmHg) stays a channel of its own, with its own
 * unit. `allowBareLeads` says that a bare lead name (WFDB `MLII`, `V5`) may be taken as ECG.
 */
export function nameSignal(label: string, unit: string, allowBareLeads: boolean): NamedSignal {
  const name = label.trim();
  const ecg = ECG_LEAD.exec(name) ?? (allowBareLeads && BARE_ECG_LEAD.test(name) ? [name, name] : null);
  if (ecg) {
    const volts = convert(VOLTS, unit, 'mV', name);
    if (volts) return { type: 'ECG', dimension: dimensionName(ecg[1]), unit: 'V', ...volts };
  }
  const emg = EMG_LABEL.exec(name);
  if (emg) {
    const volts = convert(VOLTS, unit, 'mV', name);
    if (volts) return { type: 'EMG', dimension: dimensionName(emg[1]), unit: 'V', ...volts };
  }
  const motion = MOTION.exec(name);
  if (motion) {
    const isAccel = motion[1].toUpperCase().startsWith('ACC');
    const converted = convert(isAccel ? GRAVITIES : DEGREES_PER_SECOND, unit, isAccel ? 'g' : 'deg/s', name);
    const dimension = motion[2].toLowerCase();
    if (converted) return { type: isAccel ? 'ACCEL' : 'GYRO', dimension, unit: isAccel ? 'g' : 'dps', ...converted };
  }
  const type = name.toUpperCase().replace(/\s+/g, '_') || 'SIGNAL';
  return { type, dimension: 'v', unit: unit.trim(), factor: 1 };
}

function dimensionName(lead: string | undefined): string {
  const name = lead?.trim().toLowerCase().replace(/\s+/g, '_');
  // A chest lead that is called just "V" must not pass for the first lead's `v`.
  if (name === 'v') return 'lead_v';
  return name || 'v';
}

export interface GroupedSignals<T> {
  type: string;
  unit: string;
  dimensions: string[];
  members: T[];
}

/**
 * Signals of one type and rate as one channel: x, y, z together, leads of one ECG together (first `v`, then the lead's
 * name). A second set of axes, or a repeated lead, opens a channel of its own.
 */
export function groupSignals<T extends { named: NamedSignal; rateKey: string }>(signals: T[]): GroupedSignals<T>[] {
  const groups: (GroupedSignals<T> & { rateKey: string })[] = [];
  for (const signal of signals) {
    const { type, unit, dimension } = signal.named;
    const isSharing = type === 'ECG' || type === 'EMG' || type === 'ACCEL' || type === 'GYRO';
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
      const first = isElectrode ? 'v' : dimension;
      groups.push({ type, unit, dimensions: [first], members: [signal], rateKey: signal.rateKey });
    }
  }
  const seen = new Map<string, number>();
  return groups.map(({ type, unit, dimensions, members }) => {
    const turn = (seen.get(type) ?? 0) + 1;
    seen.set(type, turn);
    const order = type === 'ACCEL' || type === 'GYRO' ? ['x', 'y', 'z'] : dimensions;
    const sorted = dimensions
      .map((dimension, index) => ({ dimension, member: members[index] }))
      .sort((a, b) => order.indexOf(a.dimension) - order.indexOf(b.dimension));
    return {
      type: turn === 1 ? type : `${type}_${turn}`,
      unit,
      dimensions: sorted.map(({ dimension }) => dimension),
      members: sorted.map(({ member }) => member),
    };
  });
}
