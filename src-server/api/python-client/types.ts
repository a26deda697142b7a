/** JSON Schema as types of Python: typed dictionaries for objects, Literal for sets of words. */

type Schema = Readonly<Record<string, unknown>>;

const IDENTIFIER = /^[A-Za-z_]\w*$/;
const RESERVED = new Set(['from', 'class', 'def', 'global', 'import', 'in', 'is', 'not', 'or', 'and', 'pass', 'None']);
const SIMPLE: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
};

/** `recordingStartTs` to `recording_start_ts`. */
export const snakeCase = (name: string): string =>
  name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .replaceAll(/\W+/g, '_')
    .toLowerCase();

const isObject = (schema: Schema): boolean => schema.type === 'object' && typeof schema.properties === 'object';

/** Collects the named types that a module needs while it turns schemas into annotations. */
export class PythonTypes {
  readonly #schemas: Readonly<Record<string, Schema>>;
  readonly #classes = new Map<string, string>();

  constructor(schemas: Readonly<Record<string, unknown>>) {
    this.#schemas = schemas as Readonly<Record<string, Schema>>;
    for (const [name, schema] of Object.entries(this.#schemas)) if (isObject(schema)) this.#class(name, schema);
  }

  /** @param name of the type, when the schema is an object without a name of its own; none: a plain dictionary */
  of(given: unknown, name: string): string {
    const schema = given as Schema;
    const { $ref, type, anyOf, oneOf, allOf, items, enum: words, const: only } = schema;
    if (typeof $ref === 'string') return this.#named($ref.split('/').at(-1)!, name);
    if (only !== undefined) return `Literal[${literal(only)}]`;
    if (Array.isArray(words)) return `Literal[${words.map(literal).join(', ')}]`;
    const options = anyOf ?? oneOf;
    if (Array.isArray(options)) return union(options.map((one, i) => this.of(one, name && `${name}${i + 1}`)));
    if (Array.isArray(type)) return union(type.map((one) => this.of({ ...schema, type: one }, name)));
    if (Array.isArray(allOf)) return 'Dict[str, Any]';
    if (type === 'array') return `List[${items ? this.of(items, name && `${name}Item`) : 'Any'}]`;
    if (isObject(schema)) return name === '' ? 'Dict[str, Any]' : this.#class(name, schema);
    if (type === 'object') {
      const values = schema.additionalProperties;
      return `Dict[str, ${values && typeof values === 'object' ? this.of(values, name && `${name}Value`) : 'Any'}]`;
    }
    return SIMPLE[String(type)] ?? 'Any';
  }

  #named(schemaName: string, name: string): string {
    const schema = this.#schemas[schemaName];
    if (!schema) return 'Any';
    return isObject(schema) ? schemaName : this.of(schema, name || schemaName);
  }

  /** Declares a typed dictionary; one whose members are no names of Python is a plain one. */
  #class(name: string, schema: Schema): string {
    if (this.#classes.has(name)) return name;
    const properties = Object.entries(schema.properties as Record<string, unknown>);
    if (properties.some(([key]) => !IDENTIFIER.test(key) || RESERVED.has(key))) return 'Dict[str, Any]';
    // Known before its members are, which may refer to it.
    this.#classes.set(name, '');
    const required = new Set((schema.required as string[] | undefined) ?? []);
    const lines = (isRequired: boolean) =>
      properties
        .filter(([key]) => required.has(key) === isRequired)
        .map(([key, value]) => `    ${key}: ${this.of(value, name + key[0]!.toUpperCase() + key.slice(1))}`);
    const base = `class _${name}(TypedDict):\n${lines(true).join('\n') || '    pass'}\n`;
    const rest = `class ${name}(_${name}, total=False):\n${lines(false).join('\n') || '    pass'}\n`;
    this.#classes.set(name, `${base}\n\n${rest}`);
    return name;
  }

  text(): string {
    return [...this.#classes.values()].join('\n\n');
  }
}

const literal = (value: unknown): string => {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return JSON.stringify(value);
};

function union(parts: readonly string[]): string {
  const distinct = [...new Set(parts)];
  return distinct.length === 1 ? distinct[0]! : `Union[${distinct.join(', ')}]`;
}
