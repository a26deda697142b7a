import { useQuery } from '@tanstack/react-query';
import { personName } from '../../../src-server/study/person-name.ts';
import { useSession } from '../../shared/api/session.ts';
import { usersQuery } from '../../shared/api/site-queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { SitePage } from '../site/site-page.tsx';
import { AccessList } from './access-list.tsx';

function Content() {
  const { t } = useWords();
  const { accountId } = useSession().user;
  const users = useQuery(usersQuery(accountId)).data?.items ?? [];
  return (
    <AccessList
      scope={{ accountId }}
      users={users.map((user) => ({ id: user.id, label: personName(user) }))}
      caption={t('accessLog.title')}
    />
  );
}

/** The access log of the whole site. */
export function SiteAccess() {
  const { t } = useWords();
  return (
    <SitePage title={t('accessLog.title')} summary={t('accessLog.summary')} isForAdministrators>
      <Content />
    </SitePage>
  );
}
