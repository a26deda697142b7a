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
  toPhysical: readonly ((count: number) => number)[];
  recording: Recording;
}

const ROWS_PER_TURN = 2048;

/** Numbers in pieces: JSON.stringify writes the shortest round-trip text, and faster than joining strings does. */
async function writeNumbers(stream: TextStream, length: number, numberAt: (i: number) => number): Promise<void> {
  for (let start = 0; start < length; start += ROWS_PER_TURN) {
    const piece = new Array<number>(Math.min(ROWS_PER_TURN, length - start));
    for (let i = 0; i < piece.length; i++) piece[i] = numberAt(start + i);
    if (start > 0) stream.add(',');
    await stream.write(JSON.stringify(piece).slice(1, -1));
    await stream.giveWay();
  }
}

/** `{type, dimensions, times, values, recording}`; `micros` puts microseconds into `times`. */
export async function writeChannel(stream: TextStream, slice: ChannelSlice, micros: boolean): Promise<void> {
  const { timesUs, columns } = slice;
  const length = timesUs.length;
  stream.add(`{"type":${JSON.stringify(slice.type)},"dimensions":${JSON.stringify(slice.dimensions)},"times":[`);
  await writeNumbers(stream, length, micros ? (i) => timesUs[i]! : (i) => Math.floor(timesUs[i]! / 1000));
  stream.add('],"values":{');
  for (const [d, dimension] of slice.dimensions.entries()) {
    const column = columns[d]!;
    const toPhysical = slice.toPhysical[d]!;
    stream.add(`${d === 0 ? '' : ','}${JSON.stringify(dimension)}:[`);
    await writeNumbers(stream, length, (i) => toPhysical(column[i]!));
    stream.add(']');
  }
  await stream.write(`},"recording":${JSON.stringify(slice.recording)}}`);
}
