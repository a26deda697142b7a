/**
 * The signed list of updates in a folder: which releases there are, for which computers, and the hash of each installer. Reading it changes
 * nothing; any fault of it is a refusal.
 */
import { z } from 'zod';
import { UpdateRefused } from './refusal.ts';
import { checkSignatures, type PinnedKey } from './signatures.ts';

export const LIST_FILE = 'outpost-updates.json';
export const SIGNATURE_FILE = `${LIST_FILE}.sig`;
/** As the identifier of the desktop program in its installers. */
export const PRODUCT = 'org.outpost.desktop';
/** A list of a hundred releases has a tenth of it. */
export const LIST_LIMIT_BYTES = 1 << 20;

const VERSION = /^\d{1,6}\.\d{1,6}\.\d{1,6}$/;

const listSchema = z.object({
  format: z.literal('outpost-updates'),
  formatVersion: z.literal(1),
  product: z.string(),
  /** Rises with every list: an older one is a replay, perhaps with a release that was withdrawn. */
  createdTs: z.int().min(0),
  releases: z
    .array(
      z.object({
        version: z.string().regex(VERSION),
        releasedTs: z.int().min(0),
        /** Schemas of a site that the program opens: it migrates from `from`, and leaves `to`. */
        schema: z.object({ from: z.int().min(0), to: z.int().min(0) }),
        notes: z.object({ en: z.string().max(4000), ja: z.string().max(4000) }).optional(),
        files: z.array(
          z.object({
            platform: z.enum(['linux', 'win32', 'darwin']),
            arch: z.enum(['x64', 'arm64']),
            /** A name in the folder, never a path. */
            name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,120}$/),
            sizeBytes: z
              .int()
              .min(1)
              .max(2 ** 31),
            /** In Base64, as electron-updater compares it. */
            sha512: z.base64().length(88),
          }),
        ),
      }),
    )
    .max(100),
});

export type UpdateList = z.output<typeof listSchema>;
export type Release = UpdateList['releases'][number];
export type ReleaseFile = Release['files'][number];

/** A release for this computer, with the one file of it. */
export interface FoundUpdate extends Omit<Release, 'files'> {
  file: ReleaseFile;
}

/** What the list is compared with. */
export interface ThisProgram {
  version: string;
  platform: string;
  arch: string;
  /** The schema of sites of this program. */
  schemaVersion: number;
  keys: readonly PinnedKey[];
}

const parts = (version: string): number[] => version.replace(/-.*$/, '').split('.').map(Number);

/** Negative when `a` is older than `b`. A pre-release counts as older than its release. */
export function compareVersions(a: string, b: string): number {
  const [ofA, ofB] = [parts(a), parts(b)];
  for (const at of [0, 1, 2]) {
    const difference = (ofA[at] ?? 0) - (ofB[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return Number(b.includes('-')) - Number(a.includes('-'));
}

/**
 * Reads a list that a pinned key has signed.
 * @param newestTs when the newest list was made that this computer accepted so far
 * @throws UpdateRefused
 */
export function readUpdateList(
  bytes: Uint8Array,
  signatures: string,
  keys: readonly PinnedKey[],
  newestTs = 0,
): UpdateList {
  const outcome = checkSignatures(bytes, signatures, keys);
  if (outcome !== 'signed') throw new UpdateRefused(outcome === 'wrong' ? 'signature-wrong' : 'not-signed');
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new UpdateRefused('list-unreadable');
  }
  const parsed = listSchema.safeParse(json);
  if (!parsed.success) throw new UpdateRefused('list-unreadable');
  if (parsed.data.product !== PRODUCT) throw new UpdateRefused('other-product');
  if (parsed.data.createdTs < newestTs) throw new UpdateRefused('list-older');
  return parsed.data;
}

/** The file of a release for this computer. */
export const fileFor = (
  release: Pick<Release, 'files'>,
  { platform, arch }: Pick<ThisProgram, 'platform' | 'arch'>,
): ReleaseFile | undefined => release.files.find((file) => file.platform === platform && file.arch === arch);

/**
 * The newest release, when it is newer than this program and this computer can go there and back.
 * @returns undefined when this program is the newest
 * @throws UpdateRefused
 */
export function chooseUpdate(list: UpdateList, program: ThisProgram): FoundUpdate | undefined {
  const [newest] = list.releases.toSorted((a, b) => compareVersions(b.version, a.version));
  if (!newest) return undefined;
  const facts = { version: newest.version };
  const difference = compareVersions(newest.version, program.version);
  if (difference < 0) throw new UpdateRefused('version-older', facts);
  if (difference === 0) return undefined;
  const file = fileFor(newest, program);
  if (!file) throw new UpdateRefused('other-computer', facts);
  // An older schema means that it could not open the site; a gap, that it could not restore the backup made before it.
  const { from, to } = newest.schema;
  if (program.schemaVersion < from || program.schemaVersion > to) throw new UpdateRefused('schema-not-covered', facts);
  const { files: _files, ...release } = newest;
  return { ...release, file };
}
