/** The open sessions of a user, each with a button that ends it, and one that ends all. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { UserSession } from '../../../src-server/api/contract/index.ts';
import { client } from '../../shared/api/client.ts';
import { leaveSession, signOut, useSession } from '../../shared/api/session.ts';
import { sessionsQuery } from '../../shared/api/site-queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { ConfirmDialog } from '../../shared/kit/confirm-dialog.tsx';
import { Button, Pill } from '../../shared/kit/controls.tsx';
import { FormProblem } from '../../shared/kit/form-dialog.tsx';
import { QueryView } from '../../shared/kit/state.tsx';
import styles from './access.module.css';

export interface Person {
  id: string;
  name: string;
}

function useProgramText(): (session: UserSession) => string {
  const { t } = useWords();
  return ({ program, system }) => {
    if (program !== undefined && system !== undefined) return t('sessions.on', { program, system });
    return program ?? system ?? t('sessions.unknown');
  };
}

function OneSession({ person, session }: { person: Person; session: UserSession }) {
  const { t, format } = useWords();
  const queries = useQueryClient();
  const program = useProgramText()(session);
  const end = useMutation({
    mutationFn: () => client.call('endSession', { params: { userId: person.id, sessionId: session.id } }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['user', 'sessions', person.id] }),
  });
  const time = format.moment(session.createdTs);
  const facts = [
    session.address !== undefined && t('sessions.from', { address: session.address }),
    t('sessions.signedIn', { time }),
    t('sessions.lastUsed', { time: format.moment(session.lastUsedTs) }),
    t('sessions.ends', { time: format.moment(session.expiration) }),
  ];
  return (
    <li>
      <div className={styles.session}>
        <span>
          <strong>{program}</strong> {session.isCurrent && <Pill tone="info">{t('sessions.current')}</Pill>}
        </span>
        <small>{facts.filter(Boolean).join(' · ')}</small>
        <FormProblem error={end.error} />
      </div>
      <Button
        small
        aria-label={t('sessions.endOf', { name: program, time })}
        isDisabled={end.isPending}
        onPress={() => (session.isCurrent ? signOut() : end.mutate())}
      >
        {t('sessions.end')}
      </Button>
    </li>
  );
}

export function Sessions({ person }: { person: Person }) {
  const { t } = useWords();
  const isOwn = useSession().user.id === person.id;
  const query = useQuery(sessionsQuery(person.id));
  const [isEnding, setEnding] = useState(false);
  const { name } = person;
  return (
    <>
      <QueryView query={query}>
        {({ items }) => (
          <div className={styles.stack}>
            {items.length === 0 && <p>{t('sessions.none')}</p>}
            <ul className={styles.sessions} aria-label={t('sessions.title')}>
              {items.map((session) => (
                <OneSession key={session.id} person={person} session={session} />
              ))}
            </ul>
            {items.length > 0 && (
              <div>
                <Button onPress={() => setEnding(true)}>{t('sessions.endAll')}</Button>
              </div>
            )}
          </div>
        )}
      </QueryView>
      {isEnding && (
        <ConfirmDialog
          title={isOwn ? t('sessions.endAllTitle') : t('sessions.endAllOfTitle', { name })}
          effect={t(isOwn ? 'sessions.endAllEffect' : 'sessions.endAllOfEffect')}
          submitLabel={t('sessions.endAll')}
          run={async () => {
            await client.call('endSessions', { params: { userId: person.id } });
            if (isOwn) leaveSession();
          }}
          changes={['user', 'sessions', person.id]}
          onClose={() => setEnding(false)}
        />
      )}
    </>
  );
}
