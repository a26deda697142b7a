/** Signals of an EDF header as channels: which belong together, and how their counts become physical values. */
import type { ExactValueRule, SignalChannel } from '../../signals/types.ts';
import { unsupported } from '../refusals.ts';
import { groupSignals, type NamedSignal, nameSignal } from '../signal-names.ts';
import type { EdfHeader, EdfSignalHeader } from './edf-header.ts';

/** Transducer text of files written by Outpost: exact scale, offset and rate. */
const OWN_RULE = /^Outpost (\S+) (\S+) (\S+) (\S+) (\S+)$/;
/** Recording field of files written by Outpost. */
export const OWN_EQUIPMENT = /\bOutpost\b(?: TZ=([+-]\d\d:\d\d))?(?: (\S+) (LEFT|RIGHT|ANY|NONE|DOMINANT) (\S+))?/;

interface Member {
  signal: EdfSignalHeader;
  named: NamedSignal;
  rateKey: string;
  clock: EdfSignalHeader | null;
}

export interface Group {
  channel: SignalChannel;
  members: Member[];
  samplesPerRecord: number;
  clock: EdfSignalHeader | null;
}

/** Scale, offset and rule of one signal, from Outpost's exact transducer text or from the header's ranges. */
function scalingOf(
  signal: EdfSignalHeader,
  named: NamedSignal,
): { scale: number; offset: number; rule?: ExactValueRule; rateHz?: number } {
  const digitalRange = signal.digitalMaximum - signal.digitalMinimum;
  const perCount = (signal.physicalMaximum - signal.physicalMinimum) / digitalRange;
  const scale = perCount * named.factor;
  const offset = (signal.physicalMinimum - signal.digitalMinimum * perCount) * named.factor;
  const own = OWN_RULE.exec(signal.transducer)?.slice(1).map(Number);
  if (!own?.every(Number.isFinite)) return { scale, offset };
  const [first, second, span, low, rateHz] = own as [number, number, number, number, number];
  // Another program may have changed the ranges but not the text: then the ranges take precedence.
  const ownScale = second === 0 ? span : span / second;
  if (Math.abs(ownScale / scale - 1) > 1e-3) return { scale, offset };
  if (second === 0) return { scale: span, offset: low, rateHz };
  const rule: ExactValueRule = { origin: first, divisor: second, span, low };
  return { scale: ownScale, offset: low - first * ownScale, rule, rateHz };
}

/** @param other signals that do not become channels */
export function groupChannels(
  header: EdfHeader,
  path: string,
  notes: string[],
  other: readonly EdfSignalHeader[] = [],
): Group[] {
  const members: Member[] = [];
  let sinceClock = 0;
  for (const signal of header.signals) {
    if (signal.isAnnotations || other.includes(signal)) continue;
    if (/^Clock \S/.test(signal.label) && signal.unit === 'us' && OWN_EQUIPMENT.test(header.recording)) {
      for (const member of members.slice(sinceClock)) {
        member.clock = signal;
        member.rateKey += ` ${signal.label}`;
      }
      sinceClock = members.length;
      continue;
    }
    const isFlat = signal.physicalMinimum === signal.physicalMaximum || signal.digitalMinimum >= signal.digitalMaximum;
    if (isFlat || signal.samplesPerRecord === 0) {
      notes.push(`Signal ${signal.label} has ${isFlat ? 'no range' : 'no samples'} and was left out.`);
      continue;
    }
    const named = nameSignal(signal.label, signal.unit, false, path);
    if (named.note) notes.push(named.note);
    members.push({ signal, named, rateKey: `${signal.samplesPerRecord}`, clock: null });
  }
  if (members.length === 0 && other.length === 0 && !header.signals.some(({ isAnnotations }) => isAnnotations)) {
    throw unsupported(path, 'none of its signals can be used.');
  }
  return groupSignals(members).map(({ type, unit, dimensions, members: grouped }) => {
    const scalings = grouped.map(({ signal, named }) => scalingOf(signal, named));
    const rules = scalings.map(({ rule }) => rule).filter((rule) => rule !== undefined);
    const { samplesPerRecord } = grouped[0]!.signal;
    const rate = samplesPerRecord / (header.recordDurationUs / 1e6);
    const channel: SignalChannel = {
      type,
      dimensions,
      unit,
      nominalRateHz: scalings[0]!.rateHz ?? Number(rate.toPrecision(6)),
      scale: scalings.map(({ scale }) => scale),
      offset: scalings.map(({ offset }) => offset),
      sampleBits: header.bytesPerSample === 3 ? 32 : 16,
      ...(rules.length === scalings.length ? { exact: rules } : {}),
    };
    return { channel, members: grouped, samplesPerRecord, clock: grouped[0]!.clock };
  });
}
