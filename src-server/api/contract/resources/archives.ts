/** The archive of a study: a ZIP of metadata and analytics as CSV for all subjects. */
import { z } from 'zod';
import { id, idParams, signedUrl } from '../common.ts';
import { defineRoutes } from '../route.ts';

export const archiveRoutes = defineRoutes({
  requestStudyArchive: {
    method: 'POST',
    path: '/archives/{studyId}/archive',
    access: 'user',
    operation: 'study.export',
    tag: 'Studies',
    summary: 'Request the archive of a study',
    description:
      'A job creates a ZIP of study metadata and analytics as CSV for all subjects as of the request; test subjects are excluded. The requester receives an e-mail when it is ready, and Get study then shows it as `export`.',
    params: idParams.study,
    status: 202,
  },
  getStudyArchive: {
    method: 'GET',
    path: '/archives/{studyId}/archive',
    access: 'user',
    operation: 'study.export',
    tag: 'Studies',
    summary: 'Get a signed address of the newest archive of a study',
    description: 'The address is valid for one hour and needs no credentials. 404 until an archive has been created.',
    params: idParams.study,
    status: 200,
    response: signedUrl,
  },
  downloadStudyArchive: {
    method: 'GET',
    path: '/files/studies/{studyId}/archives/{requestedTs}/archive.zip',
    access: 'signed-url',
    tag: 'Studies',
    summary: 'Download the archive of a study',
    description:
      'Needs no credentials while the signature is valid. Range requests are supported. Only the newest archive is kept: the address of an older one answers 404.',
    params: z.object({ studyId: id, requestedTs: z.string().regex(/^\d{1,15}$/) }),
    query: z.object({ expires: z.string(), signature: z.string() }),
    status: 200,
    media: 'application/zip',
  },
});
