/**
 * Reads Avro object containers (Apache Avro 1.11 specification) with the schema that the file brings.
 *
 * A general Avro library trusts the counts in a file: one flipped bit in the length of an array makes it fill memory. Here every
 * count is bounded by the bytes that are left, and a file that was cut yields the fields and items that are whole.
 */
import { constants, inflateRawSync } from 'node:zlib';
import { damaged, unsupported } from '../refusals.ts';
import { AVRO_MAGIC, isAvro } from './empatica-head.ts';

const SYNC_BYTES = 16;
/** A file of EmbracePlus unpacks to some megabytes. */
const MAX_UNPACKED_BYTES = 512 << 20;
const MAX_DEPTH = 32;

export type AvroValue = null | boolean | number | string | Uint8Array | AvroValue[] | AvroRecord;
export interface AvroRecord {
  [field: string]: AvroValue | undefined;
}

type Decoder = (cursor: Cursor, depth: number) => AvroValue | undefined;

/** Walks through the bytes of a block; `isCut` is set, and stays so, once a value needs bytes that are not there. */
class Cursor {
  readonly bytes: Buffer;
  at = 0;
  isCut = false;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  get left(): number {
    return this.bytes.length - this.at;
  }

  take(count: number): Buffer | undefined {
    if (!(count >= 0) || count > this.left) {
      this.isCut = true;
      return undefined;
    }
    this.at += count;
    return this.bytes.subarray(this.at - count, this.at);
  }

  /** A zigzag varint; exact to 53 bits. */
  long(): number | undefined {
    let low = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.bytes[this.at];
      if (byte === undefined) break;
      this.at++;
      low |= (byte & 0x7f) << shift;
      if (byte < 0x80) return (low >>> 1) ^ -(low & 1);
    }
    let wide = BigInt(low);
    for (let shift = 28n; shift < 70n; shift += 7n) {
      const byte = this.bytes[this.at];
      if (byte === undefined) break;
      this.at++;
      wide |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return Number((wide >> 1n) ^ -(wide & 1n));
    }
    this.isCut = true;
    return undefined;
  }
}

export interface AvroContainer {
  codec: string;
  /** Records in order; the last one of a cut file holds its whole fields. */
  records: AvroRecord[];
  isCut: boolean;
}

/** @throws FILE_DAMAGED when the header or a block cannot be read, UNSUPPORTED_FORMAT for other codecs */
export function readAvro(bytes: Buffer, path: string): AvroContainer {
  const file = new Cursor(bytes);
  if (!isAvro(bytes)) throw damaged(path, 'it is not an Avro file.');
  file.at = AVRO_MAGIC.length;
  const meta = decodeMap(file, (cursor) => cursor.take(cursor.long() ?? -1), 0) as Record<string, Uint8Array>;
  const sync = file.take(SYNC_BYTES);
  if (file.isCut || !sync || !meta['avro.schema']) throw damaged(path, 'its header is cut off or broken.');
  const codec = meta['avro.codec'] ? Buffer.from(meta['avro.codec']).toString() : 'null';
  if (codec !== 'null' && codec !== 'deflate') {
    throw unsupported(path, `it is packed by ${codec.slice(0, 40)}; deflate and unpacked files are accepted.`);
  }
  const decode = rootDecoder(Buffer.from(meta['avro.schema']).toString('utf8'), path);
  const records: AvroRecord[] = [];
  let isCut = false;
  while (file.left > 0 && !isCut) {
    const count = file.long();
    const size = file.long();
    if (count === undefined || size === undefined) {
      isCut = true;
      break;
    }
    if (count < 0 || size < 0) throw damaged(path, 'a block in it has a negative length.');
    const isWhole = size + SYNC_BYTES <= file.left;
    const packed = file.take(Math.min(size, file.left)) as Buffer;
    if (isWhole && !file.take(SYNC_BYTES)!.equals(sync)) {
      throw damaged(path, 'a block in it does not end with the mark that the header promises.');
    }
    isCut = !isWhole;
    const block = new Cursor(codec === 'deflate' ? inflate(packed, isWhole, path) : packed);
    for (let i = 0; i < count && !block.isCut; i++) {
      if (block.left === 0) break;
      records.push(decode(block));
    }
    if (isWhole && (block.isCut || block.left > 0)) throw damaged(path, 'a block in it does not fit its schema.');
  }
  return { codec, records, isCut };
}

function inflate(packed: Buffer, isWhole: boolean, path: string): Buffer {
  try {
    return inflateRawSync(packed, {
      maxOutputLength: MAX_UNPACKED_BYTES,
      ...(!isWhole && { finishFlush: constants.Z_SYNC_FLUSH }),
    });
  } catch {
    throw damaged(path, 'a block in it cannot be unpacked.');
  }
}

function rootDecoder(text: string, path: string): (cursor: Cursor) => AvroRecord {
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch {
    throw damaged(path, 'its schema is not valid JSON.');
  }
  const decode = decoderOf(schema, new Map(), '', path, 0);
  if ((schema as { type?: unknown }).type !== 'record')
    throw unsupported(path, 'its schema does not describe records.');
  return (cursor) => decode(cursor, 0) as AvroRecord;
}

const PRIMITIVES: Record<string, Decoder> = {
  null: () => null,
  boolean: (cursor) => cursor.take(1)?.[0] === 1,
  int: (cursor) => cursor.long(),
  long: (cursor) => cursor.long(),
  float: (cursor) => cursor.take(4)?.readFloatLE(),
  double: (cursor) => cursor.take(8)?.readDoubleLE(),
  bytes: (cursor) => cursor.take(cursor.long() ?? -1),
  string: (cursor) => cursor.take(cursor.long() ?? -1)?.toString('utf8'),
};

/** Turns a schema into nested decoders; a name may refer to a type that stands before it or around it. */
function decoderOf(
  schema: unknown,
  named: Map<string, Decoder>,
  namespace: string,
  path: string,
  depth: number,
): Decoder {
  if (depth > MAX_DEPTH) throw damaged(path, 'its schema is nested too deeply.');
  const of = (inner: unknown, space = namespace): Decoder => decoderOf(inner, named, space, path, depth + 1);
  if (typeof schema === 'string') {
    const primitive = Object.hasOwn(PRIMITIVES, schema) ? PRIMITIVES[schema] : undefined;
    const known = primitive ?? named.get(schema.includes('.') ? schema : `${namespace}.${schema}`) ?? named.get(schema);
    if (!known) throw damaged(path, 'its schema names a type that it does not define.');
    return known;
  }
  if (Array.isArray(schema)) {
    const branches = schema.map((branch) => of(branch));
    return (cursor, level) => {
      const branch = branches[cursor.long() ?? -1];
      if (branch) return branch(cursor, level + 1);
      cursor.isCut = true;
      return undefined;
    };
  }
  const {
    type,
    name,
    namespace: own,
    fields,
    items,
    values,
    symbols,
    size,
  } = (schema ?? {}) as Record<string, unknown>;
  const fullName = typeof name === 'string' && !name.includes('.') ? `${own ?? namespace}.${name}` : String(name);
  const space = fullName.slice(0, fullName.lastIndexOf('.'));
  const define = (decode: Decoder): Decoder => {
    named.set(fullName, decode);
    return decode;
  };
  switch (type) {
    case 'record':
    case 'error': {
      if (!Array.isArray(fields)) throw damaged(path, 'its schema has a record without fields.');
      const members: [string, Decoder][] = [];
      const record = define((cursor, level) => {
        if (level > MAX_DEPTH) {
          cursor.isCut = true;
          return undefined;
        }
        const value: AvroRecord = Object.create(null);
        for (const [field, decode] of members) {
          if (cursor.isCut) break;
          value[field] = decode(cursor, level + 1);
        }
        return value;
      });
      for (const field of fields) {
        const { name: fieldName, type: fieldType } = (field ?? {}) as Record<string, unknown>;
        members.push([String(fieldName), of(fieldType, space)]);
      }
      return record;
    }
    case 'enum':
      return define((cursor) => (Array.isArray(symbols) ? (symbols[cursor.long() ?? -1] as string) : undefined));
    case 'fixed':
      return define((cursor) => cursor.take(Number(size)));
    case 'array': {
      const item = of(items);
      return (cursor, level) => decodeArray(cursor, item, level);
    }
    case 'map': {
      const value = of(values);
      return (cursor, level) => decodeMap(cursor, value, level);
    }
    default:
      // `{"type": "long", "logicalType": "..."}` and a type that is wrapped once more.
      return of(type);
  }
}

/** Item counts of a block of an array or map; every item takes a byte at least, so that no count exceeds the bytes left. */
function* itemCounts(cursor: Cursor): Generator<number> {
  for (;;) {
    const count = cursor.long();
    if (count === undefined || count === 0) return;
    // A negative count is followed by the size of the block in bytes.
    if (count < 0) cursor.long();
    if (Math.abs(count) > cursor.left) cursor.isCut = true;
    yield Math.min(Math.abs(count), cursor.left);
    if (cursor.isCut) return;
  }
}

function decodeArray(cursor: Cursor, item: Decoder, level: number): AvroValue[] {
  const values: AvroValue[] = [];
  for (const count of itemCounts(cursor)) {
    const wasCut = cursor.isCut;
    cursor.isCut = false;
    for (let i = 0; i < count && !cursor.isCut; i++) {
      const value = item(cursor, level + 1);
      if (value !== undefined && !cursor.isCut) values.push(value);
    }
    cursor.isCut ||= wasCut;
  }
  return values;
}

function decodeMap(cursor: Cursor, item: Decoder, level: number): AvroRecord {
  const record: AvroRecord = Object.create(null);
  for (const count of itemCounts(cursor)) {
    for (let i = 0; i < count && !cursor.isCut; i++) {
      const key = cursor.take(cursor.long() ?? -1)?.toString('utf8');
      const value = item(cursor, level + 1);
      if (key !== undefined && !cursor.isCut) record[key] = value;
    }
  }
  return record;
}
