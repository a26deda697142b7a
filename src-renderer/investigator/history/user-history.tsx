import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { personName } from '../../../src-server/study/person-name.ts';
import { useSession } from '../../shared/api/session.ts';
import { usersQuery } from '../../shared/api/site-queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Segments } from '../../shared/kit/controls.tsx';
import { SitePage } from '../site/site-page.tsx';
import { History } from './history.tsx';

/** The audit trail of a user: changes to the account, or changes made by the user. */
export function UserHistory() {
  const { t } = useWords();
  const { user } = useSession();
  const { userId } = useParams({ from: '/desk/site/users/$userId/history' });
  const users = useQuery(usersQuery(user.accountId));
  const [side, setSide] = useState<'about' | 'by'>('about');
  const filter = useMemo(() => (side === 'by' ? { userId } : { entityType: 'user', entityId: userId }), [side, userId]);
  const found = users.data?.items.find(({ id }) => id === userId);
  return (
    <SitePage
      title={t('history.titleOf', { name: found ? personName(found) : '' })}
      isForAdministrators
      actions={
        <Segments
          label={t('history.side')}
          value={side}
          options={[
            { id: 'about', label: t('history.toUser') },
            { id: 'by', label: t('history.byUser') },
          ]}
          onChange={setSide}
        />
      }
    >
      <History scope={{ accountId: user.accountId }} filter={filter} caption={t('history.ofUser')} />
    </SitePage>
  );
}
