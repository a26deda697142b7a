/** What an administrator decides about the sign-in of another user: whether a second factor is required, its reset, and open sessions. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../shared/api/client.ts';
import { useSession } from '../../shared/api/session.ts';
import { secondFactorQuery } from '../../shared/api/site-queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { ConfirmDialog } from '../../shared/kit/confirm-dialog.tsx';
import { Button } from '../../shared/kit/controls.tsx';
import { FormProblem, InfoDialog } from '../../shared/kit/form-dialog.tsx';
import { Checkbox } from '../../shared/kit/forms.tsx';
import { QueryView } from '../../shared/kit/state.tsx';
import styles from './access.module.css';
import { FactorState } from './second-factor.tsx';
import { type Person, Sessions } from './sessions.tsx';

export function SignInOf({ person, onClose }: { person: Person; onClose: () => void }) {
  const { t } = useWords();
  const queries = useQueryClient();
  const isOwn = useSession().user.id === person.id;
  const query = useQuery(secondFactorQuery(person.id));
  const [isResetting, setResetting] = useState(false);
  const params = { userId: person.id };
  const require = useMutation({
    mutationFn: (isRequired: boolean) => client.call('requireSecondFactor', { params, body: { isRequired } }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['user'] }),
  });
  return (
    <InfoDialog title={t('signInOf.title', { name: person.name })} onClose={onClose}>
      <h3>{t('secondFactor.title')}</h3>
      <QueryView query={query}>
        {(state) => (
          <div className={styles.stack}>
            <FactorState state={state} />
            <Checkbox
              label={t('signInOf.require')}
              help={t('signInOf.requireHelp')}
              isSelected={state.isRequired}
              isDisabled={require.isPending}
              onChange={(isRequired) => require.mutate(isRequired)}
            />
            {state.isOn && !isOwn && (
              <div>
                <Button onPress={() => setResetting(true)}>{t('signInOf.reset')}</Button>
              </div>
            )}
            {isResetting && (
              <ConfirmDialog
                title={t('signInOf.resetTitle', { name: person.name })}
                effect={t(state.isRequired ? 'signInOf.resetRequired' : 'signInOf.resetEffect')}
                submitLabel={t('signInOf.reset')}
                run={() => client.call('resetSecondFactor', { params })}
                changes={['user']}
                onClose={() => setResetting(false)}
              />
            )}
          </div>
        )}
      </QueryView>
      <FormProblem error={require.error} />
      <h3>{t('sessions.title')}</h3>
      <p>{isOwn ? t('sessions.help') : t('sessions.helpOf', { name: person.name })}</p>
      <Sessions person={person} />
    </InfoDialog>
  );
}
