/** Reads a sent message: its text and its optional image. */
import type { Readable } from 'node:stream';
import type { Request } from 'express';
import { OutpostError } from '../../../errors.ts';
import { messageRoutes as contract } from '../../contract/resources/messages.ts';
import { invalidField, invalidInput } from '../../framework/errors.ts';
import { readMultipart } from '../../framework/multipart.ts';

const MAX_FILES = 10;
const MAX_TEXT_BYTES = 64 * 1024;
const MAX_IMAGE_BYTES = 10 * 1024 * 1024;

interface ReceivedImage {
  bytes: Uint8Array;
  mimeType: string;
  extension: string;
}

export interface ReceivedMessage {
  body: string;
  image?: ReceivedImage;
}

/** Image formats that every browser shows and that cannot contain scripts, by their first bytes in hex. */
const IMAGE_FORMATS = [
  { mimeType: 'image/png', extension: 'png', start: /^89504e470d0a1a0a/ },
  { mimeType: 'image/jpeg', extension: 'jpg', start: /^ffd8ff/ },
  { mimeType: 'image/gif', extension: 'gif', start: /^47494638(37|39)61/ },
  { mimeType: 'image/webp', extension: 'webp', start: /^52494646.{8}57454250/ },
] as const;

async function readAll(stream: Readable, limitBytes: number, name: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > limitBytes) {
      throw new OutpostError(
        'BODY_TOO_LARGE',
        `\`${name}\` is larger than ${limitBytes / 1024} KB. Send a smaller one.`,
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Detects the format from the bytes; the name and type sent by the client are ignored. */
function toImage(bytes: Buffer): ReceivedImage {
  const hex = bytes.toString('hex', 0, 16);
  const format = IMAGE_FORMATS.find(({ start }) => start.test(hex));
  if (!format) throw invalidField('image', 'must be a PNG, JPEG, GIF or WebP image');
  return { bytes, mimeType: format.mimeType, extension: format.extension };
}

/** Reads the message; unknown parts are dropped. @throws INVALID_INPUT, BODY_TOO_LARGE */
export async function receiveMessage(request: Request): Promise<ReceivedMessage> {
  let bodyFile: string | undefined;
  let image: ReceivedImage | undefined;
  const fields = await readMultipart(request, MAX_FILES, async (name, stream) => {
    if (name === 'body') {
      // Some HTTP libraries give every part a file name, including text.
      bodyFile = (await readAll(stream, MAX_TEXT_BYTES, name)).toString('utf8');
    } else if (name === 'image') {
      const bytes = await readAll(stream, MAX_IMAGE_BYTES, name);
      // A form with an empty file input sends an empty part.
      if (bytes.length > 0) image = toImage(bytes);
    } else {
      stream.resume();
    }
  });
  // Browsers and fetch send all line ends of a form as CR LF.
  const body = (fields.body ?? bodyFile)?.replaceAll('\r\n', '\n');
  const parsed = contract.sendMessage.body.safeParse({ body });
  if (!parsed.success) throw invalidInput(parsed.error);
  return { body: parsed.data.body, ...(image ? { image } : {}) };
}
