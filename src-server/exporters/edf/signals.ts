/** The channels of a recording as signals of an EDF header. */
import type { SignalChannel } from '../../signals/types.ts';
import type { CountLimits } from '../even-grid/count-limits.ts';
import type { EdfSignal } from './file-writer.ts';

const TRANSDUCER_CHARACTERS = 80;

export const countLimits = (bytesPerSample: 2 | 3): CountLimits =>
  bytesPerSample === 3 ? { least: -8_388_608, most: 8_388_607 } : { least: -32_768, most: 32_767 };

/** Unit and factor of an EDF signal: potentials in mV, as EDF readers expect of an ECG. */
function edfUnit(channel: SignalChannel): { unit: string; factor: number } {
  if (channel.unit === 'V') return { unit: 'mV', factor: 1000 };
  if (channel.unit === 'dps') return { unit: 'deg/s', factor: 1 };
  return { unit: channel.unit.replaceAll(/[µμ]/g, 'u'), factor: 1 };
}

/** `V5`, `aVF`. */
const leadOf = (dimension: string): string =>
  /^av[rlf]$/.test(dimension) ? `aV${dimension.charAt(2).toUpperCase()}` : dimension.toUpperCase();

/** The EDF+ standard label if there is one: the type, then the lead. */
function labelOf(channel: SignalChannel, dimension: string): string {
  if (channel.type === 'ACCEL') return `Accel ${dimension.toUpperCase()}`;
  if (channel.type === 'GYRO') return `Gyro ${dimension.toUpperCase()}`;
  return dimension === 'v' ? channel.type : `${channel.type} ${leadOf(dimension)}`;
}

/** Exact scale, offset and rate, which the eight characters of the header fields round. */
function exactText(channel: SignalChannel, dimension: number): string {
  const rule = channel.exact?.[dimension];
  const rate = Number(channel.nominalRateHz.toPrecision(7));
  const text = rule ? `Outpost ${rule.origin} ${rule.divisor} ${rule.span} ${rule.low} ${rate}` : '';
  if (text !== '' && text.length <= TRANSDUCER_CHARACTERS) return text;
  return `Outpost 0 0 ${channel.scale[dimension]} ${channel.offset[dimension]} ${rate}`;
}

export function signalsOf(channel: SignalChannel, samplesPerRecord: number, bytesPerSample: 2 | 3): EdfSignal[] {
  const { least, most } = countLimits(bytesPerSample);
  const { unit, factor } = edfUnit(channel);
  return channel.dimensions.map((dimension, d) => ({
    label: labelOf(channel, dimension),
    transducer: exactText(channel, d),
    unit,
    physicalMinimum: (least * channel.scale[d]! + channel.offset[d]!) * factor,
    physicalMaximum: (most * channel.scale[d]! + channel.offset[d]!) * factor,
    digitalMinimum: least,
    digitalMaximum: most,
    prefilter: '',
    samplesPerRecord,
  }));
}

export function clockSignal(name: string, tickUs: number, samplesPerRecord: number, bytesPerSample: 2 | 3): EdfSignal {
  const { least, most } = countLimits(bytesPerSample);
  return {
    label: name,
    transducer: 'Time of each sample after the start of its record; minimum: filled place',
    unit: 'us',
    physicalMinimum: least * tickUs,
    physicalMaximum: most * tickUs,
    digitalMinimum: least,
    digitalMaximum: most,
    prefilter: '',
    samplesPerRecord,
  };
}
