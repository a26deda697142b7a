/** An encrypted backup, read with the keys of its folder. */
import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { OutpostError } from '../../../errors.ts';
import { sha256Hex } from '../../../files/content-hash.ts';
import { decryptStream } from '../../../secrets/age-files.ts';
import type { BackupSource } from '../backup-source.ts';
import { contentPath, DATABASE_MEMBER, decodeManifest, SEALED_MANIFEST, SITE_MEMBER } from '../manifest.ts';
import { bytesOf, copiesOfOwn, ownSums } from '../second-copies.ts';
import { type OpeningKeys, sealedName } from './keys.ts';

/** @throws FILE_DAMAGED, SITE_NEWER */
export async function openSealedBackup(path: string, contentRoot: string, keys: OpeningKeys): Promise<BackupSource> {
  const sums = ownSums(path);
  const sealed = ownOf(path, sums, SEALED_MANIFEST);
  if (!sealed) {
    throw new OutpostError(
      'FILE_DAMAGED',
      `The backup ${path} cannot be used: its ${SEALED_MANIFEST} is damaged. Choose another backup.`,
    );
  }
  const pieces: Uint8Array[] = [];
  for await (const piece of decrypted(keys, sealed, path)) pieces.push(piece);
  const text = Buffer.concat(pieces).toString('utf8');
  const manifest = decodeManifest(text, sha256Hex(text), path);
  const placeOf = (sha256: string) => join(contentRoot, contentPath(sealedName(keys, sha256)));
  const read = async (memberPath: string): Promise<AsyncIterable<Uint8Array>> => {
    if (memberPath === SITE_MEMBER) {
      const name = `${SITE_MEMBER}.age`;
      return decrypted(keys, ownOf(path, sums, name) ?? join(path, name), path);
    }
    const { chunks } = manifest.database;
    if (memberPath === DATABASE_MEMBER && chunks) return joined(chunks.map(placeOf), keys, path);
    const sha256 = memberPath.slice(-64);
    return decrypted(keys, placeOf(sha256), path);
  };
  const { recipient, nameKey } = keys;
  return { manifest, path, read, sealingKeys: { recipient, nameKey }, close: () => undefined };
}

/** The path of a backup's own file, of the copy that is whole. */
function ownOf(path: string, sums: ReturnType<typeof ownSums>, name: string): string | undefined {
  const sha256 = sums?.hashes.get(name);
  return copiesOfOwn(path, name).find((copy) => {
    const bytes = sha256 === undefined ? undefined : bytesOf(copy);
    return bytes && sha256Hex(bytes) === sha256;
  });
}

async function* joined(files: readonly string[], keys: OpeningKeys, where: string): AsyncGenerator<Uint8Array> {
  for (const file of files) yield* decrypted(keys, file, where);
}

/** @throws FILE_DAMAGED where a single bit of the file differs: age authenticates every chunk */
async function* decrypted(keys: OpeningKeys, file: string, where: string): AsyncGenerator<Uint8Array> {
  if (!existsSync(file))
    throw new OutpostError('FILE_DAMAGED', `The backup ${where} is incomplete: ${file} is missing.`);
  try {
    yield* await decryptStream(keys.identity, createReadStream(file, { highWaterMark: 1 << 20 }));
  } catch (cause) {
    throw new OutpostError('FILE_DAMAGED', `The backup ${where} has a damaged piece, ${file}.`, { cause });
  }
}
