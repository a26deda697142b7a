/**
 * An encrypted folder of backups (decision 0030):
 *
 * ```
 * key.age  encryption.json
 * backup-<id>/manifest.json.age  contents.tsv.age  site.json.age  key.age   stored.sha256  manifest.sha256  summary.json  second/
 * files/<2 digits>/<name>   pieces, each an age file of its own; its name is an HMAC of its content
 * ```
 *
 * A backup needs no secret, and neither does its check: `stored.sha256` has the hashes of the encrypted pieces.
 */
import { readFileSync, statSync } from 'node:fs';
import { copyFile, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { contentOfBytes } from '../../../files/column-files.ts';
import { type Content, hashFile, sha256Hex } from '../../../files/content-hash.ts';
import { writeDurably } from '../../../files/durable-files.ts';
import { encryptBytes } from '../../../secrets/age-files.ts';
import { lockBackups, partialBackupPath, removePartials } from '../folder.ts';
import {
  type BackupManifest,
  contentPath,
  encodeManifest,
  MANIFEST_SUM_FILE,
  SEALED_MANIFEST,
  SITE_MEMBER,
  STORED_FILE,
} from '../manifest.ts';
import { type PieceStore, putPieces } from '../pieces.ts';
import { writeSecondCopies } from '../second-copies.ts';
import { encodeSealedSummary, SUMMARY_FILE } from '../summary.ts';
import { type BackupTarget, publish, statOf } from '../targets.ts';
import { KEY_FILE, PLAIN_FILE, type SealingKeys, sealedName } from './keys.ts';
import { settleKeyFiles } from './passphrase.ts';
import { SealedPool } from './pool.ts';
import { CONTENTS_FILE, checkStored, sealedBytes, storedText } from './stored.ts';

/** @param isDue see `folderTarget` @throws BACKUP_BUSY */
export async function sealedTarget(
  directory: string,
  id: string,
  keys: SealingKeys,
  isDue: (content: Content) => boolean,
): Promise<BackupTarget> {
  const lock = await lockBackups(directory);
  const partial = partialBackupPath(directory, id);
  const pool = new SealedPool(directory, partial, keys, isDue);
  try {
    await removePartials(directory);
    await settleKeyFiles(directory);
    await mkdir(partial, { mode: 0o700 });
    await pool.learn();
  } catch (thrown) {
    lock.release();
    throw thrown;
  }
  const sealText = async (name: string, text: string | Uint8Array) => {
    const bytes = await encryptBytes(keys.recipient, Buffer.from(text));
    await writeDurably(join(partial, name), bytes);
    return `${sha256Hex(bytes)}  ${name}\n`;
  };
  const pieces: PieceStore = {
    holds: (content) => pool.holds(content),
    add: (piece, content) => pool.addBytes(piece, content),
    settle: () => pool.writer.settle(),
  };
  let siteSum = '';
  return {
    scratchDir: partial,
    written: { path: partial, contentRoot: directory },
    look: (file, original) => pool.look(file, original?.size),
    missingBytes: async ({ path, sizeBytes }) => (path === undefined ? 0 : sealedBytes(sizeBytes)),
    putPages: (pages, options) => putPieces(pieces, pages, options),
    putDatabase: () => Promise.reject(new Error('An encrypted folder holds databases in pieces.')),
    putSiteFile: async (path) => {
      const bytes = readFileSync(path);
      siteSum = await sealText(`${SITE_MEMBER}.age`, bytes);
      return contentOfBytes(bytes);
    },
    putFile: async (file, options) => {
      const { path, known } = file;
      const held = pool.look(file, path === undefined ? undefined : statOf(path)?.size);
      if (known && held && (await pool.holds(known))) {
        const isSame = !held.isDue || path === undefined || (await hashFile(path, options)).sha256 === known.sha256;
        return { content: known, isNew: false, isWholeInSite: held.isWholeInSite && isSame };
      }
      if (path === undefined) return undefined;
      const content = await pool.addFile(path, options);
      return { content, isNew: true, isWholeInSite: known === undefined || known.sha256 === content.sha256 };
    },
    putManifest: async (manifest) => {
      await pool.writer.settle();
      const manifestSum = await sealText(SEALED_MANIFEST, encodeManifest(manifest).text);
      const contentsSum = await sealText(CONTENTS_FILE, contentsText(manifest, keys));
      const stored = storedText(pool.used);
      await writeDurably(join(partial, STORED_FILE), stored);
      const summary = encodeSealedSummary(manifest, statSync(join(partial, SEALED_MANIFEST)).size);
      await writeDurably(join(partial, SUMMARY_FILE), summary.text);
      await copyFile(join(directory, KEY_FILE), join(partial, KEY_FILE));
      await copyFile(join(directory, PLAIN_FILE), join(partial, PLAIN_FILE));
      for (const name of [KEY_FILE, PLAIN_FILE]) {
        const handle = await open(join(partial, name), 'r+');
        await handle.sync().finally(() => handle.close());
      }
      const sums = `${manifestSum}${summary.sum}${sha256Hex(stored)}  ${STORED_FILE}\n${contentsSum}${siteSum}`;
      await writeDurably(join(partial, MANIFEST_SUM_FILE), sums);
      await writeSecondCopies(partial);
    },
    checkWritten: async (options) => await checkStored(partial, directory, { ...options, only: pool.added }),
    commit: async () => await publish(directory, id, new Set([...pool.writer.folders, ...pool.touched])),
    close: async () => {
      try {
        await pool.writer.settle().catch(() => undefined);
        await rm(partial, { recursive: true, force: true });
      } finally {
        lock.release();
      }
    },
  };
}

/** What a person needs to put a site together from the pieces with `age` alone: path in the site, and piece, in order. */
function contentsText(manifest: BackupManifest, keys: SealingKeys): string {
  const place = (sha256: string) => contentPath(sealedName(keys, sha256));
  const pieces = (manifest.database.chunks ?? []).map((hash) => `site.db\t${place(hash)}\n`);
  return [...pieces, ...manifest.files.map(({ path, sha256 }) => `${path}\t${place(sha256)}\n`)].join('');
}
