/** The subjects and recordings of a study export, under their names in it, and the parts that hold the recordings' samples. */
import type { RecordingRecord } from '../../db/index.ts';
import type { DayClock } from '../../study/day-windows.ts';
import type { ExportView } from './export-view.ts';
import type { StudyParts } from './parts.ts';
import type { StudyZip } from './study-zip.ts';
import type { SubjectFrame } from './subject-frame.ts';
import { type ExportedSubject, exportedSubjects } from './subjects.ts';
import type { StudyExportContext, StudyExportOptions } from './types.ts';
import { disclosedProblems } from './unreadable.ts';

/** A subject and its times in the export. */
export interface FramedSubject {
  subject: ExportedSubject;
  zones: DayClock;
  frame: SubjectFrame;
  /** Id, or code. */
  id: string;
  /** Nothing later may be exported: the subject withdrew. Epoch ms. */
  untilMs?: number | undefined;
}

export const untilOf = ({ decisions }: Pick<StudyExportContext, 'decisions'>, subjectId: string): number | undefined =>
  decisions?.find((one) => one.subjectId === subjectId)?.untilMs;

export async function framedSubjects(
  context: StudyExportContext,
  options: StudyExportOptions,
  view: ExportView,
): Promise<FramedSubject[]> {
  const framed: FramedSubject[] = [];
  for (const subject of await exportedSubjects(context, options)) {
    const zones = await context.store.subjects.zones(subject.id);
    const untilMs = untilOf(context, subject.id);
    framed.push({ subject, zones, frame: view.frame(subject, zones), id: view.id('subject', subject.id), untilMs });
  }
  return framed;
}

/** The complete recordings of a subject that existed at the time of the request, in order of their start. */
export async function completeRecordings(
  { store }: Pick<StudyExportContext, 'store'>,
  { asOfTs }: Pick<StudyExportOptions, 'asOfTs'>,
  { subject }: FramedSubject,
): Promise<RecordingRecord[]> {
  const rows = await store.recordings.listForSubject(subject.id);
  return rows.filter(({ createdTs, status }) => createdTs <= asOfTs && status === 'COMPLETE');
}

/**
 * Adds the members of a recording's part to the archive, and lists what could not be read.
 * @param pathOf path in the archive of a member of the part
 * @returns false when the recording cannot be read at all
 */
export async function addPart(
  zip: StudyZip,
  parts: StudyParts,
  row: RecordingRecord,
  view: ExportView,
  pathOf: (member: string) => string,
): Promise<boolean> {
  const recordingId = view.id('recording', row.id);
  const part = await parts.take(row.id);
  if ('problem' in part) {
    zip.problems.push({ recordingId, problems: [part.problem] });
    return false;
  }
  try {
    for (const name of part.names) await zip.add(pathOf(name), part.read(name));
  } finally {
    await part.close();
  }
  if (part.problems.length > 0) {
    zip.problems.push({ recordingId, problems: disclosedProblems(part.problems, view.isDeidentified) });
  }
  return true;
}
