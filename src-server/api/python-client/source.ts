/**
 * Writes a Python module that calls the API, from its OpenAPI document: a typed method per operation, typed dictionaries for what they
 * take and return, and no package but Python's own (3.9 or later), so that it runs on a computer without internet.
 */
import type { OpenApiDocument, Operation } from '../contract/openapi-document.ts';
import { CLIENT_CORE } from './core.ts';
import { PythonTypes, snakeCase } from './types.ts';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
/** Hubs and phones have credentials of their own. */
const OF_DEVICES = /^\/(?:device|phone)\//;
/** A stream of changes never ends. */
const STREAM = 'text/event-stream';

interface Called {
  operation: Operation;
  method: (typeof METHODS)[number];
  path: string;
}

function operationsOf(document: OpenApiDocument): Called[] {
  const found: Called[] = [];
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const operation = item[method];
      if (operation && !OF_DEVICES.test(path) && isForUsers(operation)) found.push({ operation, method, path });
    }
  }
  return found;
}

function isForUsers({ operationId, security, responses }: Operation): boolean {
  if (/Alias\d+$/.test(operationId)) return false;
  if (security?.some((scheme) => 'device' in scheme)) return false;
  return !Object.values(responses).some(({ content }) => content && STREAM in content);
}

const indented = (text: string, spaces: number): string => text.replaceAll(/^(?=.)/gm, ' '.repeat(spaces));

/** Text inside a docstring: backslashes and quotes would end or change it. */
const docText = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('"""', "'''");

const KEYWORDS = new Set([
  'from',
  'class',
  'def',
  'global',
  'import',
  'in',
  'is',
  'lambda',
  'not',
  'or',
  'and',
  'pass',
  'self',
  'body',
]);
const argumentOf = (name: string): string => {
  const snake = snakeCase(name);
  return KEYWORDS.has(snake) ? `${snake}_` : snake;
};

function methodText({ operation, method, path }: Called, types: PythonTypes): string {
  const name = snakeCase(operation.operationId);
  const inPath = operation.parameters.filter((one) => one.in === 'path');
  const inQuery = operation.parameters.filter((one) => one.in === 'query');
  const title = operation.operationId[0]!.toUpperCase() + operation.operationId.slice(1);
  const content = operation.requestBody?.content ?? {};
  const json = content['application/json'];
  const multipart = content['multipart/form-data'];
  const body = json && types.of(json.schema, `${title}Body`);
  const isBodyRequired = operation.requestBody?.required === true;
  const positional = inPath.map((one) => `${argumentOf(one.name)}: ${types.of(one.schema, '')}`);
  if (body) positional.push(isBodyRequired ? `body: ${body}` : `body: Optional[${body}] = None`);
  const keywords = [
    ...inQuery
      .toSorted((a, b) => Number(b.required) - Number(a.required))
      .map((one) => {
        const type = types.of(one.schema, '');
        return one.required ? `${argumentOf(one.name)}: ${type}` : `${argumentOf(one.name)}: Optional[${type}] = None`;
      }),
    ...(multipart ? ['fields: Optional[Mapping[str, str]] = None', 'files: Sequence[File] = ()'] : []),
  ];
  const signature = ['self', ...positional, ...(keywords.length > 0 ? ['*', ...keywords] : [])].join(', ');
  const { type, form } = answerOf(operation, types, title);
  const query = inQuery.map((one) => `${JSON.stringify(one.name)}: ${argumentOf(one.name)}`).join(', ');
  const values = inPath.map((one) => `${JSON.stringify(one.name)}: ${argumentOf(one.name)}`).join(', ');
  const given = [
    JSON.stringify(method.toUpperCase()),
    JSON.stringify(path),
    `{${values}}`,
    `{${query}}`,
    ...(body ? ['body=body'] : []),
    ...(multipart ? ['fields=fields or {}', 'files=files'] : []),
    `form=${JSON.stringify(form)}`,
  ].join(', ');
  const help = [operation.summary, operation.description].filter((text) => text).join('.\n\n');
  const asked = inQuery.filter((one) => one.description).map((one) => `${argumentOf(one.name)}: ${one.description}`);
  const doc = docText([help, ...asked].join('\n\n'));
  return `def ${name}(${signature}) -> ${type}:
    """${indented(doc, 4).trimStart()}
    """
    return self._call(${given})  # type: ignore[no-any-return]
`;
}

/** What a method returns: JSON, text, bytes or nothing. */
function answerOf({ responses }: Operation, types: PythonTypes, title: string): { type: string; form: string } {
  const [, answer] = Object.entries(responses).find(([status]) => /^2\d\d$/.test(status)) ?? [];
  const content = answer?.content ?? {};
  const json = content['application/json'];
  if (json) return { type: types.of(json.schema, `${title}Answer`), form: 'json' };
  const media = Object.keys(content);
  if (media.length === 0) return { type: 'None', form: 'none' };
  return media.every((one) => one.startsWith('text/'))
    ? { type: 'str', form: 'text' }
    : { type: 'bytes', form: 'bytes' };
}

/** The module `outpost_client.py` for a document. */
export function pythonClient(document: OpenApiDocument): string {
  const types = new PythonTypes(document.components.schemas);
  const methods = operationsOf(document).map((called) => methodText(called, types));
  return `"""Client of the API of Outpost ${document.info.version}, made from its OpenAPI document. Needs Python 3.9 or later and no packages.

    from outpost_client import Outpost

    outpost = Outpost('http://127.0.0.1:8321')
    outpost.log_in('name@example.org', 'password')
    for study in outpost.list_studies(outpost.account_id):
        for subject in outpost.list_subjects(study['id'])['items']:
            days = outpost.list_metrics(study['id'], subject['id'])['items']
"""
${CLIENT_CORE}

${types.text()}

class Outpost(_Connection):
    """Every operation of the API for users, as a method. Errors are raised as OutpostError."""

${indented(methods.join('\n'), 4)}`;
}
