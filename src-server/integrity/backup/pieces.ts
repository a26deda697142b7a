/** Databases in pieces that backups share. */
import { createHash } from 'node:crypto';
import { contentOfBytes } from '../../files/column-files.ts';
import { type Content, type HashOptions, stopIfCancelled } from '../../files/content-hash.ts';
import { turns } from '../turns.ts';
import type { BackupManifest } from './manifest.ts';

/**
 * Size of the pieces. The rows of a day touch pages all over the indexes, so larger pieces store many pages that did not change, and
 * smaller ones make manifests longer; decision 0015 has the figures.
 */
export const PIECE_BYTES = 16 * 1024;

/** Most need one question to the file system. */
const PIECES_BETWEEN_TURNS = 32;

export interface PutSource {
  pieces(bytes: number): AsyncIterable<Buffer>;
  /** See {@link DatabasePages}. */
  identity?: string;
  /** The pieces of an earlier backup of the database with the same identity. */
  before?: BackupManifest['database'];
}

export interface PutPages {
  database: BackupManifest['database'];
  /** Hashes of the pieces that the target did not have. */
  newContent: Set<string>;
  newBytes: number;
}

/** Where the pieces of databases are kept. */
export interface PieceStore {
  /** Asked for every piece of a database, so it waits only where it reads one. */
  holds(content: Content): boolean | Promise<boolean>;
  add(piece: Buffer, content: Content): Promise<void>;
  /** Resolves when everything that was added is durable under its name. */
  settle(): Promise<void>;
}

/** The pieces of a database that has not changed since they were stored. Undefined when the folder does not have all of them. */
export async function heldPieces(
  store: Pick<PieceStore, 'holds'>,
  database: BackupManifest['database'],
  { signal, onBytes }: HashOptions,
): Promise<PutPages | undefined> {
  const { sizeBytes, chunkBytes, chunks = [] } = database;
  if (chunkBytes !== PIECE_BYTES) return undefined;
  const turn = turns();
  for (const [i, sha256] of chunks.entries()) {
    if (i % PIECES_BETWEEN_TURNS === 0) {
      await turn();
      stopIfCancelled(signal);
    }
    const isHeld = store.holds({ sizeBytes: Math.min(chunkBytes, sizeBytes - i * chunkBytes), sha256 });
    if (!(typeof isHeld === 'boolean' ? isHeld : await isHeld)) return undefined;
  }
  onBytes?.(sizeBytes);
  return { database, newContent: new Set(), newBytes: 0 };
}

/** Adds the pieces that a folder of backups does not have. Each is durable before the backup is published. */
export async function putPieces(
  store: PieceStore,
  pages: Pick<PutSource, 'pieces'>,
  { signal, onBytes }: HashOptions,
): Promise<PutPages> {
  const whole = createHash('sha256');
  const chunks: string[] = [];
  const newContent = new Set<string>();
  let sizeBytes = 0;
  let newBytes = 0;
  for await (const piece of pages.pieces(PIECE_BYTES)) {
    stopIfCancelled(signal);
    whole.update(piece);
    const content = contentOfBytes(piece);
    chunks.push(content.sha256);
    sizeBytes += piece.length;
    onBytes?.(piece.length);
    if (newContent.has(content.sha256) || (await store.holds(content))) continue;
    newContent.add(content.sha256);
    newBytes += piece.length;
    await store.add(piece, content);
  }
  await store.settle();
  const database = { sizeBytes, sha256: whole.digest('hex'), chunkBytes: PIECE_BYTES, chunks };
  return { database, newContent, newBytes };
}
