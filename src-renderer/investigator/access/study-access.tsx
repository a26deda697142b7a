import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { personName } from '../../../src-server/study/person-name.ts';
import { studyQuery } from '../../shared/api/queries.ts';
import { useSession } from '../../shared/api/session.ts';
import { usersQuery } from '../../shared/api/site-queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import history from '../history/history.module.css';
import { AccessList } from './access-list.tsx';

/** The access log of a study, for those who may read its audit trail. */
export function StudyAccess() {
  const { t } = useWords();
  const { studyId } = useParams({ from: '/desk/studies/$studyId/access' });
  const { accountId } = useSession().user;
  const users = useQuery(usersQuery(accountId)).data?.items ?? [];
  const subjects = useQuery(studyQuery(studyId)).data?.subjects ?? [];
  return (
    <>
      <div className={history.tools}>
        <p>{t('accessLog.studyHelp')}</p>
      </div>
      <AccessList
        scope={{ studyId }}
        users={users.map((user) => ({ id: user.id, label: personName(user) }))}
        subjects={subjects.map(({ id, displayName }) => ({ id, label: displayName }))}
        caption={t('accessLog.title')}
      />
    </>
  );
}
