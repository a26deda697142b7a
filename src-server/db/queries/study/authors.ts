import type { AuthorRecord } from '../../../study/events.ts';
import { personName } from '../../../study/person-name.ts';
import type { Session } from '../../session.ts';
import { anyOf } from '../shared.ts';

/** Returns the authors of rows by their id, with their present names. */
export async function authorsOf(
  session: Session,
  rows: readonly { authorType: string | null; authorId: string | null }[],
): Promise<Map<string, AuthorRecord>> {
  const ids = (type: string) => [
    ...new Set(rows.filter((row) => row.authorType === type).map((row) => row.authorId as string)),
  ];
  const authors = new Map<string, AuthorRecord>();
  const userIds = ids('USER');
  if (userIds.length > 0) {
    const users = await session.db
      .selectFrom('user')
      .select(['id', 'firstName', 'lastName', 'accountId'])
      .where('id', 'in', anyOf(userIds))
      .execute();
    for (const user of users) {
      const displayName = personName(user);
      authors.set(user.id, { id: user.id, displayName, parentId: user.accountId, principalType: 'USER' });
    }
  }
  const subjectIds = ids('SUBJECT');
  if (subjectIds.length > 0) {
    const subjects = await session.db
      .selectFrom('subject')
      .select(['id', 'displayName', 'studyId'])
      .where('id', 'in', anyOf(subjectIds))
      .execute();
    for (const subject of subjects) {
      authors.set(subject.id, {
        id: subject.id,
        displayName: subject.displayName,
        parentId: subject.studyId,
        principalType: 'SUBJECT',
      });
    }
  }
  return authors;
}
