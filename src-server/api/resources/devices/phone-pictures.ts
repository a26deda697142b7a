/** Pictures that a subject sends: checked by content, and durable before the message that refers to them. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type DeviceIdentity, type MessageRecord, newId } from '../../../db/index.ts';
import { OutpostError } from '../../../errors.ts';
import { sha256Hex } from '../../../files/content-hash.ts';
import { writeDurably } from '../../../files/durable-files.ts';
import { readJpeg } from '../../../files/jpeg.ts';
import type { PhoneOutgoingMessage } from '../../contract/resources/phone-items.ts';
import type { ApiDeps } from '../../deps.ts';

type StoredImage = NonNullable<MessageRecord['image']> & { sha256: string };

/** The bytes of a picture. @throws INVALID_INPUT unless it is base64 of a JPEG */
export function pictureOf({ images: [image] }: Pick<PhoneOutgoingMessage, 'images'>): Buffer | undefined {
  if (!image) return undefined;
  const bytes = Buffer.from(image.base64, 'base64');
  // Buffer skips what is not base64; a picture must not lose bytes silently.
  const padded = image.base64.endsWith('==') ? 2 : image.base64.endsWith('=') ? 1 : 0;
  if (image.base64.length % 4 !== 0 || bytes.length !== (image.base64.length / 4) * 3 - padded) {
    throw new OutpostError('INVALID_INPUT', 'The picture is not valid base64.');
  }
  readJpeg(bytes);
  return bytes;
}

/** Writes a picture under a name of its own, so that two equal calls at once do not write the same file. */
export async function storePicture(
  deps: Pick<ApiDeps, 'imagesDir' | 'disk'>,
  { credentialId }: Pick<DeviceIdentity, 'credentialId'>,
  bytes: Buffer,
): Promise<StoredImage> {
  const file = `${newId()}.jpg`;
  const write = () => writeDurably(join(deps.imagesDir, file), bytes);
  await deps.disk.with(bytes.length, write, { user: 'other', owner: credentialId });
  return { file, mimeType: 'image/jpeg', sizeBytes: bytes.length, sha256: sha256Hex(bytes) };
}

export async function removePicture({ imagesDir }: Pick<ApiDeps, 'imagesDir'>, { file }: StoredImage): Promise<void> {
  await rm(join(imagesDir, file), { force: true });
}

/** True when a stored message has this picture, or both have none. A file that is lost counts as equal if its size was. */
export async function hasPicture(
  { imagesDir }: Pick<ApiDeps, 'imagesDir'>,
  { image }: Pick<MessageRecord, 'image'>,
  bytes: Buffer | undefined,
): Promise<boolean> {
  if (!image || !bytes) return image === undefined && bytes === undefined;
  if (image.sizeBytes !== bytes.length) return false;
  const stored = await readFile(join(imagesDir, image.file)).catch(() => undefined);
  return stored === undefined || stored.equals(bytes);
}
