import type { SignalSource } from './types.ts';

/** What the choice depends on, of any channel of a recording. */
export type ReadableChannel = Omit<SignalSource, 'type' | 'location'> & { type: string; dimensions: readonly string[] };

/** The channels that analytics reads, and their places among all. */
export function signalSources(
  channels: readonly ReadableChannel[],
  location: string,
): { channel: number; source: SignalSource }[] {
  return channels.flatMap(({ type, dimensions, scale, offset, nominalRateHz }, channel) => {
    if (type !== 'ECG' && type !== 'ACCEL' && type !== 'RR' && type !== 'PPI') return [];
    if (type === 'ACCEL' && dimensions.length < 3) return [];
    return [{ channel, source: { type, location, scale, offset, nominalRateHz } }];
  });
}
