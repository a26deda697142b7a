/** Sends a file of the site, with range requests. */
import { basename, dirname } from 'node:path';
import type { Response } from 'express';

/** Resolves when the file is out or the reader has gone. @throws what `errors.ts` turns into 404 or 416 */
export async function sendFile(
  response: Response,
  path: string,
  mimeType: string,
  contentDisposition: string,
): Promise<void> {
  // With a root only the name is looked at: a site in a folder whose name starts with a dot must not be "hidden".
  const options = {
    root: dirname(path),
    headers: { 'content-disposition': contentDisposition },
    cacheControl: false,
    dotfiles: 'allow' as const,
  };
  await new Promise<void>((resolve, reject) => {
    response.type(mimeType).sendFile(basename(path), options, (error?: Error) => {
      // A reader that goes away half-way is no failure of ours.
      if (error && !response.destroyed) reject(error);
      else resolve();
    });
  });
}
