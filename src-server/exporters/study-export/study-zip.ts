/** The ZIP of a study's export while it is written: its members, what could not be read, and its end whichever way. */
import type { Writable } from 'node:stream';
import type { StudyDetailRecord } from '../../db/index.ts';
import { OutpostError } from '../../errors.ts';
import { type MemberContent, type WrittenMember, ZipWriter } from '../zip-writer.ts';
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

/** What a small member of text becomes before it is written; undefined for a member that is written as it is. */
type MemberGuard = (path: string) => ((text: string) => string) | undefined;

async function textOf(content: MemberContent): Promise<string> {
  let text = '';
  for await (const part of content) text += typeof part === 'string' ? part : Buffer.from(part).toString('utf8');
  return text;
}

export class StudyZip {
  readonly members: WrittenMember[] = [];
  readonly problems: { recordingId: string; problems: string[] }[] = [];
  readonly #context: StudyExportContext;
  readonly #zip: ZipWriter;
  readonly #compressedEnding: string;
  readonly #guard: MemberGuard | undefined;

  /**
   * Members whose path has the ending are compressed already and are stored as they are.
   * @param guard of a de-identified export
   */
  constructor(context: StudyExportContext, out: Writable, compressedEnding: string, guard?: MemberGuard) {
    this.#context = context;
    this.#zip = new ZipWriter(out, 'many');
    this.#compressedEnding = compressedEnding;
    this.#guard = guard;
  }

  /** @throws CANCELLED */
  async add(path: string, content: MemberContent): Promise<void> {
    this.#context.throwIfCancelled();
    const rewrite = this.#guard?.(path);
    const guarded = rewrite ? [rewrite(await textOf(content))] : content;
    this.members.push(await this.#zip.add(path, guarded, path.endsWith(this.#compressedEnding)));
  }

  /** Finishes the ZIP after `write`; gives it up when that throws or the export is cancelled meanwhile. */
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
