/** Sets a password with a one-time code: for a new user, or one who has forgotten it. */
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useRef, useState } from 'react';
import { client } from '../../shared/api/client.ts';
import { ApiError } from '../../shared/api/queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, buttonClass, Field, PasswordField } from '../../shared/kit/controls.tsx';
import { FormProblem, useFieldErrors, useFocusOnProblem, useOneSubmit } from '../../shared/kit/form-dialog.tsx';
import { Notice } from '../../shared/kit/state.tsx';
import styles from '../sign-in/entrance.module.css';
import { Entrance } from '../sign-in/entrance.tsx';

export function SetPassword() {
  const { t } = useWords();
  const form = useRef<HTMLFormElement>(null);
  const [code, setCode] = useState('');
  const [password, setPassword] = useState('');
  const [attempt, setAttempt] = useState(0);
  const set = useMutation({ mutationFn: () => client.call('resetPassword', { body: { code, password } }) });
  const { once, ...heard } = useOneSubmit(set.isPending);
  const isCodeWrong = set.error instanceof ApiError && set.error.status === 401;
  const errorOf = useFieldErrors(set.error);
  const [isCodeMissing, isPasswordWrong] = [errorOf('code') !== undefined, errorOf('password') !== undefined];
  useFocusOnProblem(form, attempt, set.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    once(() => {
      setAttempt((before) => before + 1);
      set.mutate();
    });
  };
  return (
    <Entrance>
      <form ref={form} noValidate className={styles.form} onSubmit={submit} {...heard}>
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
            <p className={styles.hint}>{t('users.setIntro')}</p>
            <Field
              autoFocus
              label={t('users.oneTimeCode')}
              autoComplete="one-time-code"
              value={code}
              onChange={setCode}
              help={t('users.oneTimeCodeHelp')}
              error={isCodeMissing ? t('users.codeMissing') : isCodeWrong ? t('users.codeWrong') : undefined}
            />
            <PasswordField
              label={t('users.newPassword')}
              showLabel={t('signIn.showPassword')}
              hideLabel={t('signIn.hidePassword')}
              autoComplete="new-password"
              value={password}
              onChange={setPassword}
              help={t('users.passwordRule')}
              error={isPasswordWrong ? t('users.passwordRule') : undefined}
            />
            {!isCodeWrong && !isCodeMissing && !isPasswordWrong && <FormProblem error={set.error} />}
            <Button type="submit" kind="primary" isDisabled={set.isPending}>
              {set.isPending ? t('form.busy') : t('signIn.setPassword')}
            </Button>
            <Link to="/sign-in">{t('users.toSignIn')}</Link>
          </>
        )}
      </form>
    </Entrance>
  );
}
