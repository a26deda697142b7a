/**
 * A page of raw data as an Arrow IPC stream. One schema serves channels of any rate: one row per sample, each record batch
 * of one channel of one recording, channels in the order of the JSON answer.
 *
 * Columns: `recording_id` and `type` (dictionaries), `time` (UTC instant, microseconds), one float64 per dimension (`v`, or
 * `x`, `y` and `z`), null where the row's channel has no such dimension. The schema's metadata holds `channels` (JSON:
 * recording, type, dimensions, unit, nominal rate and place of each), `warnings` (JSON) when something could not be read,
 * and `next`, the address of the next page, when there is one.
 */
import {
  type Data,
  Dictionary,
  Field,
  Float64,
  Int16,
  makeData,
  RecordBatch,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  TimestampMicrosecond,
  Utf8,
  type Vector,
  vectorFromArray,
} from 'apache-arrow';
import { valueOfCount } from '../../../signals/index.ts';
import type { ByteStream } from '../../framework/byte-stream.ts';
import type { ChannelSlice, PageContent } from './page.ts';

const ROWS_PER_BATCH = 16_384;
const TIME = new TimestampMicrosecond('UTC');
const VALUE = new Float64();
const RECORDING_DICTIONARY = 1;
const TYPE_DICTIONARY = 2;

type Texts = Dictionary<Utf8, Int16>;

/** A dictionary column of the given texts. */
class TextColumn {
  readonly #texts: string[];
  readonly #dictionary: Vector<Utf8>;
  readonly type: Texts;

  constructor(texts: readonly string[], id: number) {
    // The library cannot write an empty dictionary.
    this.#texts = texts.length === 0 ? [''] : [...new Set(texts)];
    this.#dictionary = vectorFromArray(this.#texts, new Utf8());
    this.type = new Dictionary(new Utf8(), new Int16(), id);
  }

  /** Returns `rows` repetitions of a text. */
  data(text: string, rows: number): Data<Texts> {
    const data = new Int16Array(rows).fill(this.#texts.indexOf(text));
    return makeData({ type: this.type, length: rows, nullCount: 0, data, dictionary: this.#dictionary });
  }
}

function valuesOf(slice: ChannelSlice, name: string, from: number, rows: number): Data<Float64> {
  const dimension = slice.channel.dimensions.indexOf(name);
  const data = new Float64Array(rows);
  if (dimension < 0) {
    const nullBitmap = new Uint8Array(Math.ceil(rows / 8));
    return makeData({ type: VALUE, length: rows, nullCount: rows, data, nullBitmap });
  }
  const toValue = valueOfCount(slice.channel, dimension);
  const column = slice.columns[dimension]!;
  for (let i = 0; i < rows; i++) data[i] = toValue(column[from + i]!);
  return makeData({ type: VALUE, length: rows, nullCount: 0, data });
}

function timesOf({ timesUs }: ChannelSlice, from: number, rows: number): Data<TimestampMicrosecond> {
  const data = new BigInt64Array(rows);
  for (let i = 0; i < rows; i++) data[i] = BigInt(timesUs[from + i]!);
  return makeData({ type: TIME, length: rows, nullCount: 0, data });
}

function metadataOf({ slices, warnings }: PageContent, next: string | undefined): Map<string, string> {
  const channels = slices.map(({ channel, recording }) => ({
    recordingId: recording.id,
    type: channel.type,
    dimensions: channel.dimensions,
    unit: channel.unit,
    nominalRateHz: channel.nominalRateHz,
    udid: recording.udid,
    physicalConfig: recording.physicalConfig,
  }));
  const metadata = new Map([['channels', JSON.stringify(channels)]]);
  if (warnings.length > 0) metadata.set('warnings', JSON.stringify(warnings));
  if (next !== undefined) metadata.set('next', next);
  return metadata;
}

/** Sends the page; `next` is the address of the next one. The bytes are built before sending, as a page is small. */
export async function writeArrowPage(
  stream: ByteStream,
  content: PageContent,
  next: string | undefined,
): Promise<void> {
  const { slices } = content;
  const recordings = new TextColumn(
    slices.map(({ recording }) => recording.id),
    RECORDING_DICTIONARY,
  );
  const types = new TextColumn(
    slices.map(({ channel }) => channel.type),
    TYPE_DICTIONARY,
  );
  const dimensions = [...new Set(slices.flatMap(({ channel }) => channel.dimensions))];
  const schema = new Schema(
    [
      new Field('recording_id', recordings.type, false),
      new Field('type', types.type, false),
      new Field('time', TIME, false),
      ...dimensions.map((name) => new Field(name, VALUE, true)),
    ],
    metadataOf(content, next),
  );
  const batchOf = (
    recording: Data<Texts>,
    type: Data<Texts>,
    time: Data<TimestampMicrosecond>,
    values: Data<Float64>[],
  ) => {
    const children = [recording, type, time, ...values];
    return new RecordBatch(
      schema,
      makeData({ type: new Struct(schema.fields), length: time.length, nullCount: 0, children }),
    );
  };
  const writer = new RecordBatchStreamWriter();
  for (const slice of slices) {
    for (let from = 0; from < slice.timesUs.length; from += ROWS_PER_BATCH) {
      const rows = Math.min(ROWS_PER_BATCH, slice.timesUs.length - from);
      writer.write(
        batchOf(
          recordings.data(slice.recording.id, rows),
          types.data(slice.channel.type, rows),
          timesOf(slice, from, rows),
          dimensions.map((name) => valuesOf(slice, name, from, rows)),
        ),
      );
      await stream.giveWay();
    }
  }
  if (slices.length === 0) {
    // A stream starts with its schema even without samples.
    const noTimes = makeData({ type: TIME, length: 0, nullCount: 0, data: new BigInt64Array(0) });
    writer.write(batchOf(recordings.data('', 0), types.data('', 0), noTimes, []));
  }
  writer.finish();
  for await (const bytes of writer) await stream.raw(bytes);
  await stream.end();
}
