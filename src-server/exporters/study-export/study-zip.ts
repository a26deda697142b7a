/** The ZIP of a study export: writes members, collects unreadable recordings, and finishes or aborts the archive. */
import type { Writable } from 'node:stream';
import type { StudyDetailRecord } from '../../db/index.ts';
import { OutpostError } from '../../errors.ts';
import { type MemberContent, type PackedMember, type WrittenMember, ZipWriter } from '../zip-writer.ts';
import type { StudyExportContext, StudyExportFacts, StudyExportOptions } from './types.ts';

/** @throws NOT_FOUND */
export async function exportedStudy(
  { store }: StudyExportContext,
  { studyId }: StudyExportOptions,
): Promise<StudyDetailRecord> {
  const study = await store.studies.getDetail(studyId);
  if (!study) throw new OutpostError('NOT_FOUND', 'There is no such study.');
  return study;
}

/** Filters a text member before it is written; undefined for members written as they are. */
type MemberGuard = (path: string) => ((text: string) => string) | undefined;

async function textOf(content: MemberContent): Promise<string> {
  let text = '';
  for await (const part of content) text += typeof part === 'string' ? part : Buffer.from(part).toString('utf8');
  return text;
}

/** Ending of members whose content is compressed. */
const COMPRESSED = '.parquet';

export class StudyZip {
  readonly members: WrittenMember[] = [];
  readonly problems: { recordingId: string; problems: string[] }[] = [];
  readonly #context: StudyExportContext;
  readonly #zip: ZipWriter;
  readonly #guard: MemberGuard | undefined;

  /**
   * @param guard filter of a de-identified export
   */
  constructor(context: StudyExportContext, out: Writable, guard?: MemberGuard) {
    this.#context = context;
    this.#zip = new ZipWriter(out, 'many');
    this.#guard = guard;
  }

  /** @throws CANCELLED */
  async add(path: string, content: MemberContent | PackedMember): Promise<void> {
    this.#context.throwIfCancelled();
    if ('packedBytes' in content) this.members.push(await this.#zip.addPacked(path, content));
    else {
      const rewrite = this.#guard?.(path);
      const guarded = rewrite ? [rewrite(await textOf(content))] : content;
      this.members.push(await this.#zip.add(path, guarded, path.endsWith(COMPRESSED) ? 'STORED' : 'DEFAULT'));
    }
  }

  /** Finishes the ZIP after `write`; aborts it when that throws or the export is cancelled. */
  async complete(write: () => Promise<{ subjects: number; recordings: number }>): Promise<StudyExportFacts> {
    const { signal } = this.#context;
    const giveUp = () => this.#zip.abort(new OutpostError('CANCELLED', 'The export was cancelled.'));
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      const counts = await write();
      return { ...(await this.#zip.finish()), ...counts };
    } catch (thrown) {
      this.#zip.abort(thrown instanceof Error ? thrown : new Error(String(thrown)));
      throw thrown;
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }
}
