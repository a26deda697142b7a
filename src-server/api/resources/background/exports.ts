/** Exports of studies: request, list, signed address, file, deletion. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Request } from 'express';
import type { Change, NewStudyExport, StudyExportRecord } from '../../../db/index.ts';
import { OutpostError } from '../../../errors.ts';
import { neutralName } from '../../../exporters/study-export/neutral-name.ts';
import type { Store } from '../../../services/index.ts';
import {
  type DisclosedWords,
  EXPORT_FORMATS,
  type ExportFormatName,
  STORED_FORMATS,
} from '../../../study/export-formats.ts';
import type { ArchivePayload, JobRow, JobState } from '../../../study/jobs.ts';
import type { StudyExport } from '../../contract/index.ts';
import type { exportRoutes } from '../../contract/resources/exports.ts';
import type { BodyOf } from '../../contract/route.ts';
import type { ApiDeps } from '../../deps.ts';
import { changeBy } from '../../framework/authenticate.ts';
import { invalidField, notFound } from '../../framework/errors.ts';
import { type Handlers, SENT } from '../../framework/mount.ts';
import { sendFile } from '../../framework/send-file.ts';
import { signedUrlOf } from '../../framework/signed-url.ts';
import { toJob } from './job-record.ts';

export const LIST_LIMIT = 500;

const STATES: Record<JobState, StudyExport['state']> = {
  queued: 'WAITING',
  running: 'RUNNING',
  done: 'RUNNING',
  failed: 'FAILED',
  parked: 'FAILED',
  cancelled: 'CANCELLED',
};

/** Converts an export; `job` is the one that creates or created it. */
function toStudyExport(
  record: StudyExportRecord,
  job: JobRow | undefined,
  names: ReadonlyMap<string, string>,
): StudyExport {
  const { id, studyId, format, subjectIds, sinceTs, sinceExportId, requestedTs, file, finishedTs, removed } = record;
  const common = {
    id,
    studyId,
    // Subjects' own exports are answered by other routes.
    format: format as ExportFormatName,
    deidentified: record.isDeidentified,
    ...(record.words && { includeFields: [...record.words.fields], includeDefinition: record.words.definition }),
    ...(sinceTs !== undefined && { sinceTs }),
    ...(sinceExportId !== undefined && { sinceExportId }),
    ...(subjectIds && { subjectIds: [...subjectIds] }),
    requestedTs,
    ...requesterOf(job, names),
  };
  if (!file) {
    const { progress, error } = job ? toJob(job) : {};
    const state = job ? STATES[job.state] : 'FAILED';
    return { ...common, state, ...(progress && { progress }), ...(error && { error }) };
  }
  const made = {
    ...common,
    finishedTs,
    sizeBytes: file.sizeBytes,
    ...(file.sha256 !== undefined && { sha256: file.sha256 }),
  };
  if (!removed || removed.because === 'DELETED') {
    return { ...made, state: 'READY', href: `/v1/studies/${studyId}/exports/${id}/file` };
  }
  return { ...made, state: 'REMOVED', removedTs: removed.ts, removedBecause: removed.because };
}

/** Returns the user who requested an export; undefined for other requesters and deleted jobs. */
function requesterIdOf(job: JobRow | undefined): string | undefined {
  const { requestedBy } = (job?.payload ?? {}) as Partial<ArchivePayload>;
  return requestedBy?.type === 'USER' ? requestedBy.id : undefined;
}

function requesterOf(job: JobRow | undefined, names: ReadonlyMap<string, string>): Pick<StudyExport, 'requestedBy'> {
  const id = requesterIdOf(job);
  const displayName = id === undefined ? undefined : names.get(id);
  return id === undefined || displayName === undefined ? {} : { requestedBy: { id, displayName } };
}

/** Returns the name of the download. For a de-identified export it reveals neither the study nor the date. */
function downloadName({ id, studyId, format, requestedTs, isDeidentified }: StudyExportRecord): string {
  const { extension } = STORED_FORMATS[format];
  if (isDeidentified) return `${neutralName('study', id)}.${extension}`;
  const day = new Date(requestedTs).toISOString().slice(0, 10);
  if (format === 'SUBJECT') return `subject-data-${day}-${id.slice(-6)}.${extension}`;
  return `study-${studyId}-${format.toLowerCase()}-${day}-${id.slice(-6)}.${extension}`;
}

/** @throws INVALID_INPUT for a subject that is not of the study or is a test subject */
async function requireExportable(store: Store, studyId: string, subjectIds: readonly string[]): Promise<void> {
  const subjects = new Map((await store.subjects.list(studyId)).map((subject) => [subject.id, subject]));
  for (const [i, id] of subjectIds.entries()) {
    const subject = subjects.get(id);
    if (!subject) throw invalidField(`subjectIds.${i}`, 'names no subject of this study');
    if (subject.isTest) throw invalidField(`subjectIds.${i}`, 'names a test subject; test subjects are never exported');
  }
}

type RequestBody = BodyOf<(typeof exportRoutes)['requestStudyExport']>;

/** Validates a request. @throws INVALID_INPUT, NOT_FOUND, CONFLICT (the base of an incremental export is not ready) */
async function toRequest({ store, clock }: ApiDeps, studyId: string, body: RequestBody): Promise<NewStudyExport> {
  const { format, subjectIds, sinceTs, sinceExportId } = body;
  const requestedTs = clock();
  if (sinceTs !== undefined && sinceExportId !== undefined) {
    throw invalidField('sinceTs', 'cannot be given together with `sinceExportId`');
  }
  const { changes } = EXPORT_FORMATS[format];
  if ((sinceTs ?? sinceExportId) !== undefined && changes === null) {
    throw invalidField('format', 'supports only full exports; omit `sinceTs` and `sinceExportId`');
  }
  if (sinceTs !== undefined && changes === 'FILES') {
    throw invalidField('sinceTs', 'does not apply to this format; name an earlier export in `sinceExportId`');
  }
  if (sinceTs !== undefined && sinceTs > requestedTs) throw invalidField('sinceTs', 'must not be in the future');
  if (sinceExportId !== undefined) return await toContinuation(store, studyId, sinceExportId, body, requestedTs);
  if (subjectIds) await requireExportable(store, studyId, subjectIds);
  return {
    studyId,
    format,
    isDeidentified: body.deidentified ?? false,
    ...(await wordsOf(store, studyId, body)),
    ...(subjectIds && { subjectIds: [...new Set(subjectIds)] }),
    ...(sinceTs !== undefined && { sinceTs }),
    requestedTs,
  };
}

/** @throws INVALID_INPUT for `include...` in an identified export, and for unknown or free-text fields */
async function wordsOf(
  store: Store,
  studyId: string,
  { deidentified, includeFields, includeDefinition }: RequestBody,
): Promise<{ words?: DisclosedWords }> {
  if (!deidentified) {
    if (includeFields)
      throw invalidField('includeFields', 'applies to de-identified exports; others contain every field');
    if (includeDefinition !== undefined) {
      throw invalidField('includeDefinition', 'applies to de-identified exports; others contain the definition');
    }
    return {};
  }
  const fields = [...new Set(includeFields)];
  const declared = (await store.studies.require(studyId)).metadataFields;
  for (const [i, name] of fields.entries()) {
    const field = declared.find(({ displayName }) => displayName === name);
    if (!field) throw invalidField(`includeFields.${i}`, 'names no field of this study');
    if (field.type === 'FREETEXT') {
      throw invalidField(
        `includeFields.${i}`,
        'names a free-text field, which is never part of a de-identified export',
      );
    }
  }
  return { words: { fields, definition: includeDefinition ?? false } };
}

/** Builds an incremental export, which must have the format, subjects and texts of its base. @throws INVALID_INPUT, CONFLICT */
async function toContinuation(
  store: Store,
  studyId: string,
  sinceExportId: string,
  { format, deidentified, subjectIds, includeFields, includeDefinition }: RequestBody,
  requestedTs: number,
): Promise<NewStudyExport> {
  const base = await store.exports.get(sinceExportId);
  if (base?.studyId !== studyId || base.format === 'SUBJECT' || base.removed?.because === 'DELETED') {
    throw invalidField('sinceExportId', 'names no export of this study');
  }
  if (base.format !== format) throw invalidField('format', `must be ${base.format}, as in the earlier export`);
  if ((deidentified ?? base.isDeidentified) !== base.isDeidentified) {
    throw invalidField('deidentified', `must be ${base.isDeidentified}, as in the earlier export`);
  }
  if (subjectIds && !isSameSet(subjectIds, base.subjectIds ?? [])) {
    throw invalidField('subjectIds', 'must be those of the earlier export; omit them');
  }
  const { isDeidentified, words } = base;
  if (isDeidentified && !words) {
    throw new OutpostError(
      'CONFLICT',
      'The earlier export was de-identified by older rules, which this one cannot continue. Request a full export.',
    );
  }
  if (includeFields && !isSameSet(includeFields, words?.fields ?? [])) {
    throw invalidField('includeFields', 'must be those of the earlier export; omit them');
  }
  if (includeDefinition !== undefined && includeDefinition !== (words?.definition ?? false)) {
    throw invalidField('includeDefinition', 'must be as in the earlier export; omit it');
  }
  if (!base.file) {
    throw new OutpostError('CONFLICT', 'The earlier export is not ready. Wait for it, or name another one.');
  }
  if (base.removed && EXPORT_FORMATS[format].changes === 'FILES') {
    throw new OutpostError('CONFLICT', 'The file of the earlier export was removed. Request a full export.');
  }
  return {
    studyId,
    format,
    isDeidentified,
    ...(words && { words }),
    ...(base.subjectIds && { subjectIds: base.subjectIds }),
    sinceExportId,
    requestedTs,
  };
}

function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  const [left, right] = [new Set(a), new Set(b)];
  return left.size === right.size && [...left].every((id) => right.has(id));
}

/** As the API shows them, each with the state of its job. */
export async function shownExports(
  { store, jobs }: ApiDeps,
  records: readonly StudyExportRecord[],
): Promise<StudyExport[]> {
  const made: JobRow[] = [];
  for (const { id } of records) {
    const job = await jobs.get(id);
    if (job) made.push(job);
  }
  const byId = new Map(made.map((job) => [job.id, job]));
  const names = await store.audit.actorNames(made.map((job) => ({ actor: { type: 'USER', id: requesterIdOf(job) } })));
  return records.map((record) => toStudyExport(record, byId.get(record.id), names));
}

/** @throws NOT_FOUND before the file is finished and after it was removed */
export function exportUrl(deps: ApiDeps, request: Request, record: StudyExportRecord): ReturnType<typeof signedUrlOf> {
  if (!record.file) throw notFound('file of this export yet');
  if (record.removed) throw notFound('file of this export any more');
  return signedUrlOf(deps, request, `/api/v1/files/exports/${record.id}/${downloadName(record)}`);
}

export async function deleteExport(deps: ApiDeps, { id }: StudyExportRecord, change: Change): Promise<void> {
  await deps.jobs.cancel(id);
  const { file } = await deps.store.exports.require(id);
  await deps.store.exports.remove(id, 'DELETED', change);
  if (file) await rm(join(deps.exportsDir, file.name), { force: true });
}

export function exportHandlers(deps: ApiDeps): Handlers<typeof exportRoutes> {
  const { store, jobs } = deps;
  const required = async ({ studyId, exportId }: { studyId: string; exportId: string }) => {
    const record = await store.exports.require(exportId, studyId);
    if (record.format === 'SUBJECT' || record.removed?.because === 'DELETED') throw notFound('export');
    return record;
  };
  return {
    requestStudyExport: async ({ params: { studyId }, body, caller }) => {
      const input = await toRequest(deps, studyId, body);
      const { record, job } = await store.exports.request(input, changeBy(caller));
      jobs.announce(job);
      return (await shownExports(deps, [record]))[0] as StudyExport;
    },
    listStudyExports: async ({ params: { studyId } }) => {
      const items = await shownExports(deps, await store.exports.list(studyId, LIST_LIMIT));
      return { items, size: items.length };
    },
    getStudyExport: async ({ params }) => (await shownExports(deps, [await required(params)]))[0] as StudyExport,
    getStudyExportFile: async ({ params, request }) => exportUrl(deps, request, await required(params)),
    deleteStudyExport: async ({ params, caller }) => await deleteExport(deps, await required(params), changeBy(caller)),
    downloadStudyExport: async ({ params, response }) => {
      const record = await store.exports.get(params.exportId);
      if (!record?.file || record.removed) throw notFound('file of this export any more');
      const name = downloadName(record);
      const disposition = `attachment; filename="${name}"`;
      const path = join(deps.exportsDir, record.file.name);
      await sendFile(response, path, STORED_FORMATS[record.format].mediaType, disposition);
      return SENT;
    },
  };
}
