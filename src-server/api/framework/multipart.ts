/** Reads multipart bodies: text parts as fields, file parts as streams. */
import type { Readable } from 'node:stream';
import busboy from 'busboy';
import type { Request } from 'express';
import { OutpostError } from '../../errors.ts';
import { invalidField } from './errors.ts';

const MAX_FIELDS = 50;
const MAX_FIELD_BYTES = 64 * 1024;

interface FilePartInfo {
  /** As sent by the client; may be empty. */
  fileName: string;
}

/**
 * Returns the text parts by name; the last part of a name counts. `onFile` must consume or drop (`resume`) every file part;
 * its failure fails the whole. `onFile` no longer runs once this has settled.
 * @throws INVALID_INPUT when the body is cut short, is not well-formed, or has too many files or too long a text
 */
export async function readMultipart(
  request: Request,
  maxFiles: number,
  onFile: (name: string, stream: Readable, info: FilePartInfo) => Promise<void>,
): Promise<Record<string, string>> {
  const fields: Record<string, string> = {};
  const files: Promise<void>[] = [];
  const parser = openParser(request, maxFiles);
  try {
    await new Promise<void>((resolve, reject) => {
      const fail = (error: unknown) => {
        request.unpipe(parser);
        request.resume();
        reject(error);
      };
      parser.on('field', (name, value, { valueTruncated }) => {
        if (valueTruncated) fail(invalidField(name, `must have at most ${MAX_FIELD_BYTES} bytes`));
        fields[name] = value;
      });
      parser.on('file', (name, stream, info) => {
        // The reader sees the error through the stream. Without this listener, a truncated part that is dropped would crash the process.
        stream.on('error', () => undefined);
        const file = onFile(name, stream, { fileName: info.filename ?? '' });
        file.catch((error: unknown) => {
          stream.resume();
          fail(error);
        });
        files.push(file);
      });
      parser.on('filesLimit', () => fail(invalidField('file', `may come at most ${maxFiles} times`)));
      parser.on('error', () => fail(cutShort()));
      parser.on('close', resolve);
      request.on('aborted', () => fail(cutShort()));
      request.pipe(parser);
    });
    await Promise.all(files);
  } catch (error) {
    // Ends unfinished file streams, so that nothing is written while the caller cleans up.
    parser.destroy();
    await Promise.allSettled(files);
    throw error;
  }
  return fields;
}

function openParser(request: Request, maxFiles: number): busboy.Busboy {
  try {
    return busboy({
      headers: request.headers,
      // Browsers and curl send names as UTF-8 (WHATWG, multipart/form-data encoding algorithm); the default is Latin-1.
      defParamCharset: 'utf8',
      limits: { files: maxFiles, fields: MAX_FIELDS, fieldSize: MAX_FIELD_BYTES },
    });
  } catch {
    // A multipart content type without a boundary.
    throw cutShort();
  }
}

function cutShort(): OutpostError {
  return new OutpostError(
    'INVALID_INPUT',
    'The upload ended too early or is not a well-formed multipart body. Send it again.',
  );
}
