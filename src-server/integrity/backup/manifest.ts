/**
 * The manifest of a backup. `manifest.json` lists its members with size and SHA-256; `manifest.sha256` has the hash
 * of that file in the form of sha256sum, so that a backup can be checked without Outpost. For what lists show, see `summary.ts`.
 */

import { z } from 'zod';
import { withPresentNames } from '../../diagnostics.ts';
import { OutpostError } from '../../errors.ts';
import { type Content, sha256Hex } from '../../files/content-hash.ts';

export const MANIFEST_FILE = 'manifest.json';
export const MANIFEST_SUM_FILE = 'manifest.sha256';
/** In an encrypted backup, in place of the manifest; and the pieces that it needs, which need no key to be read. */
export const SEALED_MANIFEST = 'manifest.json.age';
export const STORED_FILE = 'stored.sha256';
export const DATABASE_MEMBER = 'site.db';
export const SITE_MEMBER = 'site.json';
/** Format 2 holds the database in pieces among the shared content, format 1 as a member of its own; a ZIP always is of format 1. */
const FORMAT = 2;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const content = z.object({ sizeBytes: z.int().min(0), sha256 });

/** A sentence with its code and facts. */
export const diagnosticSchema = z.object({
  message: z.string(),
  code: z.string().optional(),
  facts: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
});

export const manifestSchema = z.object({
  format: z.union([z.literal(1), z.literal(FORMAT)]),
  id: z.string().regex(/^\d{8}T\d{6}Z-[0-9a-f]{8}$/),
  siteId: z.string(),
  siteName: z.string(),
  /** Epoch ms by the clock of that computer: the site as it was then. */
  createdTs: z.int(),
  /** Sequence number of the backup in its folder; clocks cannot be trusted to order backups. */
  sequence: z.int().optional(),
  reason: z.enum(['manual', 'scheduled']),
  /** Version of the Outpost that made it, and of the schema in it. */
  programVersion: z.string(),
  schemaVersion: z.int(),
  /** Newest audit row: it proves later that nothing before it was changed. */
  auditHead: z.object({ sequence: z.int(), hash: z.string() }),
  /** The same, signed with the key of the site's anchors; absent in what older versions wrote. See `anchors/anchor.ts`. */
  auditReceipt: z.unknown().optional(),
  /** Its size and hash are those of the whole file. `chunks` are its pieces of `chunkBytes` in order, the last one shorter. */
  database: content.extend({ chunkBytes: z.int().min(512).optional(), chunks: z.array(sha256).optional() }),
  siteFile: content,
  /** `path` is the place in a site, which is also a guard: nothing is ever restored outside these folders. */
  files: z.array(
    content.extend({
      path: z
        .string()
        .regex(
          /^(?:(?:signals|images|inbox\/quarantine)\/[A-Za-z0-9][A-Za-z0-9._-]*|columns\/[0-9a-f]{2}\/[0-9a-f]{64}\.opa|erasures\.json)$/,
        ),
      /** It was damaged in the site already, and is kept as it was. */
      isDamaged: z.boolean().optional(),
    }),
  ),
  /** What was wrong in the site when the backup was made, one sentence each. */
  problems: z.array(z.string()),
  /** The same with codes; absent in what older versions wrote. */
  diagnostics: z.array(diagnosticSchema).optional(),
});
export type BackupManifest = z.output<typeof manifestSchema>;
export type BackupFile = BackupManifest['files'][number];

/** Where the content of a file lies in a folder or ZIP of backups; the same content is there once. */
export function contentPath(hash: string): string {
  return `files/${hash.slice(0, 2)}/${hash}`;
}

/** Name of a backup: the time in UTC, and a suffix that distinguishes two of the same second. */
export function backupId(createdTs: number, tail: string): string {
  return `${new Date(createdTs).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z-${tail}`;
}

/** Joined at a time: strings of all files would be a second copy of a text of tens of megabytes. */
const FILES_PER_PIECE = 1000;

/** The files come last, one to a line. */
export function encodeManifest({ files, ...others }: BackupManifest): { text: string; sum: string } {
  const pieces: string[] = [];
  for (let i = 0; i < files.length; i += FILES_PER_PIECE) {
    const lines = files.slice(i, i + FILES_PER_PIECE).map((file) => `\n  ${JSON.stringify(file)}`);
    pieces.push(lines.join(','));
  }
  const text = `${JSON.stringify(others, null, 1).slice(0, -2)},\n "files": [${pieces.join(',')}\n ]\n}\n`;
  return { text, sum: `${sha256Hex(text)}  ${MANIFEST_FILE}\n` };
}

const damaged = (where: string, what: string) =>
  new OutpostError('FILE_DAMAGED', `The backup ${where} cannot be used: ${what} Choose another backup.`);

/** @throws FILE_DAMAGED; SITE_NEWER for a manifest that only a later Outpost understands */
export function decodeManifest(text: string, sum: string, where: string): BackupManifest {
  if (sum.slice(0, 64) !== sha256Hex(text)) {
    throw damaged(where, `its ${MANIFEST_FILE} does not match ${MANIFEST_SUM_FILE}.`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw damaged(where, `its ${MANIFEST_FILE} is not valid JSON.`);
  }
  const parsed = manifestSchema.safeParse(withPresentNames(value));
  if (parsed.success) return parsed.data;
  const { format, programVersion } = (value ?? {}) as { format?: unknown; programVersion?: unknown };
  if (typeof format === 'number' && format > FORMAT) {
    throw new OutpostError(
      'SITE_NEWER',
      `The backup ${where} was made by a newer Outpost (${String(programVersion)}). Install that version or a later one, then restore it.`,
    );
  }
  throw damaged(where, `its ${MANIFEST_FILE} is not a manifest.`);
}

type StoredDatabase = BackupManifest['database'];

const isInPieces = (
  database: StoredDatabase,
): database is StoredDatabase & Required<Pick<StoredDatabase, 'chunks' | 'chunkBytes'>> =>
  database.chunks !== undefined && database.chunkBytes !== undefined;

/** The database as one member, or as its pieces in order. */
export function databaseMembers(database: StoredDatabase): BackupMember[] {
  const { sizeBytes, sha256 } = database;
  if (!isInPieces(database)) return [{ name: DATABASE_MEMBER, path: DATABASE_MEMBER, content: { sizeBytes, sha256 } }];
  const { chunks, chunkBytes } = database;
  return chunks.map((hash, i) => ({
    name: DATABASE_MEMBER,
    path: contentPath(hash),
    content: { sizeBytes: Math.min(chunkBytes, sizeBytes - i * chunkBytes), sha256: hash },
  }));
}

export interface BackupMember {
  /** Its place in a site. */
  name: string;
  /** Its place in the backup, or among the content that backups share. */
  path: string;
  content: Content;
}

/**
 * Everything in a backup, by its path in it, and each piece of the database once.
 * @param onlyContent of what backups share, only this
 */
export function* membersOf(value: BackupManifest, onlyContent?: ReadonlySet<string>): Generator<BackupMember> {
  const isWanted = (path: string, { sha256 }: Content) =>
    !onlyContent || onlyContent.has(sha256) || path === DATABASE_MEMBER;
  // Where nothing is wanted, some hundred thousand files and pieces need not be asked for it.
  const isNoneWanted = onlyContent?.size === 0;
  const pieces = new Set<string>();
  for (const member of isNoneWanted && isInPieces(value.database) ? [] : databaseMembers(value.database)) {
    // Pages of zeros, say, are the same piece many times.
    if (pieces.has(member.path) || !isWanted(member.path, member.content)) continue;
    pieces.add(member.path);
    yield member;
  }
  yield { name: SITE_MEMBER, path: SITE_MEMBER, content: value.siteFile };
  if (isNoneWanted) return;
  for (const file of value.files) {
    if (isWanted(file.path, file)) yield { name: file.path, path: contentPath(file.sha256), content: file };
  }
}

/** True for a recording's signal file, false for its companion files. */
export function isSignalFile({ path }: Pick<BackupFile, 'path'>): boolean {
  return recordingOf(path) !== undefined;
}

/** Returns the paths of site files that the backup lacks or has only damaged. */
export function lackingFiles({ files, diagnostics = [] }: Pick<BackupManifest, 'files' | 'diagnostics'>): string[] {
  const absent = diagnostics.flatMap(({ code, facts }) => (code === 'BACKUP_WITHOUT' ? [String(facts?.file)] : []));
  return [...files.filter(({ isDamaged }) => isDamaged).map(({ path }) => path), ...absent];
}

/** The recording that a place in a site is the signal file of. */
export function recordingOf(path: string): string | undefined {
  return /^signals\/([^/]+)\.sig$/.exec(path)?.[1];
}

export function sizeOf(value: BackupManifest): number {
  const { database, siteFile, files } = value;
  return files.reduce((sum, { sizeBytes }) => sum + sizeBytes, database.sizeBytes + siteFile.sizeBytes);
}
