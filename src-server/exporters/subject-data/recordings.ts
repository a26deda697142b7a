/** The recordings of one subject in their export: each as EDF+, or BDF+ where its samples need more bits, and as the stored file. */
import { createReadStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { RecordingRecord } from '../../db/index.ts';
import { OutpostError } from '../../errors.ts';
import type { EdfLabel } from '../edf/export.ts';
import { writeRecordingFile } from '../recording-file.ts';
import { subjectOfRecording } from '../recording-subject.ts';
import type { StudyExportContext } from '../study-export/types.ts';
import { unreadable } from '../study-export/unreadable.ts';
import type { WrittenMember, ZipWriter } from '../zip-writer.ts';
import type { OtherPeople } from './other-people.ts';

const FORMATS = ['edf', 'bdf'] as const;

export const samplesOf = ({ sampleCounts }: RecordingRecord): number =>
  sampleCounts.reduce((sum, count) => sum + count, 0);

export interface RecordingFiles {
  members: WrittenMember[];
  /** Why a form of the recording is missing. */
  problem?: string;
}

/** `2026-01-15T090000Z_<id>`: sorts by time and is valid on every file system. */
const stemOf = ({ id, startUs }: RecordingRecord): string =>
  `${new Date(startUs / 1000).toISOString().slice(0, 19).replaceAll(':', '')}Z_${id}`;

/** @param onSamples samples written so far */
export async function addRecording(
  context: StudyExportContext,
  zip: ZipWriter,
  row: RecordingRecord,
  others: OtherPeople,
  onSamples: (done: number) => void,
): Promise<RecordingFiles> {
  const signalPath = join(context.signalsDir, `${row.id}.sig`);
  const problem = await unreadable(signalPath);
  if (problem !== undefined) return { members: [], problem };
  const members: WrittenMember[] = [];
  await mkdir(context.workshop.dir, { recursive: true });
  const made = join(context.workshop.dir, 'recording');
  const stem = `recordings/${stemOf(row)}`;
  let failure: string | undefined;
  for (const format of FORMATS) {
    try {
      const facts = await subjectOfRecording(context.store, row);
      await rm(made, { force: true });
      await writeRecordingFile(format, signalPath, made, {
        ...facts,
        labels: withoutOthers(facts.labels ?? [], others),
        signal: context.signal,
        onProgress: onSamples,
      });
      members.push(await zip.add(`${stem}.${format}`, createReadStream(made)));
      failure = undefined;
      break;
    } catch (thrown) {
      if (
        !(thrown instanceof OutpostError) ||
        !['UNSUPPORTED_FORMAT', 'FILE_EMPTY', 'SIGNAL_FILE_DAMAGED'].includes(thrown.code)
      )
        throw thrown;
      // Messages name the file by its path at the site.
      failure = `${thrown.code}: no ${format.toUpperCase()} file could be made of it.`;
      if (thrown.code !== 'UNSUPPORTED_FORMAT') break;
    } finally {
      await rm(made, { force: true });
    }
  }
  members.push(await zip.add(`${stem}.sig`, createReadStream(signalPath)));
  return { members, ...(failure !== undefined && { problem: failure }) };
}

async function* withoutOthers(
  labels: Iterable<EdfLabel> | AsyncIterable<EdfLabel>,
  others: OtherPeople,
): AsyncGenerator<EdfLabel> {
  for await (const { displayName, value, ...times } of labels)
    yield {
      ...times,
      displayName: others.text(displayName),
      ...(value !== undefined && { value: others.text(value) }),
    };
}
