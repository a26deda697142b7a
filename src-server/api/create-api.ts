/**
 * The HTTP application of a site: `/api/v1` (also at `/v1`), the documentation page, the app of subjects' phones and the desk.
 * Resources are thin: the framework parses and authorizes each request; handlers call the store and shape the answer.
 */
import express, { type Express, type RequestHandler } from 'express';
import { OutpostError } from '../errors.ts';
import type { ApiDeps, Listener, UploadHandler } from './deps.ts';
import { deskFiles } from './desk-files.ts';
import { mountDocs } from './docs-page/mount.ts';
import { callingDevice } from './framework/authenticate.ts';
import { accessLog, hostCheck, requestContext, securityHeaders } from './framework/guards.ts';
import { createSharedState, errorHandler, mountRoutes, requireDeskOpen } from './framework/mount.ts';
import { uploadingUser } from './framework/uploading-user.ts';
import { phoneFiles } from './phone-files.ts';
import { createHandlers } from './resources/index.ts';
import { mountTrustPages } from './trust-pages/mount.ts';

const INTERFACE_ROOTS = ['/api/v1', '/v1'];
const USER_UPLOADS = '/studies/:studyId/subjects/:subjectId/uploads';

/**
 * Creates the app for one listener. On the local network it answers only devices and signed addresses, unless an
 * administrator opened the desk to it. Its server needs {@link answerClientErrors} as well.
 */
export function createApi(deps: ApiDeps, listener: Listener = 'loopback'): Express {
  const app = express();
  app.disable('x-powered-by');
  // Answers are never cached: a client that sends `If-Modified-Since: 0` must get 200.
  app.disable('etag');
  app.set('query parser', 'simple');
  app.use(accessLog(deps.log), securityHeaders(), hostCheck(deps.allowedHosts ?? (() => []), listener));

  const handlers = createHandlers(deps);
  const shared = createSharedState(deps);
  app.use(INTERFACE_ROOTS, mountRoutes(deps, shared, handlers, { atRoot: false, listener }));
  if (deps.uploads) {
    const at = (path: string) => INTERFACE_ROOTS.map((root) => `${root}${path}`);
    app.use(at('/device/uploads'), noStore, uploads(deps, deps.uploads));
    if (listener === 'lan') app.use(at(USER_UPLOADS), deskGate(deps));
    app.use(at(USER_UPLOADS), noStore, uploadsOfUsers(deps, deps.uploads));
  }
  app.use(mountRoutes(deps, shared, handlers, { atRoot: true, listener }));
  app.use(['/api', '/v1'], noStore, unknownAddress);
  app.use(mountTrustPages(deps));
  if (deps.phoneDir) app.use('/phone', phoneFiles(deps.phoneDir));
  // The routes below are for people at a desk.
  if (listener === 'lan') app.use(deskGate(deps));
  app.use(mountDocs(deps.version));
  if (deps.staticDir) app.use(deskFiles(deps.staticDir));
  app.use(unknownAddress);
  app.use(errorHandler());
  return app;
}

const noStore: RequestHandler = (_request, response, next) => {
  response.setHeader('cache-control', 'no-store');
  next();
};

function deskGate(deps: ApiDeps): RequestHandler {
  return async (_request, _response, next) => {
    await requireDeskOpen(deps);
    next();
  };
}

/** Uploads use tus, which no route of the contract describes, so the device is authenticated here. */
function uploads(deps: ApiDeps, handle: UploadHandler): RequestHandler {
  return async (request, response) => {
    const device = await callingDevice(deps, request);
    requestContext(response).deviceId = device.credentialId;
    await handle(request, response, device);
  };
}

/** The same, for a user at a desk who recorded a sensor of the subject in the path. */
function uploadsOfUsers(deps: ApiDeps, handle: UploadHandler): RequestHandler {
  return async (request, response) => {
    const sender = await uploadingUser(deps, request);
    requestContext(response).userId = sender.userId;
    await handle(request, response, sender);
  };
}

const unknownAddress: RequestHandler = () => {
  throw new OutpostError('NOT_FOUND', 'There is nothing at this address. Check its spelling.');
};
