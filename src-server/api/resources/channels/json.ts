/** Streams the nine channels as JSON. */
import type { BinnedChannels } from '../../../analytics/channels.ts';
import { libraryConfigId } from '../../../analytics/library-config.ts';
import { CHANNELS, type ChannelType } from '../../contract/channels.ts';
import type { TextStream } from '../../framework/stream.ts';
import { ArraySpool } from './spool.ts';

/**
 * `{channels: [{type, units, times, values}...]}` from pieces in order of time.
 * @param version of the algorithms behind them; null where there is nothing
 */
export async function writeChannels(
  stream: TextStream,
  pieces: AsyncIterable<BinnedChannels>,
  version: string | null,
): Promise<void> {
  const times = new ArraySpool();
  const values = new Map<ChannelType, ArraySpool>(CHANNELS.map(({ type }) => [type, new ArraySpool()]));
  for await (const piece of pieces) {
    times.add(piece.times.map(String));
    for (const [type, spool] of values) {
      spool.add((piece.values[type] as readonly unknown[]).map((value) => JSON.stringify(value)));
      await stream.giveWay();
      await spool.settled();
    }
  }
  stream.add('{"channels":[');
  for (const [i, { type, units }] of CHANNELS.entries()) {
    stream.add(`${i === 0 ? '' : ','}{"type":${JSON.stringify(type)},"units":${JSON.stringify(units)},"times":[`);
    await times.sendTo(stream);
    stream.add('],"values":[');
    await values.get(type)!.sendTo(stream);
    stream.add(']}');
  }
  if (version === null) return await stream.end(']}');
  await stream.end(`],"libraryConfigId":"${libraryConfigId(version)}","algorithmVersion":${JSON.stringify(version)}}`);
}
