/** The channels that the signals of a WFDB record become. */
import { scaleAndOffset } from '../../signals/exact-values.ts';
import type { ExactValueRule, SignalChannel } from '../../signals/types.ts';
import { groupSignals } from '../signal-names.ts';
import type { OpenRecord } from './open-segments.ts';
import type { MissingSamples } from './record-frames.ts';
import type { RecordSignal } from './record-signals.ts';

export interface Group {
  channel: SignalChannel;
  members: RecordSignal[];
  samplesPerFrame: number;
}

/** value = (count - baseline) / (gain / factor): one exact division, so that decimal gains print as decimals. */
function ruleOf({ signal, named }: RecordSignal): ExactValueRule {
  const perUnit = signal.gain / named.factor;
  const rounded = Math.round(perUnit);
  const divisor = Math.abs(perUnit / rounded - 1) < 1e-12 ? rounded : perUnit;
  return { origin: signal.baseline, divisor, span: 1, low: 0 };
}

const ELECTRODES = new Set(['ECG', 'EMG']);

/**
 * Leads that miss the same samples share a channel; others get separate channels, because a page holds all leads of its channel,
 * so a gap of one would be a gap of all. Axes stay together: two of three do not determine the third.
 */
export function groupChannels(
  { header, frameCount }: OpenRecord,
  signals: RecordSignal[],
  scan: Map<RecordSignal, MissingSamples>,
  notes: string[],
): Group[] {
  const missingOf = (signal: RecordSignal): MissingSamples => scan.get(signal) as MissingSamples;
  const present = signals.filter((signal) => {
    const isPresent = missingOf(signal).count < frameCount * signal.samplesPerFrame;
    if (!isPresent) notes.push(`${signal.signal.description} was left out: all its samples are marked as missing.`);
    return isPresent;
  });
  const keyed = present.map((signal) => {
    const pattern = ELECTRODES.has(signal.named.type) ? missingOf(signal).pattern : '';
    return { of: signal, named: signal.named, rateKey: `${signal.samplesPerFrame} ${pattern}` };
  });
  return groupSignals(keyed).map(({ type, unit, dimensions, members }) => {
    const grouped = members.map(({ of }) => of);
    for (const signal of grouped) {
      const { count } = missingOf(signal);
      if (count > 0) {
        notes.push(`${signal.signal.description}: ${count} samples are marked as missing and are gaps of ${type}.`);
      }
    }
    const rules = grouped.map(ruleOf);
    const plain = rules.map(scaleAndOffset);
    const { samplesPerFrame } = grouped[0]!;
    const channel: SignalChannel = {
      type,
      dimensions,
      unit,
      nominalRateHz: header.frameRateHz * samplesPerFrame,
      scale: plain.map(({ scale }) => scale),
      offset: plain.map(({ offset }) => offset),
      sampleBits: grouped.some(({ signal }) => signal.format.sampleBits === 32) ? 32 : 16,
      exact: rules,
    };
    return { channel, members: grouped, samplesPerFrame };
  });
}
