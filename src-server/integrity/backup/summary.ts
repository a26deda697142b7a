/**
 * What a list shows of a backup, in a small file beside its manifest: a manifest names every file of the site, and has tens of
 * megabytes where there are years of recordings. The hash of the summary is the second line of `manifest.sha256`, so it belongs to
 * the manifest of the first. Backups without one are read whole.
 */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { sha256Hex } from '../../files/content-hash.ts';
import { writeDurably } from '../../files/durable-files.ts';
import {
  type BackupManifest,
  isSignalFile,
  lackingFiles,
  MANIFEST_FILE,
  MANIFEST_SUM_FILE,
  manifestSchema,
  SEALED_MANIFEST,
  STORED_FILE,
  sizeOf,
} from './manifest.ts';

export const SUMMARY_FILE = 'summary.json';

const summarySchema = manifestSchema
  .pick({
    format: true,
    id: true,
    siteId: true,
    createdTs: true,
    sequence: true,
    reason: true,
    programVersion: true,
    schemaVersion: true,
    auditHead: true,
    auditReceipt: true,
    problems: true,
    diagnostics: true,
  })
  .extend({
    /** Of all members; content that other backups hold too is counted. */
    sizeBytes: z.int().min(0),
    countRecordings: z.int().min(0),
    /** `incomplete` when the backup lacks files of the site or has them damaged only. */
    outcome: z.enum(['complete', 'incomplete']),
    isEncrypted: z.boolean().optional(),
  });
export type BackupSummary = z.output<typeof summarySchema>;

const summaryFile = summarySchema.extend({ manifestBytes: z.int().min(0) });

export function summaryOf(manifest: BackupManifest): BackupSummary {
  const { database: _database, siteFile: _siteFile, files, siteName: _siteName, ...facts } = manifest;
  return {
    ...facts,
    sizeBytes: sizeOf(manifest),
    countRecordings: files.filter(isSignalFile).length,
    outcome: lackingFiles(manifest).length === 0 ? 'complete' : 'incomplete',
  };
}

/** Returns the file, and its line for `manifest.sha256`. */
export function encodeSummary(summary: BackupSummary, manifestBytes: number): { text: string; sum: string } {
  const text = `${JSON.stringify({ ...summary, manifestBytes }, null, 1)}\n`;
  return { text, sum: `${sha256Hex(text)}  ${SUMMARY_FILE}\n` };
}

/**
 * Writes the summary before its hash, without which it does not count. `sum` is the line of the manifest.
 * @param source of what the pieces of the database were read; see {@link readSource}
 */
export async function writeSummary(
  folder: string,
  manifest: BackupManifest,
  sum: string,
  source?: DatabaseSource,
): Promise<void> {
  const { size } = await stat(join(folder, MANIFEST_FILE));
  const summary = encodeSummary(summaryOf(manifest), size);
  let sums = sum + summary.sum;
  if (source) {
    const text = `${JSON.stringify(source)}\n`;
    sums += `${sha256Hex(text)}  ${SOURCE_FILE}\n`;
    await writeDurably(join(folder, SOURCE_FILE), text);
  }
  await writeDurably(join(folder, SUMMARY_FILE), summary.text);
  await writeDurably(join(folder, MANIFEST_SUM_FILE), sums);
}

/** The same for an encrypted backup; without the key nobody reads more of it than this. */
export function encodeSealedSummary(manifest: BackupManifest, manifestBytes: number): { text: string; sum: string } {
  return encodeSummary({ ...summaryOf(manifest), isEncrypted: true }, manifestBytes);
}

/** The pieces of the database that a backup read from a file of this identity; a manifest is too long to be read for them. */
export const SOURCE_FILE = 'database.json';
const sourceSchema = z.object({ identity: z.string(), database: manifestSchema.shape.database });
export type DatabaseSource = z.output<typeof sourceSchema>;

/** Undefined where a backup does not say, or not intact. */
export async function readSource(folder: string): Promise<DatabaseSource | undefined> {
  try {
    const [sums, text] = await Promise.all([
      readFile(join(folder, MANIFEST_SUM_FILE), 'utf8'),
      readFile(join(folder, SOURCE_FILE), 'utf8'),
    ]);
    if (!sums.split('\n').includes(`${sha256Hex(text)}  ${SOURCE_FILE}`)) return undefined;
    return sourceSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Returns undefined where the manifest has to be read: without an intact summary, or when the manifest is not as long as it was. */
export async function readSummary(folder: string): Promise<BackupSummary | undefined> {
  try {
    const [sums, text, { size }] = await Promise.all([
      readFile(join(folder, MANIFEST_SUM_FILE), 'utf8'),
      readFile(join(folder, SUMMARY_FILE), 'utf8'),
      stat(join(folder, existsSync(join(folder, SEALED_MANIFEST)) ? SEALED_MANIFEST : MANIFEST_FILE)),
    ]);
    if (!sums.split('\n').includes(`${sha256Hex(text)}  ${SUMMARY_FILE}`)) return undefined;
    const { manifestBytes, ...summary } = summaryFile.parse(JSON.parse(text));
    return manifestBytes === size ? summary : undefined;
  } catch {
    return undefined;
  }
}

const HASH_LENGTH = 64;

/**
 * Calls `onHash` with everything in a manifest that looks like the hash of content, which is all that the backup needs and a few more.
 * Nothing is parsed and only a slice is in memory. Returns false for a manifest that is not intact, where some may be missing.
 */
export async function scanHashes(folder: string, onHash: (hash: string) => void): Promise<boolean> {
  const isSealed = existsSync(join(folder, SEALED_MANIFEST));
  const listFile = isSealed ? STORED_FILE : MANIFEST_FILE;
  const whole = createHash('sha256');
  let carried = '';
  try {
    for await (const chunk of createReadStream(join(folder, listFile), { highWaterMark: 1 << 18 })) {
      whole.update(chunk as Buffer);
      const text = carried + (chunk as Buffer).toString('latin1');
      for (const [hash] of text.matchAll(/[0-9a-f]{64}/g)) onHash(hash);
      carried = text.slice(1 - HASH_LENGTH);
    }
    const sums = await readFile(join(folder, MANIFEST_SUM_FILE), 'utf8');
    return sums.split('\n').includes(`${whole.digest('hex')}  ${listFile}`);
  } catch {
    return false;
  }
}
