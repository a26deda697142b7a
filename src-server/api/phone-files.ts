/**
 * Serves the app of subjects' phones below `/phone`, on the local network too and without a sign-in: it holds nothing of a
 * subject until its token was entered. Page and service worker are checked on each use, so that a new version arrives;
 * everything else has a name made of its content.
 */
import { join } from 'node:path';
import express, { type RequestHandler } from 'express';
import { OutpostError } from '../errors.ts';
import { assets, sendChecked, statOf } from './built-files.ts';

/** No inline script, no foreign address, no frame around it. The camera's picture is a stream, chosen pictures are blobs. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join(';');

/** What the app uses; what it never needs is off, whatever a later fault in it might ask for. */
const PERMISSIONS_POLICY = [
  ...['camera', 'bluetooth', 'screen-wake-lock', 'fullscreen'].map((name) => `${name}=(self)`),
  ...['microphone', 'geolocation', 'payment', 'usb', 'serial', 'hid', 'display-capture'].map((name) => `${name}=()`),
].join(', ');

/** Files whose names stay the same from version to version. */
const CHECKED = ['/sw.js', '/manifest.webmanifest', '/icon.svg'];

const headers: RequestHandler = (_request, response, next) => {
  response.setHeader('content-security-policy', CONTENT_SECURITY_POLICY);
  response.setHeader('permissions-policy', PERMISSIONS_POLICY);
  next();
};

/** @param directory the build; while it has no page, `/phone` answers 404 */
export function phoneFiles(directory: string): RequestHandler {
  const page = join(directory, 'index.html');
  const router = express.Router();
  router.use(headers);
  router.use('/assets', assets(join(directory, 'assets')));
  router.use('/icons', express.static(join(directory, 'icons'), { maxAge: '1d', index: false, redirect: false }));
  router.get(CHECKED, async (request, response, next) => {
    const path = join(directory, request.path);
    if (!(await statOf(path))) return next();
    response.setHeader('cache-control', 'no-cache');
    await sendChecked(request, response, path);
  });
  router.get('/', async (request, response) => {
    response.setHeader('cache-control', 'no-cache');
    // The scope of the service worker is the folder. A browser keeps the fragment, and with it the token, over the redirect.
    const [address = '', query] = request.originalUrl.split('?', 2);
    if (!address.endsWith('/')) return response.redirect(307, query === undefined ? '/phone/' : `/phone/?${query}`);
    if (!(await statOf(page)))
      throw new OutpostError(
        'NOT_FOUND',
        'The app for phones is not built. Run “npm run build” in the program’s folder.',
      );
    await sendChecked(request, response, page);
  });
  // Neither the desk's page nor its gate answers here. Other pages of phones are mounted before this router.
  router.use(() => {
    throw new OutpostError('NOT_FOUND', 'There is nothing at this address. Open the app of phones at /phone.');
  });
  return router;
}
