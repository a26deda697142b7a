/** Holds answers against the interface's document: status, content type and body. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { ApiDocument, Operation } from './requests.ts';

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

/** Judges answers; undefined when one is as documented. */
export class AnswerJudge {
  readonly #ajv: Ajv2020;
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(document: ApiDocument) {
    this.#ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false });
    this.#ajv.addSchema({ $id: 'document', components: document.components });
  }

  problemOf(operation: Operation, { status, headers, text }: Answer): string | undefined {
    if (status >= 500) return `answered ${status}: ${text.slice(0, 300)}`;
    const answer = operation.answers[status];
    if (!answer) return `answered ${status}, which is not documented: ${text.slice(0, 300)}`;
    const mediaTypes = Object.keys(answer);
    if (mediaTypes.length === 0) return text === '' ? undefined : `${status} came with a body: ${text.slice(0, 100)}`;
    const came = (headers.get('content-type') ?? '').split(';')[0]?.trim() ?? '';
    const mediaType = mediaTypes.find((one) => one === came || one === `${came.split('/')[0]}/*`);
    if (mediaType === undefined) return `${status} came as ${came}, not as ${mediaTypes.join(' or ')}`;
    const schema = answer[mediaType];
    if (mediaType !== 'application/json' || !schema) return undefined;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return `${status} came with broken JSON: ${text.slice(0, 100)}`;
    }
    const key = `${operation.operationId} ${status}`;
    let validate = this.#validators.get(key);
    if (!validate) {
      validate = this.#ajv.compile(
        JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/')),
      );
      this.#validators.set(key, validate);
    }
    return validate(value) ? undefined : `${status} breaks its schema: ${this.#ajv.errorsText(validate.errors)}`;
  }
}
