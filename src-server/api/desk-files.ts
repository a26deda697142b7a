/** Serves the built desk. All addresses of its views return the one page. */
import { join } from 'node:path';
import express, { type Request, type RequestHandler, type Response } from 'express';
import { assets, sendChecked, statOf } from './built-files.ts';

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

/** Serves the desk from a folder; until its page exists, a page that waits for it (503). */
export function deskFiles(staticDir: string): RequestHandler {
  const page = join(staticDir, 'index.html');
  const router = express.Router();
  router.use('/assets', assets(join(staticDir, 'assets')));
  const servePage: RequestHandler = async (request, response, next) => {
    if (!request.accepts('html')) return next();
    response.setHeader('cache-control', 'no-cache');
    if (await statOf(page)) await sendChecked(request, response, page);
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
