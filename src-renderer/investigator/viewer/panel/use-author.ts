/** Names of label authors. */
import { useQuery } from '@tanstack/react-query';
import type { Recording } from '../../../../src-server/api/contract/index.ts';
import { personName } from '../../../../src-server/study/person-name.ts';
import { subjectQuery } from '../../../shared/api/queries.ts';
import { useSession } from '../../../shared/api/session.ts';
import { usersQuery } from '../../../shared/api/site-queries.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import type { LabelItem } from '../data/labels.ts';

/** Names the author of a label: a user of the account, the subject, or the site itself. */
export function useAuthor(recording: Recording): (item: LabelItem) => string {
  const { t } = useWords();
  const { user } = useSession();
  const { studyId, subjectId } = recording;
  const users = useQuery(usersQuery(user.accountId));
  const subject = useQuery(subjectQuery(studyId, subjectId));
  return ({ authorId }) => {
    if (authorId === undefined) return t('viewer.bySite');
    if (authorId === subjectId) return subject.data?.displayName ?? t('viewer.bySubject');
    const author = users.data?.items.find(({ id }) => id === authorId);
    return author ? personName(author) : t('viewer.byStaff');
  };
}
