/** Subjects of a study. */

import type { SubjectRecord } from '../../db/index.ts';
import { OFFERED_ZONES } from '../../study/zones.ts';
import type { Subject } from '../contract/index.ts';
import type { subjectRoutes } from '../contract/resources/subjects.ts';
import type { ApiDeps } from '../deps.ts';
import { changeBy } from '../framework/authenticate.ts';
import type { Handlers } from '../framework/mount.ts';
import { toHeldDevice } from './equipment.ts';
import { toRecordings } from './recordings.ts';

export function toSubject(subject: SubjectRecord): Subject {
  const { age, gender, height, weight, dominantHand, programStartTs } = subject;
  return {
    id: subject.id,
    accountId: subject.accountId,
    studyId: subject.studyId,
    displayName: subject.displayName,
    ...(age === undefined ? {} : { age }),
    ...(gender === undefined ? {} : { gender }),
    ...(height === undefined ? {} : { height }),
    ...(weight === undefined ? {} : { weight }),
    ...(dominantHand === undefined ? {} : { dominantHand }),
    timezone: subject.timezone,
    metadataFields: subject.metadataFields.map(({ displayName, value }) => ({ displayName, value })),
    isHidden: subject.isHidden,
    ...(subject.isTest ? { isTest: true } : {}),
    legaleseVersionAccepted: subject.legaleseVersionAccepted,
    legaleseVersionRequired: subject.legaleseVersionRequired,
    createdTs: subject.createdTs,
    modifiedTs: subject.modifiedTs,
    ...(programStartTs === undefined ? {} : { programStartTs }),
  };
}

export function subjectHandlers(deps: ApiDeps): Handlers<typeof subjectRoutes> {
  const { subjects, equipment, recordings, faults } = deps.store;
  return {
    listSubjects: async ({ params }) => {
      const items = (await subjects.list(params.studyId)).map(toSubject);
      return { items, size: items.length };
    },
    getSubject: async ({ params, scope }) => ({
      ...toSubject(scope.subject),
      timezones: [...(await subjects.zones(params.subjectId))],
      devices: (await equipment.heldBy(params.subjectId)).map(toHeldDevice),
      recordings: toRecordings(
        await recordings.listForSubject(params.subjectId),
        await faults.listForSubject(params.subjectId),
      ),
    }),
    createSubject: async ({ params, body, caller }) => {
      const { id } = await subjects.create(params.studyId, body, changeBy(caller));
      return { id, links: [{ href: `/v1/studies/${params.studyId}/subjects/${id}`, rel: 'self' }] };
    },
    updateSubject: async ({ params, body, caller }) => {
      const { reason, ...fields } = body;
      await subjects.update(params.subjectId, fields, changeBy(caller, reason));
    },
    createSubjectToken: async ({ params, caller }) => ({
      studyId: params.studyId,
      subjectId: params.subjectId,
      token: await subjects.createToken(params.subjectId, changeBy(caller)),
    }),
    listTimeZones: () => ({ items: [...OFFERED_ZONES], size: OFFERED_ZONES.length }),
  };
}
