/** Errors of importers, with the same wording for every format. */
import { basename } from 'node:path';
import { OutpostError } from '../errors.ts';

/** The file has the right form but its content breaks it. */
export function damaged(path: string, what: string): OutpostError {
  return new OutpostError('FILE_DAMAGED', `${basename(path)} cannot be read: ${what} Nothing was imported.`, {
    details: { fileName: basename(path) },
  });
}

/** The file is intact as far as read, but holds something that is not supported. */
export function unsupported(path: string, what: string): OutpostError {
  return new OutpostError('UNSUPPORTED_FORMAT', `${basename(path)} cannot be imported: ${what}`, {
    details: { fileName: basename(path) },
  });
}

export function empty(path: string, what = 'it is empty.'): OutpostError {
  return new OutpostError('FILE_EMPTY', `${basename(path)} holds no samples: ${what}`, {
    details: { fileName: basename(path) },
  });
}

/** Aborts a cancelled import. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new OutpostError('CANCELLED', 'The import was cancelled. Nothing was imported.');
}
