import type { SignalInput } from '../../analytics/types.ts';
import type { SignalChannel, SignalPage } from '../../signals/types.ts';

/** The channels that analytics reads; pages are loaded lazily. */
export function signalInputs(
  channels: readonly SignalChannel[],
  pagesOf: (channel: number) => Iterable<SignalPage>,
  location: string,
): SignalInput[] {
  const inputs: SignalInput[] = [];
  for (const [index, channel] of channels.entries()) {
    if (channel.type !== 'ECG' && channel.type !== 'ACCEL') continue;
    if (channel.type === 'ACCEL' && channel.dimensions.length < 3) continue;
    inputs.push({
      type: channel.type,
      location,
      scale: channel.scale,
      offset: channel.offset,
      nominalRateHz: channel.nominalRateHz,
      chunks: pagesOf(index),
    });
  }
  return inputs;
}
