/** Members of a study and their roles. */
import { z } from 'zod';
import { id, idParams, listOf, timestamp } from '../common.ts';
import { defineRoutes } from '../route.ts';
import { role } from './users.ts';

const member = z
  .strictObject({
    userId: id,
    studyId: id,
    role,
    createdTs: timestamp.meta({ description: 'When the user became a member.' }),
    firstName: z.string(),
    lastName: z.string(),
    email: z.string(),
    isDisabled: z.boolean(),
  })
  .meta({ id: 'StudyMember' });
export type StudyMember = z.infer<typeof member>;

const reason = z.string().max(1000).optional().meta({ description: 'Kept in the audit log.' });
const oneMember = z.object({ studyId: id, userId: id });

const studyRole = z.strictObject({ studyId: id, role }).meta({ id: 'StudyRole' });
export type StudyRole = z.infer<typeof studyRole>;

const studyPerson = z.strictObject({ id, displayName: z.string(), role }).meta({ id: 'StudyPerson' });
export type StudyPerson = z.infer<typeof studyPerson>;

export const memberRoutes = defineRoutes({
  listStudyRoles: {
    method: 'GET',
    path: '/users/{userId}/study_roles',
    access: 'user',
    operation: 'user.update',
    ownRecord: true,
    tag: 'Users',
    summary: 'List the study memberships of a user with their roles',
    description:
      'Users may list their own memberships, administrators those of all users. An administrator of the account has that role in every study, with or without membership.',
    order: ['studyId'],
    params: idParams.user,
    status: 200,
    response: listOf(studyRole),
  },
  listStudyMembers: {
    method: 'GET',
    path: '/studies/{studyId}/members',
    access: 'user',
    operation: 'study.members',
    tag: 'Users',
    summary: 'List the members of a study',
    description: 'Administrators of the account need no membership.',
    order: ['createdTs', 'userId'],
    params: idParams.study,
    status: 200,
    response: listOf(member),
  },
  listStudyPeople: {
    method: 'GET',
    path: '/studies/{studyId}/people',
    access: 'user',
    operation: 'study.read',
    tag: 'Users',
    summary: 'List the people of a study',
    description:
      'Enabled users who may see the study, with their role in it: members, and administrators of the account. Follow-ups and queries can be assigned to them.',
    order: 'of their creation',
    params: idParams.study,
    status: 200,
    response: listOf(studyPerson),
  },
  setStudyMember: {
    method: 'PUT',
    path: '/studies/{studyId}/members/{userId}',
    access: 'user',
    operation: 'study.members',
    tag: 'Users',
    summary: 'Add a member to a study, or change the role of a member',
    description: 'Takes effect on the next request of that user.',
    params: oneMember,
    body: z.object({ role, reason }),
    status: 204,
  },
  removeStudyMember: {
    method: 'DELETE',
    path: '/studies/{studyId}/members/{userId}',
    access: 'user',
    operation: 'study.members',
    tag: 'Users',
    summary: 'Remove a member from a study',
    description: 'The user no longer sees the study. 404 for a user who is not a member.',
    params: oneMember,
    query: z.object({ reason }),
    status: 204,
  },
});
