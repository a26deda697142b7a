/**
 * The first run without a window: serves a local page at a one-time address, on which the user who started the program
 * creates the site and its first administrator. It is available only while the folder has no site.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { OutpostError, toOutpostError } from '../../errors.ts';
import { initSite } from '../folder.ts';
import { closeServer, createHttpServer, listenOnLoopback } from '../http-server.ts';
import { enteredSite, setUpProblem } from './form.ts';
import { FORM_SCRIPT, setUpDone, setUpForm, setUpRefusal, WAIT_SCRIPT } from './page.ts';
import { SET_UP_LANGUAGES, type SetUpLanguage } from './words.ts';

const MAX_BODY_BYTES = 16_384;
/** Connections that a browser opened in advance are closed after this time. */
const CLOSE_GRACE_MS = 1000;

/** True for an empty or missing folder. A site is never created in any other folder. */
export async function isNewFolder(dir: string): Promise<boolean> {
  try {
    return (await readdir(dir)).length === 0;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

/**
 * Serves the page until a site has been created, then releases the port. `onReady` receives the address, which is secret.
 * @throws PORT_TAKEN; CANCELLED once `signal` aborts
 */
export async function offerSetUp(options: {
  dir: string;
  port: number;
  onReady: (url: string) => void;
  signal?: AbortSignal;
}): Promise<{ port: number }> {
  const path = `/set-up/${randomBytes(16).toString('hex')}`;
  const created = Promise.withResolvers<void>();
  const setUp: SetUp = { dir: options.dir, path, onCreated: created.resolve };
  const server = createHttpServer((request, response) => {
    answer(setUp, request, response).catch((thrown: unknown) => {
      send(response, 500, setUpRefusal(languageOf(request), toOutpostError(thrown).message));
    });
  });
  const port = await listenOnLoopback(server, options.port);
  const onAbort = () =>
    created.reject(new OutpostError('CANCELLED', 'The program was stopped before a site was created.'));
  options.signal?.addEventListener('abort', onAbort, { once: true });
  try {
    options.onReady(`http://127.0.0.1:${port}${path}`);
    if (options.signal?.aborted) onAbort();
    await created.promise;
    return { port };
  } finally {
    options.signal?.removeEventListener('abort', onAbort);
    await closeServer(server, CLOSE_GRACE_MS);
  }
}

const scripts = [WAIT_SCRIPT, FORM_SCRIPT].map(
  (script) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
);
const POLICY = `default-src 'none'; style-src 'unsafe-inline'; script-src ${scripts.join(' ')}; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`;

function send(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'content-security-policy': POLICY,
    connection: 'close',
  });
  response.end(html);
}

function isEqualInConstantTime(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Rejects cross-origin requests and DNS rebinding: only local host names and the same origin pass. */
function isSameOrigin({ headers }: IncomingMessage): boolean {
  const host = headers.host ?? '';
  if (!/^(localhost|127\.0\.0\.1)(:\d+)?$/.test(host)) return false;
  return headers.origin === undefined || headers.origin === 'null' || headers.origin === `http://${host}`;
}

interface SetUp {
  dir: string;
  /** Path of the one-time address. */
  path: string;
  onCreated: () => void;
  /** Creation of the site, so that a repeated submission does not create it twice. */
  creating?: Promise<unknown>;
}

const languageOf = ({ headers }: IncomingMessage): SetUpLanguage =>
  /^ja\b/i.test(headers['accept-language'] ?? '') ? 'ja' : 'en';

const isLanguage = (text: string | null): text is SetUpLanguage => SET_UP_LANGUAGES.some(({ id }) => id === text);

async function answer(setUp: SetUp, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const browserLanguage = languageOf(request);
  if (!isSameOrigin(request))
    return send(
      response,
      403,
      setUpRefusal(browserLanguage, 'This page is only available on the computer of the site.'),
    );
  const { dir, path } = setUp;
  if (!isEqualInConstantTime(request.url ?? '', path)) {
    if (!setUp.creating) return send(response, 404, setUpRefusal(browserLanguage));
    // The site is still starting: the page polls for it.
    return send(response, 503, setUpDone(browserLanguage));
  }
  if (request.method === 'GET') {
    const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    return send(response, 200, setUpForm(browserLanguage, dir, { timeZone }, undefined));
  }
  if (request.method !== 'POST')
    return send(response, 405, setUpRefusal(browserLanguage, 'This page accepts GET and POST only.'));
  const form = new URLSearchParams(await bodyOf(request));
  const entered = enteredSite(form);
  const [requested, shown] = [form.get('language'), form.get('shown')];
  if (isLanguage(requested)) return send(response, 200, setUpForm(requested, dir, entered, undefined));
  const language = isLanguage(shown) ? shown : browserLanguage;
  try {
    setUp.creating ??= initSite(dir, { ...entered, locale: language === 'ja' ? 'ja_JP' : 'en_US' });
    await setUp.creating;
  } catch (thrown) {
    setUp.creating = undefined;
    return send(response, 400, setUpForm(language, dir, entered, setUpProblem(toOutpostError(thrown), language)));
  }
  // The site was created even if the user has left the page.
  if (response.destroyed) return setUp.onCreated();
  response.once('close', setUp.onCreated);
  send(response, 201, setUpDone(language));
}

/** @throws BODY_TOO_LARGE */
async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new OutpostError('BODY_TOO_LARGE', 'The request is too large for this form.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
