/** JSON Schemas as rows that a person reads: name, type, rule, meaning. */

import type { JsonSchema } from '../contract/openapi-document.ts';

export interface SchemaRow {
  /** Dotted path of the member; `[]` after a list. */
  name: string;
  type: string;
  isRequired: boolean;
  description: string;
  /** Name of a schema that is explained on its own. */
  reference?: string;
}

function referenceOf(schema: JsonSchema): string | undefined {
  return typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined;
}

const LIMITS: readonly (readonly [string, (value: unknown) => string])[] = [
  ['minLength', (value) => (value === 1 ? 'not empty' : `at least ${value} characters`)],
  ['maxLength', (value) => `at most ${value} characters`],
  ['minimum', (value) => `>= ${value}`],
  ['exclusiveMinimum', (value) => `> ${value}`],
  ['maximum', (value) => `<= ${value}`],
  ['minItems', (value) => `at least ${value} entries`],
  ['maxItems', (value) => `at most ${value} entries`],
  ['pattern', (value) => `matches ${value}`],
  ['default', (value) => `default ${JSON.stringify(value)}`],
];

function limitsOf(schema: JsonSchema): string {
  return LIMITS.filter(([name]) => schema[name] !== undefined)
    .map(([name, words]) => words(schema[name]))
    .join(', ');
}

/** One line: `string`, `integer, >= 0`, `"daily" or array of integer`, `Recording`. */
export function typeOf(schema: JsonSchema): string {
  const reference = referenceOf(schema);
  if (reference) return reference;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' or ');
  const choices = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined;
  if (choices) return [...new Set(choices.map(typeOf))].join(' or ');
  if (schema.type === 'array') {
    const items = schema.items ? ` of ${typeOf(schema.items as JsonSchema)}` : '';
    return [`array${items}`, limitsOf(schema)].filter(Boolean).join(', ');
  }
  if (schema.type === 'object' && typeof schema.additionalProperties === 'object' && !schema.properties) {
    return `object of ${typeOf(schema.additionalProperties as JsonSchema)}`;
  }
  const format = typeof schema.format === 'string' ? ` (${schema.format})` : '';
  return [`${String(schema.type ?? 'any')}${format}`, limitsOf(schema)].filter(Boolean).join(', ');
}

function innerOf(schema: JsonSchema): { schema: JsonSchema; suffix: string } {
  const items = schema.items as JsonSchema | undefined;
  return schema.type === 'array' && items ? { schema: items, suffix: '[]' } : { schema, suffix: '' };
}

/** The members of a schema, those of nested objects under their dotted path. */
export function rowsOf(schema: JsonSchema, prefix = ''): SchemaRow[] {
  const { schema: own, suffix } = innerOf(schema);
  const path = prefix + suffix;
  const reference = referenceOf(own);
  if (reference || !own.properties) {
    if (prefix !== '') return [];
    return [
      { name: suffix, type: typeOf(own), isRequired: true, description: String(own.description ?? ''), reference },
    ];
  }
  const required = (own.required as string[] | undefined) ?? [];
  return Object.entries(own.properties as Record<string, JsonSchema>).flatMap(([key, member]) => {
    const name = path === '' ? key : `${path}.${key}`;
    const inner = innerOf(member);
    const row: SchemaRow = {
      name,
      type: typeOf(member),
      isRequired: required.includes(key),
      description: String(member.description ?? ''),
      reference: referenceOf(inner.schema),
    };
    return [row, ...(inner.schema.properties ? rowsOf(member, name) : [])];
  });
}
