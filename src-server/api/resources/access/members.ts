/** Members of a study and their roles. */
import type { memberRoutes } from '../../contract/resources/members.ts';
import type { ApiDeps } from '../../deps.ts';
import { changeBy } from '../../framework/authenticate.ts';
import { notFound } from '../../framework/errors.ts';
import type { Handlers } from '../../framework/mount.ts';

export function memberHandlers({ store }: ApiDeps): Handlers<typeof memberRoutes> {
  return {
    listStudyRoles: async ({ params: { userId } }) => {
      const items = await store.studies.rolesOf(userId);
      return { items, size: items.length };
    },
    listStudyMembers: async ({ params: { studyId }, scope }) => {
      const members = await store.studies.members(studyId);
      const users = new Map((await store.users.list(scope.study.accountId)).map((user) => [user.id, user]));
      const items = members.flatMap(({ userId, role, createdTs }) => {
        const user = users.get(userId);
        if (!user) return [];
        const { firstName, lastName, email, isDisabled } = user;
        return [{ userId, studyId, role, createdTs, firstName, lastName, email, isDisabled }];
      });
      return { items, size: items.length };
    },
    listStudyPeople: async ({ params: { studyId } }) => {
      const items = await store.studies.people(studyId);
      return { items, size: items.length };
    },
    setStudyMember: async ({ params: { studyId, userId }, body, caller }) => {
      await store.studies.setMember(studyId, userId, body.role, changeBy(caller, body.reason));
    },
    removeStudyMember: async ({ params: { studyId, userId }, query, caller }) => {
      if ((await store.studies.membershipRole(studyId, userId)) === null) throw notFound('member');
      await store.studies.setMember(studyId, userId, null, changeBy(caller, query.reason));
    },
  };
}
