/**
 * Sends files of a build with the validators and codings that fit them. The build wrote their compressed forms beside them
 * (`scripts/compress-assets.ts`); nothing is compressed here.
 */
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import express, { type Request, type RequestHandler, type Response } from 'express';

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

export const statOf = async (path: string) => await stat(path).catch(() => undefined);

function setCoding(response: Response, coding: Coding | undefined): void {
  response.vary('Accept-Encoding');
  if (coding) response.setHeader('content-encoding', coding);
}

/**
 * Serves assets in the coding that the browser prefers. Their names hold a hash of their content, so they never change and
 * need no validator.
 */
export function assets(directory: string): RequestHandler[] {
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

/** Sends a file with a validator made of its content: a package manager may give every version the same file time. */
export async function sendChecked(request: Request, response: Response, path: string): Promise<void> {
  const coding = await codingOf(request, path);
  const bytes = await readFile(coding ? path + VARIANTS[coding] : path);
  const hash = createHash('sha256').update(bytes).digest('base64url');
  setCoding(response, coding);
  response.setHeader('etag', `"${hash}"`).type(extname(path));
  if (request.fresh) response.status(304).end();
  else response.send(bytes);
}
