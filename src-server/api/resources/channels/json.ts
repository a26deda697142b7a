/** Streams channels as JSON. */
import type { TextStream } from '../../framework/stream.ts';
import type { ResultMethod } from './result-method.ts';
import { ArraySpool } from './spool.ts';

/** Bins of channels; every channel has one value per time. */
export interface Bins {
  times: number[];
  values: Readonly<Record<string, readonly unknown[]>>;
}

/**
 * `{channels: [{type, units, times, values}...]}` from pieces in order of time.
 * @param channels in the order of the answer; each has its values in every piece
 * @param method behind them; null where there is nothing
 */
export async function writeChannels(
  stream: TextStream,
  channels: readonly { type: string; units: string }[],
  pieces: AsyncIterable<Bins>,
  method: ResultMethod | null,
): Promise<void> {
  const times = new ArraySpool();
  const values = new Map<string, ArraySpool>(channels.map(({ type }) => [type, new ArraySpool()]));
  for await (const piece of pieces) {
    times.add(piece.times.map(String));
    for (const [type, spool] of values) {
      spool.add(piece.values[type]!.map((value) => JSON.stringify(value)));
      await stream.giveWay();
      await spool.settled();
    }
  }
  stream.add('{"channels":[');
  for (const [i, { type, units }] of channels.entries()) {
    stream.add(`${i === 0 ? '' : ','}{"type":${JSON.stringify(type)},"units":${JSON.stringify(units)},"times":[`);
    await times.sendTo(stream);
    stream.add('],"values":[');
    await values.get(type)!.sendTo(stream);
    stream.add(']}');
  }
  await stream.end(method === null ? ']}' : `],${JSON.stringify(method).slice(1)}`);
}
