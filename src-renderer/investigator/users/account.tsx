/** Whoever is signed in: name, language of mails, password. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { client } from '../../shared/api/client.ts';
import { changeSessionUser, useRole, useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, Field, PasswordField } from '../../shared/kit/controls.tsx';
import { FormProblem, useFieldErrors } from '../../shared/kit/form-dialog.tsx';
import { Select } from '../../shared/kit/forms.tsx';
import { Page, panelClass } from '../../shared/kit/page.tsx';
import { Notice } from '../../shared/kit/state.tsx';
import styles from '../site/site.module.css';

const card = `${panelClass} ${styles.card}`;
const LOCALES = [
  { id: 'en_US', label: 'English' },
  { id: 'ja_JP', label: '日本語' },
] as const;

function Profile() {
  const { t, language } = useWords();
  const { user } = useSession();
  const queries = useQueryClient();
  const [firstName, setFirstName] = useState(user.firstName);
  const [lastName, setLastName] = useState(user.lastName);
  // The answer to a log-in says it in lower case.
  const [locale, setLocale] = useState<(typeof LOCALES)[number]['id']>(
    user.locale.toLowerCase().startsWith('ja') ? 'ja_JP' : 'en_US',
  );
  const save = useMutation({
    mutationFn: () => client.call('updateUser', { params: { userId: user.id }, body: { firstName, lastName, locale } }),
    onSuccess: () => {
      changeSessionUser({ firstName, lastName, locale });
      void queries.invalidateQueries({ queryKey: ['user'] });
    },
  });
  const fieldError = useFieldErrors(save.error);
  const names = [
    <Field
      key="first"
      label={t('users.firstName')}
      value={firstName}
      onChange={setFirstName}
      error={fieldError('firstName')}
    />,
    <Field
      key="last"
      label={t('users.lastName')}
      value={lastName}
      onChange={setLastName}
      error={fieldError('lastName')}
    />,
  ];
  return (
    <form
      noValidate
      className={card}
      aria-label={t('users.profile')}
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <h2>{t('users.profile')}</h2>
      <div className={styles.pair}>{language === 'ja' ? names.reverse() : names}</div>
      <Select
        label={t('users.mailLanguage')}
        help={t('users.mailLanguageHelp')}
        value={locale}
        options={LOCALES}
        onChange={setLocale}
      />
      <FormProblem error={save.error} />
      <div className={styles.actions}>
        <Button type="submit" isDisabled={save.isPending}>
          {t('form.save')}
        </Button>
        <span role="status">{save.isSuccess ? t('form.saved') : ''}</span>
      </div>
    </form>
  );
}

function Password() {
  const { t } = useWords();
  const { user } = useSession();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const change = useMutation({
    mutationFn: () => client.call('changePassword', { body: { currentPassword: current, password: next } }),
    onSuccess: () => {
      setCurrent('');
      setNext('');
    },
  });
  const fieldError = useFieldErrors(change.error);
  const shown = { showLabel: t('signIn.showPassword'), hideLabel: t('signIn.hidePassword') };
  return (
    <form
      noValidate
      className={card}
      aria-label={t('users.password')}
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        change.mutate();
      }}
    >
      <h2>{t('users.password')}</h2>
      <p className={styles.hint}>{t('users.passwordHelp')}</p>
      <input type="email" autoComplete="username" value={user.email} readOnly hidden />
      <PasswordField
        {...shown}
        label={t('users.currentPassword')}
        autoComplete="current-password"
        value={current}
        onChange={setCurrent}
      />
      <PasswordField
        {...shown}
        label={t('users.newPassword')}
        autoComplete="new-password"
        value={next}
        onChange={setNext}
      />
      {fieldError('password') && <Notice tone="bad">{t('users.passwordRule')}</Notice>}
      <FormProblem error={change.error} />
      <div className={styles.actions}>
        <Button type="submit" isDisabled={change.isPending || current === '' || next === ''}>
          {t('users.changePassword')}
        </Button>
        <span role="status">{change.isSuccess ? t('users.passwordChanged') : ''}</span>
      </div>
    </form>
  );
}

export function Account() {
  const { t } = useWords();
  const { user } = useSession();
  const role = useRole();
  return (
    <Page title={t('account.yours')} summary={`${user.email} · ${t(`roles.${role}`)}`}>
      <div className={styles.cards}>
        <Profile />
        <Password />
      </div>
    </Page>
  );
}
