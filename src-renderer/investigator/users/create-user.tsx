import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Role } from '../../../src-server/api/contract/index.ts';
import { client } from '../../shared/api/client.ts';
import { useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Field } from '../../shared/kit/controls.tsx';
import { FormDialog, useFieldErrors } from '../../shared/kit/form-dialog.tsx';
import { RadioChoice, Select } from '../../shared/kit/forms.tsx';
import styles from '../site/site.module.css';
import { ROLES } from './roles.ts';

const LOCALES = [
  { id: 'en_US', label: 'English' },
  { id: 'ja_JP', label: '日本語' },
] as const;

interface Made {
  name: string;
  code: string;
  expiration: number;
}

/** A new user sets the password with a one-time code, so that nobody else ever knows it. */
export function CreateUser({ onMade, onClose }: { onMade: (made: Made) => void; onClose: () => void }) {
  const { t, language } = useWords();
  const { user: self } = useSession();
  const queries = useQueryClient();
  const [firstName, setFirstName] = useState('');
  const [lastName, setLastName] = useState('');
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('COORDINATOR');
  const [locale, setLocale] = useState<(typeof LOCALES)[number]['id']>(language === 'ja' ? 'ja_JP' : 'en_US');
  const create = useMutation({
    mutationFn: async () => {
      const address = email.trim();
      const { id } = await client.call('createUser', {
        body: {
          email: address,
          user: {
            accountId: self.accountId,
            email: address,
            firstName,
            lastName,
            locale,
            timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
            role,
          },
        },
      });
      void queries.invalidateQueries({ queryKey: ['user'] });
      return await client.call('createPasswordCode', { params: { userId: id } });
    },
    onSuccess: ({ code, expiration }) => onMade({ name: `${firstName} ${lastName}`, code, expiration }),
  });
  const fieldError = useFieldErrors(create.error);
  const names = [
    <Field
      key="first"
      label={t('users.firstName')}
      value={firstName}
      onChange={setFirstName}
      error={fieldError('user.firstName')}
    />,
    <Field
      key="last"
      label={t('users.lastName')}
      value={lastName}
      onChange={setLastName}
      error={fieldError('user.lastName')}
    />,
  ];
  return (
    <FormDialog
      title={t('users.addTitle')}
      intro={t('users.addIntro')}
      submitLabel={t('users.add')}
      isPending={create.isPending}
      error={create.error}
      onSubmit={() => create.mutate()}
      onClose={onClose}
    >
      <div className={styles.pair}>{language === 'ja' ? names.reverse() : names}</div>
      <Field
        label={t('signIn.email')}
        type="email"
        autoComplete="off"
        value={email}
        onChange={setEmail}
        error={fieldError('email') ?? fieldError('user.email')}
      />
      <RadioChoice
        label={t('users.role')}
        value={role}
        options={ROLES.map((id) => ({ id, label: t(`roles.${id}`), help: t(`users.roleHelp.${id}`) }))}
        onChange={setRole}
      />
      <Select label={t('account.language')} value={locale} options={LOCALES} onChange={setLocale} />
    </FormDialog>
  );
}
