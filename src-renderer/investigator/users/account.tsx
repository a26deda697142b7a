/** The account of the signed-in user: name, language of mails, password, second factor, sessions. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { personName } from '../../../src-server/study/person-name.ts';
import { client } from '../../shared/api/client.ts';
import { changeSessionUser, useRole, useSession } from '../../shared/api/session.ts';
import { digestQuery } from '../../shared/api/site-queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { PasswordField } from '../../shared/kit/controls.tsx';
import { FormProblem, useFieldErrors } from '../../shared/kit/form-dialog.tsx';
import { Select } from '../../shared/kit/forms.tsx';
import { Page, panelClass } from '../../shared/kit/page.tsx';
import { QueryView } from '../../shared/kit/state.tsx';
import { SecondFactor } from '../access/second-factor.tsx';
import { Sessions } from '../access/sessions.tsx';
import { FormFoot } from '../site/form-foot.tsx';
import styles from '../site/site.module.css';
import { MAIL_LANGUAGES, type MailLanguage, NameFields } from './name-fields.tsx';

const card = `${panelClass} ${styles.card}`;
function Profile() {
  const { t } = useWords();
  const { user } = useSession();
  const queries = useQueryClient();
  const [name, setName] = useState({ firstName: user.firstName, lastName: user.lastName });
  // The sign-in response has the locale in lower case.
  const [locale, setLocale] = useState<MailLanguage>(user.locale.toLowerCase().startsWith('ja') ? 'ja_JP' : 'en_US');
  const save = useMutation({
    mutationFn: () => client.call('updateUser', { params: { userId: user.id }, body: { ...name, locale } }),
    onSuccess: () => {
      changeSessionUser({ ...name, locale });
      void queries.invalidateQueries({ queryKey: ['user'] });
    },
  });
  const fieldError = useFieldErrors(save.error);
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
      <NameFields name={name} errorOf={(field) => fieldError(field)} onChange={setName} />
      <Select
        label={t('users.mailLanguage')}
        help={t('users.mailLanguageHelp')}
        value={locale}
        options={MAIL_LANGUAGES}
        onChange={setLocale}
      />
      <FormProblem error={save.error} />
      <FormFoot save={save} />
    </form>
  );
}

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

/** The choice is stored at once, as nothing else belongs to it. */
function Digest() {
  const { t } = useWords();
  const { user } = useSession();
  const queries = useQueryClient();
  const query = useQuery(digestQuery(user.id));
  const save = useMutation({
    mutationFn: (hour: number | null) => client.call('putDigest', { params: { userId: user.id }, body: { hour } }),
    onSuccess: (_, hour) => queries.setQueryData(digestQuery(user.id).queryKey, { hour }),
  });
  return (
    <section className={card} aria-label={t('users.digest')}>
      <h2>{t('users.digest')}</h2>
      <QueryView query={query}>
        {({ hour }) => (
          <Select
            label={t('users.digestHour')}
            help={t('users.digestHelp')}
            value={hour === null ? 'off' : String(hour)}
            isDisabled={save.isPending}
            options={[
              { id: 'off', label: t('users.digestOff') },
              ...HOURS.map((one) => ({ id: String(one), label: `${String(one).padStart(2, '0')}:00` })),
            ]}
            onChange={(choice) => save.mutate(choice === 'off' ? null : Number(choice))}
          />
        )}
      </QueryView>
      <FormProblem error={save.error} />
      <span role="status">{save.isSuccess ? t('form.saved') : ''}</span>
    </section>
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
        help={t('users.passwordRule')}
        error={fieldError('password') && t('users.passwordRule')}
      />
      {!fieldError('password') && <FormProblem error={change.error} />}
      <FormFoot
        submitLabel={t('users.changePassword')}
        save={change}
        isDisabled={current === '' || next === ''}
        savedText={t('users.passwordChanged')}
      />
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
        <Digest />
        <Password />
        <section className={card} aria-label={t('secondFactor.title')}>
          <h2>{t('secondFactor.title')}</h2>
          <SecondFactor />
        </section>
        <section className={card} aria-label={t('sessions.title')}>
          <h2>{t('sessions.title')}</h2>
          <p className={styles.hint}>{t('sessions.help')}</p>
          <Sessions person={{ id: user.id, name: personName(user) }} />
        </section>
      </div>
    </Page>
  );
}
