/** Values that a JSON Schema of the interface's document takes, and values that no one expects. */
import fc from 'fast-check';

export type JsonSchema = Record<string, unknown>;

/** Follows a `$ref` into the document. */
export type Resolve = (schema: JsonSchema) => JsonSchema;

const MAX_LENGTH = 24;
const MAX_DEPTH = 4;

export const ODD_TEXT: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '0',
    '-1',
    '1e400',
    'NaN',
    'null',
    '[]',
    '\u0000',
    '🦆',
    '\ud800',
    "'; DROP TABLE user;--",
    '../../x',
    '%00',
    '9'.repeat(400),
    'true',
    '2026-02-30',
    '2026-01-15T00:00:00+99:99',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ minLength: 1, maxLength: 12 }),
  fc.integer().map(String),
);

export const ODD_JSON: fc.Arbitrary<unknown> = fc.oneof(
  ODD_TEXT,
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(null, true, -0.5, 1e308, Number.MAX_SAFE_INTEGER, -1, '', [], {}, ['a', 'a'], [[]]),
);

function stringOf(schema: JsonSchema): fc.Arbitrary<string> {
  if (schema.format === 'uuid') return fc.uuid();
  if (typeof schema.pattern === 'string') return fc.stringMatching(new RegExp(schema.pattern, 'u'));
  const minLength = (schema.minLength as number | undefined) ?? 0;
  const maxLength = Math.max(minLength, Math.min((schema.maxLength as number | undefined) ?? MAX_LENGTH, MAX_LENGTH));
  return fc.string({ unit: 'grapheme', minLength, maxLength });
}

function numberOf(schema: JsonSchema, whole: boolean): fc.Arbitrary<number> {
  const above = schema.exclusiveMinimum as number | undefined;
  const min = (schema.minimum as number | undefined) ?? (above === undefined ? -1000 : above + (whole ? 1 : 1e-6));
  const max = Math.max(min, (schema.maximum as number | undefined) ?? 2e12);
  const range = { min: Math.ceil(min), max: Math.floor(Math.min(max, Number.MAX_SAFE_INTEGER)) };
  if (whole) return fc.integer(range);
  return fc.double({ min, max, noNaN: true });
}

function objectOf(schema: JsonSchema, resolve: Resolve, depth: number): fc.Arbitrary<unknown> {
  const properties = Object.entries((schema.properties as Record<string, JsonSchema> | undefined) ?? {});
  const record = fc.record(
    Object.fromEntries(properties.map(([name, member]) => [name, validValue(member, resolve, depth + 1)])),
    { requiredKeys: ((schema.required as string[] | undefined) ?? []).filter((name) => name !== '') },
  );
  if (properties.length > 0 || typeof schema.additionalProperties !== 'object') return record;
  return fc.dictionary(
    fc.string({ maxLength: 8 }),
    validValue(schema.additionalProperties as JsonSchema, resolve, depth + 1),
    {
      maxKeys: 3,
    },
  );
}

/** Values that the schema takes, kept small. */
export function validValue(given: JsonSchema, resolve: Resolve, depth = 0): fc.Arbitrary<unknown> {
  const schema = resolve(given);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as unknown[]));
  const choices = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined;
  if (choices) return fc.oneof(...choices.map((choice) => validValue(choice, resolve, depth)));
  switch (schema.type) {
    case 'string':
      return stringOf(schema);
    case 'integer':
      return numberOf(schema, true);
    case 'number':
      return numberOf(schema, false);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array': {
      const items = schema.items as JsonSchema | undefined;
      if (!items || depth > MAX_DEPTH) return fc.constant([]);
      const minLength = (schema.minItems as number | undefined) ?? 0;
      return fc.array(validValue(items, resolve, depth + 1), { minLength, maxLength: Math.max(minLength, 3) });
    }
    case 'object':
      return objectOf(schema, resolve, depth);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

/** Mostly what the schema takes, but with a member taken away or put wrong, or something else altogether. */
export function nearlyValueOf(schema: JsonSchema, resolve: Resolve): fc.Arbitrary<unknown> {
  const valid = validValue(schema, resolve);
  const spoilt = fc.tuple(valid, fc.nat(), ODD_JSON, fc.boolean()).map(([value, at, odd, remove]) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return odd;
    const names = Object.keys(value);
    if (names.length === 0) return { odd };
    const name = names[at % names.length] as string;
    const { [name]: _gone, ...rest } = value as Record<string, unknown>;
    return remove ? rest : { ...rest, [name]: odd };
  });
  return fc.oneof(
    { arbitrary: valid, weight: 4 },
    { arbitrary: spoilt, weight: 4 },
    { arbitrary: ODD_JSON, weight: 1 },
  );
}
