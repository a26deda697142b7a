/** Runs a writer of study exports as its worker would, and unpacks what it wrote. */
import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { finished } from 'node:stream/promises';
import { Deidentifier } from '../exporters/study-export/deidentifier.ts';
import { makePart } from '../exporters/study-export/make-part.ts';
import type { PartMaker } from '../exporters/study-export/part-task.ts';
import type { StudyExportFacts, StudyExportOptions, StudyExportWriter } from '../exporters/study-export/types.ts';
import { openZipMembers } from '../importers/csv/zip-members.ts';
import type { Store } from '../services/index.ts';
import { NO_WORDS } from '../study/export-formats.ts';

/** The de-identifier of the tests. */
export const testDeidentifier = new Deidentifier(new Uint8Array(32).fill(3));

/**
 * Writes an export of the study to `folder`, unpacked, and returns its members by name.
 * @throws when the reported progress restarts or does not end at its total
 */
export async function unpackStudyExport(
  writer: StudyExportWriter,
  source: { store: Store; signalsDir: string; signal?: AbortSignal; atOnce?: number; make?: PartMaker },
  folder: string,
  options: Partial<StudyExportOptions> & { studyId: string },
): Promise<{ facts: StudyExportFacts; members: Map<string, Buffer> }> {
  const path = join(folder, 'export.zip');
  await mkdir(folder, { recursive: true });
  const out = createWriteStream(path);
  const written = finished(out);
  written.catch(() => undefined);
  const signal = source.signal ?? new AbortController().signal;
  const before = { done: 0, total: 0 };
  const context = {
    store: source.store,
    signalsDir: source.signalsDir,
    imagesDir: join(dirname(source.signalsDir), 'images'),
    signal,
    throwIfCancelled: () => undefined,
    progress: (done: number, total: number, step: string) => {
      if (done < before.done || done > total || (before.total !== 0 && total !== before.total))
        throw new Error(`Progress went from ${before.done}/${before.total} to ${done}/${total} (${step}).`);
      Object.assign(before, { done, total });
    },
    workshop: { dir: join(folder, '.parts'), atOnce: source.atOnce ?? 1, make: source.make ?? makePart },
  };
  const all: StudyExportOptions = {
    exportId: 'export',
    subjectIds: null,
    requestedTs: 0,
    asOfTs: Number.MAX_SAFE_INTEGER,
    dataTs: 0,
    deidentify: null,
    words: NO_WORDS,
    sinceTs: null,
    sinceExportId: null,
    baseManifest: null,
    ...options,
  };
  const facts = await writer(context, all, out);
  await written;
  if (before.done !== before.total) throw new Error(`Progress ended at ${before.done} of ${before.total}.`);
  const members = new Map<string, Buffer>();
  const zip = await openZipMembers(path);
  for (const member of zip.members) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of member.open()) chunks.push(chunk);
    members.set(member.name, Buffer.concat(chunks));
  }
  zip.close();
  for (const [name, bytes] of members) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), bytes);
  }
  return { facts, members };
}
