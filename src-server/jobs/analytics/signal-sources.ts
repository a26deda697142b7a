import type { SignalSource } from '../../analytics/types.ts';
import type { SignalChannel } from '../../signals/types.ts';

/** The channels that analytics reads, and their places among all. */
export function signalSources(
  channels: readonly SignalChannel[],
  location: string,
): { channel: number; source: SignalSource }[] {
  return channels.flatMap(({ type, dimensions, scale, offset, nominalRateHz }, channel) => {
    if (type !== 'ECG' && type !== 'ACCEL' && type !== 'RR' && type !== 'PPI') return [];
    if (type === 'ACCEL' && dimensions.length < 3) return [];
    return [{ channel, source: { type, location, scale, offset, nominalRateHz } }];
  });
}
