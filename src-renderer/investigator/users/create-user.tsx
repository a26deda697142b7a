import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Role } from '../../../src-server/api/contract/index.ts';
import { ROLES } from '../../../src-server/study/permissions.ts';
import { personName } from '../../../src-server/study/person-name.ts';
import { client } from '../../shared/api/client.ts';
import { useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Field } from '../../shared/kit/controls.tsx';
import { FormDialog, useFieldErrors } from '../../shared/kit/form-dialog.tsx';
import { RadioChoice, Select } from '../../shared/kit/forms.tsx';
import { MAIL_LANGUAGES, type MailLanguage, NameFields } from './name-fields.tsx';

interface Made {
  name: string;
  code: string;
  expiration: number;
  /** Whether the user sees nothing until they become a member of a study. */
  needsStudy: boolean;
}

/** Creates a user and a one-time code with which the user sets the password, so that nobody else knows it. */
export function CreateUser({ onMade, onClose }: { onMade: (made: Made) => void; onClose: () => void }) {
  const { t, language } = useWords();
  const { user: self } = useSession();
  const queries = useQueryClient();
  const [name, setName] = useState({ firstName: '', lastName: '' });
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('COORDINATOR');
  const [locale, setLocale] = useState<MailLanguage>(language === 'ja' ? 'ja_JP' : 'en_US');
  const create = useMutation({
    mutationFn: async () => {
      const address = email.trim();
      const { id } = await client.call('createUser', {
        body: {
          email: address,
          user: {
            accountId: self.accountId,
            email: address,
            ...name,
            locale,
            timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
            role,
          },
        },
      });
      void queries.invalidateQueries({ queryKey: ['user'] });
      return await client.call('createPasswordCode', { params: { userId: id } });
    },
    onSuccess: ({ code, expiration }) =>
      onMade({ name: personName(name), code, expiration, needsStudy: role !== 'ADMIN' }),
  });
  const fieldError = useFieldErrors(create.error);
  return (
    <FormDialog
      title={t('users.addTitle')}
      intro={t('users.addIntro')}
      submitLabel={t('users.create')}
      mutation={create}
      onSubmit={() => create.mutate()}
      onClose={onClose}
    >
      <NameFields name={name} errorOf={(field) => fieldError(`user.${field}`)} onChange={setName} />
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
      <Select label={t('account.language')} value={locale} options={MAIL_LANGUAGES} onChange={setLocale} />
    </FormDialog>
  );
}
