/** The second factor of the signed-in user: setting it up, new recovery codes, turning it off. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { SecondFactor as State } from '../../../src-server/api/contract/index.ts';
import { client } from '../../shared/api/client.ts';
import { useSession } from '../../shared/api/session.ts';
import { secondFactorQuery } from '../../shared/api/site-queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, Field, PasswordField, Pill } from '../../shared/kit/controls.tsx';
import { FormDialog, InfoDialog, useFieldErrors } from '../../shared/kit/form-dialog.tsx';
import { Notice, QueryView } from '../../shared/kit/state.tsx';
import site from '../site/site.module.css';
import styles from './access.module.css';
import { FactorQr } from './factor-qr.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';

type Open = 'setUp' | 'renew' | 'remove';
/** Below this number, new codes are recommended. */
const FEW_CODES = 4;

function CurrentPassword({
  value,
  onChange,
  error,
}: {
  value: string;
  onChange: (value: string) => void;
  error: string | undefined;
}) {
  const { t } = useWords();
  return (
    <PasswordField
      label={t('users.currentPassword')}
      showLabel={t('signIn.showPassword')}
      hideLabel={t('signIn.hidePassword')}
      autoComplete="current-password"
      value={value}
      onChange={onChange}
      error={error}
    />
  );
}

function SetUp({ onCodes, onClose }: { onCodes: (codes: readonly string[]) => void; onClose: () => void }) {
  const { t } = useWords();
  const [currentPassword, setPassword] = useState('');
  const [code, setCode] = useState('');
  const begin = useMutation({
    mutationFn: () => client.call('setUpSecondFactor', { body: { currentPassword } }),
  });
  const confirm = useMutation({
    mutationFn: () => client.call('confirmSecondFactor', { body: { code } }),
    onSuccess: ({ recoveryCodes }) => onCodes(recoveryCodes),
  });
  const [beginError, confirmError] = [useFieldErrors(begin.error), useFieldErrors(confirm.error)];
  const setup = begin.data;
  if (!setup) {
    return (
      <FormDialog
        title={t('secondFactor.setUpTitle')}
        intro={t('secondFactor.setUpIntro')}
        submitLabel={t('secondFactor.next')}
        mutation={begin}
        isDisabled={currentPassword === ''}
        onSubmit={() => begin.mutate()}
        onClose={onClose}
      >
        <CurrentPassword value={currentPassword} onChange={setPassword} error={beginError('currentPassword')} />
      </FormDialog>
    );
  }
  return (
    <FormDialog
      key="code"
      title={t('secondFactor.setUpTitle')}
      intro={t('secondFactor.scan')}
      submitLabel={t('secondFactor.confirm')}
      mutation={confirm}
      isDisabled={code.trim() === ''}
      onSubmit={() => confirm.mutate()}
      onClose={onClose}
    >
      <FactorQr setup={setup} />
      <Field
        label={t('secondStep.code')}
        help={t('secondFactor.othersEnd')}
        autoComplete="one-time-code"
        inputMode="numeric"
        value={code}
        onChange={setCode}
        error={confirmError('code') && t('secondStep.wrong')}
      />
    </FormDialog>
  );
}

/** What takes password and code. */
function Proven({
  what,
  onCodes,
  onDone,
  onClose,
}: {
  what: Exclude<Open, 'setUp'>;
  onCodes: (codes: readonly string[]) => void;
  onDone: () => void;
  onClose: () => void;
}) {
  const { t } = useWords();
  const [currentPassword, setPassword] = useState('');
  const [code, setCode] = useState('');
  const change = useMutation({
    mutationFn: async () => {
      const body = { currentPassword, code };
      if (what === 'remove') await client.call('removeSecondFactor', { body });
      else onCodes((await client.call('renewRecoveryCodes', { body })).recoveryCodes);
    },
    onSuccess: () => what === 'remove' && onDone(),
  });
  const fieldError = useFieldErrors(change.error);
  return (
    <FormDialog
      title={t(what === 'remove' ? 'secondFactor.removeTitle' : 'secondFactor.renew')}
      intro={t(what === 'remove' ? 'secondFactor.removeIntro' : 'secondFactor.renewIntro')}
      submitLabel={t(what === 'remove' ? 'secondFactor.remove' : 'secondFactor.renew')}
      mutation={change}
      isDisabled={currentPassword === '' || code.trim() === ''}
      onSubmit={() => change.mutate()}
      onClose={onClose}
    >
      <CurrentPassword value={currentPassword} onChange={setPassword} error={fieldError('currentPassword')} />
      <Field
        label={t('secondFactor.codeOrRecovery')}
        autoComplete="one-time-code"
        value={code}
        onChange={setCode}
        error={fieldError('code') && t('secondStep.wrong')}
      />
    </FormDialog>
  );
}

export function FactorState({ state: { isOn, isRequired, confirmedTs } }: { state: State }) {
  const { t, format } = useWords();
  return (
    <p>
      <Pill tone={isOn ? 'good' : 'neutral'}>
        {isOn && confirmedTs !== undefined
          ? t('secondFactor.onSince', { time: format.moment(confirmedTs) })
          : t(isOn ? 'secondFactor.on' : 'secondFactor.off')}
      </Pill>{' '}
      {isRequired && <Pill tone="info">{t('secondFactor.required')}</Pill>}
    </p>
  );
}

export function SecondFactor() {
  const { t } = useWords();
  const { user } = useSession();
  const queries = useQueryClient();
  const query = useQuery(secondFactorQuery(user.id));
  const [open, setOpen] = useState<Open | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const close = () => setOpen(null);
  const readAgain = () => {
    close();
    void queries.invalidateQueries({ queryKey: ['user'] });
  };
  const show = (made: readonly string[]) => {
    setCodes(made);
    readAgain();
  };
  return (
    <>
      <p className={site.hint}>{t('secondFactor.help')}</p>
      <QueryView query={query}>
        {(state) => (
          <div className={styles.stack}>
            <FactorState state={state} />
            {state.isOn ? (
              <>
                {state.recoveryCodesLeft < FEW_CODES ? (
                  <Notice tone="warn">
                    {t('secondFactor.left', { count: state.recoveryCodesLeft })} {t('secondFactor.few')}
                  </Notice>
                ) : (
                  <p>{t('secondFactor.left', { count: state.recoveryCodesLeft })}</p>
                )}
                <div className={site.actions}>
                  <Button onPress={() => setOpen('renew')}>{t('secondFactor.renew')}</Button>
                  {!state.isRequired && <Button onPress={() => setOpen('remove')}>{t('secondFactor.remove')}</Button>}
                </div>
                {state.isRequired && <p className={site.hint}>{t('secondFactor.requiredHelp')}</p>}
              </>
            ) : (
              <div>
                <Button onPress={() => setOpen('setUp')}>{t('secondFactor.setUp')}</Button>
              </div>
            )}
          </div>
        )}
      </QueryView>
      {open === 'setUp' && <SetUp onCodes={show} onClose={close} />}
      {(open === 'renew' || open === 'remove') && (
        <Proven what={open} onCodes={show} onDone={readAgain} onClose={close} />
      )}
      {codes && (
        <InfoDialog title={t('secondFactor.codesTitle')} onClose={() => setCodes(null)}>
          <RecoveryCodes codes={codes} />
        </InfoDialog>
      )}
    </>
  );
}
