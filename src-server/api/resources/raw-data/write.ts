/** Writes a page of raw data as JSON, in chunks, directly from its counts. */

import { NUMBER_BYTES, textsOf, writeIntegers } from '../../../exporters/count-bytes.ts';
import type { SampleArray } from '../../../signals/types.ts';
import type { ByteStream } from '../../framework/byte-stream.ts';
import { type ChannelSlice, type PageContent, physicalOf } from './page.ts';

const ROWS_PER_TURN = 4096;

async function writeTimes(stream: ByteStream, timesUs: Float64Array, micros: boolean): Promise<void> {
  for (let from = 0; from < timesUs.length; from += ROWS_PER_TURN) {
    const rows = Math.min(ROWS_PER_TURN, timesUs.length - from);
    await stream.bytes(rows * NUMBER_BYTES, (view, at) =>
      writeIntegers(view, at, rows, micros ? (i) => timesUs[from + i]! : (i) => Math.floor(timesUs[from + i]! / 1000)),
    );
  }
  stream.dropLastByte();
}

async function writeValues(stream: ByteStream, slice: ChannelSlice, dimension: number): Promise<void> {
  const column: SampleArray = slice.columns[dimension]!;
  if (column instanceof Int32Array) {
    const toPhysical = physicalOf(slice.channel, dimension);
    for (let from = 0; from < column.length; from += ROWS_PER_TURN) {
      const values = Array.from(column.subarray(from, from + ROWS_PER_TURN), toPhysical);
      const text = `${JSON.stringify(values).slice(1, -1)},`;
      await stream.text(text);
    }
  } else {
    const texts = textsOf(slice.channel, dimension);
    for (let from = 0; from < column.length; from += ROWS_PER_TURN) {
      const to = Math.min(column.length, from + ROWS_PER_TURN);
      await stream.bytes((to - from) * NUMBER_BYTES, (view, at) => texts.write(view, at, column, from, to));
    }
  }
  stream.dropLastByte();
}

/** Writes `{type, dimensions, times, values, recording}`; with `micros`, `times` are microseconds. */
async function writeChannel(stream: ByteStream, slice: ChannelSlice, micros: boolean): Promise<void> {
  const { type, dimensions } = slice.channel;
  await stream.text(`{"type":${JSON.stringify(type)},"dimensions":${JSON.stringify(dimensions)},"times":[`);
  await writeTimes(stream, slice.timesUs, micros);
  await stream.text('],"values":{');
  for (const [d, dimension] of dimensions.entries()) {
    await stream.text(`${d === 0 ? '' : ','}${JSON.stringify(dimension)}:[`);
    await writeValues(stream, slice, d);
    await stream.text(']');
  }
  await stream.text(`},"recording":${JSON.stringify(slice.recording)}}`);
}

/** Writes `{channels, warnings?, links?}`; `nextHref` is the next page. */
export async function writeJsonPage(
  stream: ByteStream,
  { slices, warnings }: PageContent,
  micros: boolean,
  nextHref: string | undefined,
): Promise<void> {
  await stream.text('{"channels":[');
  for (const [i, slice] of slices.entries()) {
    if (i > 0) await stream.text(',');
    await writeChannel(stream, slice, micros);
  }
  await stream.text(']');
  if (warnings.length > 0) await stream.text(`,"warnings":${JSON.stringify(warnings)}`);
  if (nextHref !== undefined) await stream.text(`,"links":${JSON.stringify([{ href: nextHref, rel: 'next' }])}`);
  await stream.text('}');
  await stream.end();
}
