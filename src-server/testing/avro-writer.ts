/** Writes Avro object containers by the specification, for tests of the reader. */
import { deflateRawSync } from 'node:zlib';

type Schema =
  | string
  | { type: string; fields?: { name: string; type: Schema }[]; items?: Schema; [key: string]: unknown };

export function avroLong(value: number | bigint): Buffer {
  let rest = BigInt.asUintN(64, (BigInt(value) << 1n) ^ (BigInt(value) >> 63n));
  const bytes: number[] = [];
  do {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    bytes.push(rest > 0n ? low | 0x80 : low);
  } while (rest > 0n);
  return Buffer.from(bytes);
}

const sized = (bytes: Buffer): Buffer => Buffer.concat([avroLong(bytes.length), bytes]);

// Bytes given for a value are written as they are.
// biome-ignore lint/suspicious/noExplicitAny: values follow the schema that is given with them
function avroValue(given: Schema, value: any, named: Map<string, Schema>): Buffer {
  if (Buffer.isBuffer(value)) return value;
  const schema = typeof given === 'string' ? (named.get(given.slice(given.lastIndexOf('.') + 1)) ?? given) : given;
  if (typeof schema !== 'string' && typeof schema.name === 'string') named.set(schema.name, schema);
  const plain = typeof schema === 'string' ? schema : schema.type;
  if (plain === 'int' || plain === 'long') return avroLong(value);
  if (plain === 'string') return sized(Buffer.from(value));
  if (plain === 'float' || plain === 'double') {
    const bytes = Buffer.alloc(plain === 'float' ? 4 : 8);
    if (plain === 'float') bytes.writeFloatLE(value);
    else bytes.writeDoubleLE(value);
    return bytes;
  }
  const { fields, items } = schema as Exclude<Schema, string>;
  if (fields) return Buffer.concat(fields.map((field) => avroValue(field.type, value[field.name], named)));
  const rows = value as unknown[];
  if (rows.length === 0) return avroLong(0);
  // Two blocks, the first with its size in bytes, as writers that stream do.
  const half = Math.ceil(rows.length / 2);
  const [first, second] = [rows.slice(0, half), rows.slice(half)].map((part) =>
    Buffer.concat(part.map((item) => avroValue(items as Schema, item, named))),
  ) as [Buffer, Buffer];
  const tail = rows.length > half ? [avroLong(rows.length - half), second] : [];
  return Buffer.concat([avroLong(-half), avroLong(first.length), first, ...tail, avroLong(0)]);
}

const SYNC = Buffer.from('0123456789abcdef');

export function avroFile(schema: Schema, records: unknown[], codec: 'null' | 'deflate' = 'deflate'): Buffer {
  const meta = Object.entries({ 'avro.codec': codec, 'avro.schema': JSON.stringify(schema) });
  const blocks = records.map((record) => {
    const plain = avroValue(schema, record, new Map());
    return Buffer.concat([avroLong(1), sized(codec === 'deflate' ? deflateRawSync(plain) : plain), SYNC]);
  });
  return Buffer.concat([
    Buffer.from('Obj\x01', 'latin1'),
    avroLong(meta.length),
    ...meta.flatMap(([key, value]) => [sized(Buffer.from(key)), sized(Buffer.from(value))]),
    avroLong(0),
    SYNC,
    ...blocks,
  ]);
}
