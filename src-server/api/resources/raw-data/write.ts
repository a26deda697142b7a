/** Writes one channel of raw data as JSON, in pieces, straight from its counts. */
import type { SampleArray } from '../../../signals/types.ts';
import type { Recording } from '../../contract/index.ts';
import type { TextStream } from '../../framework/stream.ts';

/** The samples of one channel of one recording on a page. */
export interface ChannelSlice {
  type: string;
  dimensions: readonly string[];
  /** Epoch microseconds, whole. */
  timesUs: Float64Array;
  /** Counts per dimension. */
  columns: readonly SampleArray[];
  /** Per dimension: the physical value of a count. */
  valueOf: readonly ((count: number) => number)[];
  recording: Recording;
}

const ROWS_PER_TURN = 2048;

/** Shortest round-trip text of physical values. 16-bit counts repeat, so their text is made once. */
function formatter(toPhysical: (count: number) => number, column: SampleArray): (count: number) => string {
  if (!(column instanceof Int16Array)) return (count) => String(toPhysical(count));
  const texts: (string | undefined)[] = [];
  return (count) => {
    const key = count + 32768;
    let text = texts[key];
    if (text === undefined) {
      text = String(toPhysical(count));
      texts[key] = text;
    }
    return text;
  };
}

async function writeNumbers(stream: TextStream, length: number, textAt: (i: number) => string): Promise<void> {
  for (let start = 0; start < length; start += ROWS_PER_TURN) {
    const stop = Math.min(length, start + ROWS_PER_TURN);
    let text = start === 0 ? '' : ',';
    text += textAt(start);
    for (let i = start + 1; i < stop; i++) text += `,${textAt(i)}`;
    await stream.write(text);
    await stream.giveWay();
  }
}

/** `{type, dimensions, times, values, recording}`; `micros` puts microseconds into `times`. */
export async function writeChannel(stream: TextStream, slice: ChannelSlice, micros: boolean): Promise<void> {
  const { timesUs, columns } = slice;
  const length = timesUs.length;
  stream.add(`{"type":${JSON.stringify(slice.type)},"dimensions":${JSON.stringify(slice.dimensions)},"times":[`);
  await writeNumbers(
    stream,
    length,
    micros ? (i) => String(timesUs[i]!) : (i) => String(Math.floor(timesUs[i]! / 1000)),
  );
  stream.add('],"values":{');
  for (const [d, dimension] of slice.dimensions.entries()) {
    const column = columns[d]!;
    const format = formatter(slice.valueOf[d]!, column);
    stream.add(`${d === 0 ? '' : ','}${JSON.stringify(dimension)}:[`);
    await writeNumbers(stream, length, (i) => format(column[i]!));
    stream.add(']');
  }
  await stream.write(`},"recording":${JSON.stringify(slice.recording)}}`);
}
