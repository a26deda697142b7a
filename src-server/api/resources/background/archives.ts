/** The archive of a study: requested, created by a job, downloaded from a signed address. */
import { join } from 'node:path';
import type { archiveRoutes } from '../../contract/resources/archives.ts';
import type { ApiDeps } from '../../deps.ts';
import { changeBy } from '../../framework/authenticate.ts';
import { notFound } from '../../framework/errors.ts';
import type { Handlers } from '../../framework/mount.ts';
import { SENT } from '../../framework/mount.ts';
import { sendFile } from '../../framework/send-file.ts';
import { signedUrlOf } from '../../framework/signed-url.ts';

export function archiveHandlers(deps: ApiDeps): Handlers<typeof archiveRoutes> {
  const { studies } = deps.store;
  return {
    requestStudyArchive: async ({ params: { studyId }, caller }) => {
      const change = changeBy(caller);
      const input = { studyId, format: 'ARCHIVE', isDeidentified: false, requestedTs: deps.clock() } as const;
      deps.jobs.announce((await deps.store.exports.request(input, change)).job);
    },
    getStudyArchive: ({ scope: { study }, request }) => {
      if (!study.export) throw notFound('archive of this study yet');
      const path = `/api/v1/files/studies/${study.id}/archives/${study.export.requestedTs}/archive.zip`;
      return signedUrlOf(deps, request, path);
    },
    downloadStudyArchive: async ({ params, response }) => {
      const archive = (await studies.get(params.studyId))?.export;
      if (!archive || archive.requestedTs !== Number(params.requestedTs)) throw notFound('archive any more');
      const day = new Date(archive.requestedTs).toISOString().slice(0, 10);
      const disposition = `attachment; filename="study-${params.studyId}-${day}.zip"`;
      await sendFile(response, join(deps.exportsDir, archive.file), 'application/zip', disposition);
      return SENT;
    },
  };
}
