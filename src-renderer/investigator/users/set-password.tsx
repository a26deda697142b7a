/** For whoever was handed a one-time code: a new user, or one who has forgotten the password. */
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { client } from '../../shared/api/client.ts';
import { ApiError } from '../../shared/api/queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, buttonClass, Field, PasswordField } from '../../shared/kit/controls.tsx';
import { FormProblem, useFieldErrors } from '../../shared/kit/form-dialog.tsx';
import { Notice } from '../../shared/kit/state.tsx';
import styles from './set-password.module.css';

export function SetPassword() {
  const { t } = useWords();
  const [code, setCode] = useState('');
  const [password, setPassword] = useState('');
  const set = useMutation({ mutationFn: () => client.call('resetPassword', { body: { code, password } }) });
  const fieldError = useFieldErrors(set.error);
  const isCodeWrong = set.error instanceof ApiError && set.error.status === 401;
  return (
    <main className={styles.page}>
      <form
        noValidate
        className={styles.card}
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          set.mutate();
        }}
      >
        <h1>{t('signIn.setPassword')}</h1>
        {set.isSuccess ? (
          <>
            <Notice tone="good">{t('users.passwordSet')}</Notice>
            <Link to="/sign-in" className={buttonClass('primary')}>
              {t('signIn.submit')}
            </Link>
          </>
        ) : (
          <>
            <p>{t('users.setIntro')}</p>
            <Field
              autoFocus
              label={t('users.oneTimeCode')}
              autoComplete="one-time-code"
              value={code}
              onChange={setCode}
              help={t('users.oneTimeCodeHelp')}
              error={isCodeWrong ? t('users.codeWrong') : fieldError('code')}
            />
            <PasswordField
              label={t('users.newPassword')}
              showLabel={t('signIn.showPassword')}
              hideLabel={t('signIn.hidePassword')}
              autoComplete="new-password"
              value={password}
              onChange={setPassword}
            />
            <p>{t('users.passwordRule')}</p>
            {!isCodeWrong && <FormProblem error={set.error} />}
            <Button type="submit" kind="primary" isDisabled={set.isPending || code.trim() === '' || password === ''}>
              {set.isPending ? t('form.busy') : t('signIn.setPassword')}
            </Button>
            <Link to="/sign-in">{t('users.toSignIn')}</Link>
          </>
        )}
      </form>
    </main>
  );
}
