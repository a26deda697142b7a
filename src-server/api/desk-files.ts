/**
 * Serves the built desk. All addresses of its views return the one page. Files are sent in the codings that the build wrote
 * (`scripts/compress-assets.ts`); nothing is compressed here.
 */
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import express, { type Request, type RequestHandler, type Response } from 'express';

/** Refresh interval in seconds while the desk is being built. */
const REFRESH_SECONDS = 3;

const WORDS = {
  en: {
    title: 'The desk is not ready yet',
    body: 'The site is running. The desk is being built, which takes about 30 seconds. This page opens it automatically.',
    help: 'If this page does not change, run “npm run build” in the program’s folder. Scripts can use the API in the meantime.',
  },
  ja: {
    title: '画面を準備しています',
    body: '施設のサーバーは動作しています。画面の準備には30秒ほどかかり、終わると自動的に開きます。',
    help: 'この表示のまま変わらない場合は、プログラムのフォルダーで「npm run build」を実行してください。APIはそのまま利用できます。',
  },
} as const;

/** Content codings that the build writes beside its files, smallest first: browsers name them in any order. */
const VARIANTS = { br: '.br', gzip: '.gz' } as const;
const CODINGS = ['br', 'gzip'] as const;
type Coding = (typeof CODINGS)[number];

/** Returns the coding to send a file in. A variant that is older than its file belongs to an earlier build. */
async function codingOf(request: Request, path: string): Promise<Coding | undefined> {
  const accepted = CODINGS.filter((coding) => request.acceptsEncodings(coding) === coding);
  if (accepted.length === 0) return undefined;
  const file = await statOf(path);
  for (const coding of accepted) {
    const variant = await statOf(path + VARIANTS[coding]);
    if (file && variant && variant.mtimeMs >= file.mtimeMs) return coding;
  }
  return undefined;
}

const statOf = async (path: string) => await stat(path).catch(() => undefined);

function setCoding(response: Response, coding: Coding | undefined): void {
  response.vary('Accept-Encoding');
  if (coding) response.setHeader('content-encoding', coding);
}

/**
 * Serves assets in the coding that the browser prefers. Their names hold a hash of their content, so they never change and
 * need no validator.
 */
function assets(directory: string): RequestHandler[] {
  const name = /^\/[\w.-]+$/;
  const chooseVariant: RequestHandler = async (request, response, next) => {
    if (!name.test(request.path)) return next();
    const coding = await codingOf(request, join(directory, request.path));
    setCoding(response, coding);
    if (coding) {
      response.type(extname(request.path));
      request.url = request.path + VARIANTS[coding];
    }
    next();
  };
  const files = express.static(directory, { immutable: true, maxAge: '1y', fallthrough: false });
  return [chooseVariant, files];
}

/** Sends the page with a validator made of its content: a package manager may give every version the same file time. */
async function sendPage(request: Request, response: Response, path: string): Promise<void> {
  const coding = await codingOf(request, path);
  const bytes = await readFile(coding ? path + VARIANTS[coding] : path);
  const hash = createHash('sha256').update(bytes).digest('base64url');
  setCoding(response, coding);
  response.setHeader('etag', `"${hash}"`).type('html');
  if (request.fresh) response.status(304).end();
  else response.send(bytes);
}

/** Serves the desk from a folder; until its page exists, a page that waits for it (503). */
export function deskFiles(staticDir: string): RequestHandler {
  const page = join(staticDir, 'index.html');
  const router = express.Router();
  router.use('/assets', assets(join(staticDir, 'assets')));
  const servePage: RequestHandler = async (request, response, next) => {
    if (!request.accepts('html')) return next();
    response.setHeader('cache-control', 'no-cache');
    if (await statOf(page)) await sendPage(request, response, page);
    else sendNotReady(request, response);
  };
  router.get(['/', '/index.html'], servePage);
  router.use(express.static(staticDir, { setHeaders: (response) => response.setHeader('cache-control', 'no-cache') }));
  router.get('/{*view}', servePage);
  return router;
}

function sendNotReady(request: Request, response: Response): void {
  const language = request.acceptsLanguages('en', 'ja') === 'ja' ? 'ja' : 'en';
  const { title, body, help } = WORDS[language];
  response
    .status(503)
    .setHeader('retry-after', REFRESH_SECONDS)
    .type('html')
    .send(
      `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="${REFRESH_SECONDS}"><title>${title} · Outpost</title>
<style>:root { color-scheme: light dark; } body { max-width: 36rem; margin: 20vh auto 0; padding: 0 1.5rem;
font: 0.9375rem/1.6 "Segoe UI", system-ui, "Noto Sans CJK JP", sans-serif; } h1 { font-size: 1.375rem; }</style></head>
<body><main><h1>${title}</h1><p role="status">${body}</p><p>${help}</p></main></body></html>`,
    );
}
