/** Serves the interface's description as a page at `/docs`, for anyone who can reach the site. */
import { type RequestHandler, Router } from 'express';
import { buildOpenApi } from '../contract/openapi.ts';
import { DOCS_SCRIPT, DOCS_STYLE } from './assets.ts';
import { docsPage } from './page.ts';

export const DOCS_PATH = '/docs';

export function mountDocs(version: string): Router {
  const router = Router();
  let page: string | undefined;
  const serve =
    (mimeType: string, text: () => string): RequestHandler =>
    (_request, response) => {
      response.setHeader('cache-control', 'no-cache');
      response.type(mimeType).send(text());
    };
  const html = () => {
    page ??= docsPage(buildOpenApi(version), DOCS_PATH);
    return page;
  };
  router.get(DOCS_PATH, serve('html', html));
  router.get(
    `${DOCS_PATH}/style.css`,
    serve('css', () => DOCS_STYLE),
  );
  router.get(
    `${DOCS_PATH}/script.js`,
    serve('js', () => DOCS_SCRIPT),
  );
  return router;
}
