/** Sends files of the site, with range requests. */
import { basename, dirname } from 'node:path';
import type { Response } from 'express';

/** Resolves when the file is sent or the reader has disconnected. @throws what `errors.ts` converts to 404 or 416 */
export async function sendFile(
  response: Response,
  path: string,
  mimeType: string,
  contentDisposition: string,
): Promise<void> {
  // With a root, only the file name is checked for dots: the site may be in a folder whose name starts with one.
  const options = {
    root: dirname(path),
    headers: { 'content-disposition': contentDisposition },
    cacheControl: false,
    dotfiles: 'allow' as const,
  };
  await new Promise<void>((resolve, reject) => {
    response.type(mimeType).sendFile(basename(path), options, (error?: Error) => {
      // A reader that disconnects is not an error.
      if (error && !response.destroyed) reject(error);
      else resolve();
    });
  });
}
