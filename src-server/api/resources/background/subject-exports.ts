/** A subject's own copy of the data: request, list, signed address, deletion. The file is sent as that of a study export. */
import type { StudyExportRecord } from '../../../db/index.ts';
import type { SubjectExport } from '../../contract/index.ts';
import type { subjectExportRoutes } from '../../contract/resources/subject-exports.ts';
import type { ApiDeps } from '../../deps.ts';
import { changeBy } from '../../framework/authenticate.ts';
import { notFound } from '../../framework/errors.ts';
import type { Handlers } from '../../framework/mount.ts';
import { deleteExport, exportUrl, LIST_LIMIT, shownExports } from './exports.ts';

type Params = { studyId: string; subjectId: string };

export function subjectExportHandlers(deps: ApiDeps): Handlers<typeof subjectExportRoutes> {
  const { store, jobs } = deps;
  const shown = async (records: readonly StudyExportRecord[], subjectId: string): Promise<SubjectExport[]> =>
    (await shownExports(deps, records)).map(
      ({ format: _format, deidentified: _deidentified, subjectIds: _subjectIds, href: _href, ...rest }) => ({
        ...rest,
        subjectId,
      }),
    );
  const required = async ({ studyId, subjectId, exportId }: Params & { exportId: string }) => {
    const record = await store.exports.require(exportId, studyId);
    const isOfSubject = record.format === 'SUBJECT' && record.subjectIds?.[0] === subjectId;
    if (!isOfSubject || record.removed?.because === 'DELETED') throw notFound('export');
    return record;
  };
  return {
    requestSubjectExport: async ({ params: { studyId, subjectId }, caller }) => {
      await store.subjects.require(subjectId, studyId);
      const { record, job } = await store.exports.request(
        { studyId, format: 'SUBJECT', isDeidentified: false, subjectIds: [subjectId], requestedTs: deps.clock() },
        changeBy(caller),
      );
      jobs.announce(job);
      return (await shown([record], subjectId))[0] as SubjectExport;
    },
    listSubjectExports: async ({ params: { studyId, subjectId } }) => {
      await store.subjects.require(subjectId, studyId);
      const items = await shown(await store.exports.list(studyId, LIST_LIMIT, subjectId), subjectId);
      return { items, size: items.length };
    },
    getSubjectExportFile: async ({ params, request }) => exportUrl(deps, request, await required(params)),
    deleteSubjectExport: async ({ params, caller }) =>
      await deleteExport(deps, await required(params), changeBy(caller)),
  };
}
