/**
 * The files of a Parquet export as partitions, each with the hash of its content. An export that continues an earlier one writes only
 * what differs from the manifest of that one; its own manifest lists every file of the result, so that the next export continues it
 * in turn, and the program that puts the two together can check each file.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { OutpostError } from '../../errors.ts';
import { sha256Hex } from '../../files/content-hash.ts';
import type { ExportView } from '../study-export/export-view.ts';
import type { StudyZip } from '../study-export/study-zip.ts';
import type { MemberContent, PackedMember, WrittenMember } from '../zip-writer.ts';

export const PARQUET_FORMAT = { format: 'outpost-study-parquet', formatVersion: 2 } as const;

/** `ADDED` and `REPLACED` files are in the archive, `UNCHANGED` ones in the earlier export. */
export type PartitionState = 'ADDED' | 'REPLACED' | 'UNCHANGED';

/** A file of the result. */
export interface Partition extends WrittenMember {
  /** Hash of everything that decides the content, where the content can be left unread. */
  key?: string;
  /** Absent in a full export. */
  state?: PartitionState;
}

export interface Problem {
  recordingId: string;
  problems: string[];
}

const partition = z.object({
  path: z.string(),
  sizeBytes: z.number(),
  sha256: z.string(),
  key: z.string().optional(),
});
const baseManifest = z.object({
  format: z.literal(PARQUET_FORMAT.format),
  formatVersion: z.literal(PARQUET_FORMAT.formatVersion),
  exportId: z.string(),
  problems: z.array(z.object({ recordingId: z.string(), problems: z.array(z.string()) })),
  files: z.array(partition),
});

/** What an earlier export says of its files. */
export class BaseExport {
  readonly exportId: string;
  readonly files: ReadonlyMap<string, Partition>;
  readonly #problems: ReadonlyMap<string, Problem>;

  /** @throws CONFLICT for the manifest of another layout */
  constructor(manifest: unknown) {
    const read = baseManifest.safeParse(manifest);
    if (!read.success) {
      throw new OutpostError(
        'CONFLICT',
        'The earlier export has an older layout, which this one cannot continue. Request a full export.',
      );
    }
    const { exportId, files, problems } = read.data;
    this.exportId = exportId;
    this.files = new Map(files.map((file) => [file.path, file as Partition]));
    this.#problems = new Map(problems.map((one) => [one.recordingId, one]));
  }

  /** What could not be read of a recording, by its id in the export. */
  problemsOf(recordingId: string): readonly string[] {
    return this.#problems.get(recordingId)?.problems ?? [];
  }
}

export class Partitions {
  readonly #zip: StudyZip;
  readonly #view: ExportView;
  readonly #base: BaseExport | null;
  readonly #files: Partition[] = [];

  constructor(zip: StudyZip, view: ExportView, base: BaseExport | null) {
    this.#zip = zip;
    this.#view = view;
    this.#base = base;
  }

  /** A key as the manifest has it: de-identified, a hash of what must not leave becomes a code. */
  shownKey(facts: unknown): string {
    return this.shownHash(sha256Hex(JSON.stringify(facts)));
  }

  shownHash(hash: string): string {
    return this.#view.id('text', hash);
  }

  /** True when the earlier export has this file, made from the same. */
  isKept(path: string, key: string): boolean {
    return this.#base?.files.get(path)?.key === key;
  }

  isInBase(path: string): boolean {
    return this.#base?.files.has(path) ?? false;
  }

  /** Lists a file of the earlier export as unchanged. */
  keep(path: string): void {
    const { state: _, ...file } = this.#base!.files.get(path)!;
    this.#files.push({ ...file, state: 'UNCHANGED' });
  }

  /** Writes a file unless the earlier export has the same; one that it has under this name is held in memory to be compared. */
  async add(path: string, content: () => MemberContent, key?: string): Promise<void> {
    if (key !== undefined && this.isKept(path, key)) return this.keep(path);
    const before = this.#base?.files.get(path);
    if (!before) return await this.#write(path, content(), key, 'ADDED');
    const chunks: Uint8Array[] = [];
    const hash = createHash('sha256');
    for await (const chunk of content()) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      hash.update(bytes);
      chunks.push(bytes);
    }
    const { sizeBytes, sha256 } = before;
    if (hash.digest('hex') === sha256) {
      this.#files.push({ path, sizeBytes, sha256, ...(key !== undefined && { key }), state: 'UNCHANGED' });
      return;
    }
    await this.#write(path, chunks, key, 'REPLACED');
  }

  /** Writes a file that is packed already, unless the earlier export has the same. */
  async addPacked(path: string, content: PackedMember, key: string): Promise<void> {
    const { sizeBytes, sha256 } = content;
    if (this.#base?.files.get(path)?.sha256 === sha256) {
      this.#files.push({ path, sizeBytes, sha256, key, state: 'UNCHANGED' });
      return;
    }
    await this.#write(path, content, key, this.isInBase(path) ? 'REPLACED' : 'ADDED');
  }

  async #write(
    path: string,
    content: MemberContent | PackedMember,
    key: string | undefined,
    state: PartitionState,
  ): Promise<void> {
    await this.#zip.add(path, content);
    const written = this.#zip.members.at(-1)!;
    this.#files.push({ ...written, ...(key !== undefined && { key }), ...(this.#base && { state }) });
  }

  /** What the manifest says of the files: all of the result, and those of the earlier export that no longer exist. */
  described(): { base?: { exportId: string }; files: Partition[]; removed?: string[] } {
    const base = this.#base;
    if (!base) return { files: this.#files };
    const present = new Set(this.#files.map(({ path }) => path));
    const removed = [...base.files.keys()].filter((path) => !present.has(path));
    return { base: { exportId: base.exportId }, files: this.#files, removed };
  }
}
