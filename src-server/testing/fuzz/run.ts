/** Sends generated requests to every operation in a site's OpenAPI document, and reports deviations from it. */
import fc from 'fast-check';
import { AnswerJudge } from './answers.ts';
import {
  type ApiDocument,
  type FuzzRequest,
  type Operation,
  operationsOf,
  requestsTo,
  resolverOf,
} from './requests.ts';

export interface FuzzOptions {
  /** Root of the service. */
  url: string;
  authorization: string;
  requests: number;
  seed: number;
  /** Values that exist, by the name of their parameter. */
  known: Record<string, readonly string[]>;
  /** Operations that would end the run itself. */
  leaveOut?: readonly string[];
}

export interface FuzzResult {
  requests: number;
  operations: number;
  problems: string[];
  /** How often each status came. */
  statuses: Record<string, number>;
  slowestMs: number;
}

const DEADLINE_MS = 60_000;
/** Operations not fuzzed to the end: one ends the run's session; `live` streams forever and is only opened. */
const ENDS_THE_SESSION = /^logout/;

async function send(options: FuzzOptions, operation: Operation, request: FuzzRequest) {
  const { url, authorization } = options;
  const signal = AbortSignal.timeout(DEADLINE_MS);
  const response = await fetch(url + request.path, {
    method: operation.method,
    headers: { ...request.headers, ...(request.signedIn ? { authorization } : {}) },
    ...(request.body === undefined ? {} : { body: request.body }),
    signal,
  });
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
    await response.body?.cancel();
    return { status: response.status, headers: response.headers, text: '' };
  }
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const wordsOf = (operation: Operation, request: FuzzRequest) =>
  `${operation.method} ${request.path.slice(0, 300)} ${JSON.stringify(request.headers)} ${
    typeof request.body === 'string' ? request.body.slice(0, 300) : request.body ? '(form)' : ''
  }`;

/** Headers and bytes instead of JSON: the tests of uploads send what is wrong there. */
const TUS_PATH = /\/(?:device|subjects\/\{subjectId\})\/uploads/;

/** The same seed sends the same requests in the same order; what a site answers depends on what it stored before. */
export async function fuzz(options: FuzzOptions): Promise<FuzzResult> {
  const document = (await (await fetch(`${options.url}/api/v1/openapi.json`)).json()) as ApiDocument;
  const resolve = resolverOf(document);
  const operations = operationsOf(document).filter(
    ({ operationId, path }) =>
      !ENDS_THE_SESSION.test(operationId) && !options.leaveOut?.includes(operationId) && !TUS_PATH.test(path),
  );
  const judge = new AnswerJudge(document);
  const result: FuzzResult = { requests: 0, operations: operations.length, problems: [], statuses: {}, slowestMs: 0 };
  const perOperation = Math.ceil(options.requests / operations.length);
  const plans = operations.map((operation, at) =>
    fc.sample(requestsTo(operation, options.known, resolve), { seed: options.seed + at, numRuns: perOperation }),
  );
  // Round by round, so that every operation meets what the others did.
  for (let turn = 0; turn < perOperation; turn++) {
    for (const [at, operation] of operations.entries()) {
      if (result.requests >= options.requests) break;
      const request = plans[at]?.[turn] as FuzzRequest;
      const started = performance.now();
      let problem: string | undefined;
      try {
        const answer = await send(options, operation, request);
        result.statuses[answer.status] = (result.statuses[answer.status] ?? 0) + 1;
        problem = judge.problemOf(operation, answer);
      } catch (thrown) {
        problem = `failed: ${String(thrown)} ${String((thrown as Error).cause ?? '')}`;
      }
      result.requests++;
      result.slowestMs = Math.max(result.slowestMs, performance.now() - started);
      if (problem) result.problems.push(`${operation.operationId} ${problem}\n  ${wordsOf(operation, request)}`);
    }
  }
  return result;
}
