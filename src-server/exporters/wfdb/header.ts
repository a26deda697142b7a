/** The header of a WFDB record; G. Moody, WFDB Applications Guide, header(5). */
import type { SignalChannel } from '../../signals/types.ts';

export interface HeaderSignal {
  fileName: string;
  format: 16 | 32;
  channel: SignalChannel;
  dimension: number;
  firstCount: number;
  /** Sum of all counts, 16 bits with sign. */
  checksum: number;
}

export interface RecordFacts {
  name: string;
  rateHz: number;
  sampleCount: number;
  /** Time of the first sample, epoch microseconds. */
  startUs: number;
}

/** Units have no spaces. Potentials are in mV, which is what programs assume of an ECG. */
function unitOf({ unit }: SignalChannel): { unit: string; factor: number } {
  if (unit === 'V') return { unit: 'mV', factor: 1000 };
  return { unit: unit === '' ? 'NU' : unit.replaceAll(/[µμ]/g, 'u').replaceAll(/\s+/g, '_'), factor: 1 };
}

const two = (value: number): string => String(value).padStart(2, '0');

/** `08:30:00.500 24/11/2026`; times are UTC. */
function baseTime(startUs: number): string {
  const at = new Date(Math.round(startUs / 1000));
  const seconds = `${two(at.getUTCSeconds())}.${String(at.getUTCMilliseconds()).padStart(3, '0')}`;
  const day = `${two(at.getUTCDate())}/${two(at.getUTCMonth() + 1)}/${at.getUTCFullYear()}`;
  return `${two(at.getUTCHours())}:${two(at.getUTCMinutes())}:${seconds} ${day}`;
}

function signalLine({ fileName, format, channel, dimension, firstCount, checksum }: HeaderSignal): string {
  const { unit, factor } = unitOf(channel);
  const scale = channel.scale[dimension]! * factor;
  // A baseline is whole: the value of a count may be off by half a count.
  const baseline = Math.round(-channel.offset[dimension]! / channel.scale[dimension]!) + 0;
  const gain = Number((1 / scale).toPrecision(12));
  const name = channel.dimensions.length > 1 ? `${channel.type} ${channel.dimensions[dimension]!}` : channel.type;
  return `${fileName} ${format} ${gain}(${baseline})/${unit} ${format} ${baseline} ${firstCount} ${checksum} 0 ${name}`;
}

/** @param comments lines at the end, which programs show and do not interpret */
export function headerText(
  { name, rateHz, sampleCount, startUs }: RecordFacts,
  signals: readonly HeaderSignal[],
  comments: readonly string[] = [],
): string {
  const rate = Number(rateHz.toPrecision(12));
  const record = `${name} ${signals.length} ${rate} ${sampleCount} ${baseTime(startUs)}`;
  const notes = ['Times are UTC.', `start_us: ${Math.round(startUs)}`, ...comments].map((note) => `# ${note}`);
  const lines = [record, ...signals.map(signalLine), ...notes];
  return `${lines.join('\n')}\n`;
}
