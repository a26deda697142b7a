/**
 * ETags of answers that are determined by stored content: raw data, overviews, beats and channels. The tag is derived from the
 * facts that determine the answer (hashes of files and columns, versions), so an unchanged answer is recognised before any
 * file is read. It is weak because the compressed bytes differ.
 *
 * Authorization precedes it, and a browser asks each time (`no-cache`): a person who lost a permission, and everybody after a
 * deletion, receives the error and never an old answer.
 */
import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';

/**
 * Sets the validator of the answer. When the client has it already, sends 304 and returns true.
 * @param facts everything but the address that determines the answer, including its content type and the program's version
 */
export function answeredUnchanged(request: Request, response: Response, facts: readonly unknown[]): boolean {
  const hash = createHash('sha256')
    .update(JSON.stringify([request.originalUrl, facts]))
    .digest('base64url');
  response.setHeader('cache-control', 'private, no-cache');
  response.setHeader('etag', `W/"${hash}"`);
  // Existing clients send `If-Modified-Since: 0` to receive the answer in any case.
  const { 'if-modified-since': since, 'if-none-match': tags } = request.headers;
  if (since !== undefined || tags === '*' || !request.fresh) return false;
  response.status(304).end();
  return true;
}

/** Keeps an answer from being stored after all, because not only its facts determined it. */
export function forbidStoring(response: Response): void {
  response.removeHeader('etag');
  response.setHeader('cache-control', 'no-store');
}
