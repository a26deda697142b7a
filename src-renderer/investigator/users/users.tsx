/** The users of the account, their roles, and whether they may sign in. */

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Role, User } from '../../../src-server/api/contract/index.ts';
import { ROLES } from '../../../src-server/study/permissions.ts';
import { personName } from '../../../src-server/study/person-name.ts';
import { client } from '../../shared/api/client.ts';
import { useSession } from '../../shared/api/session.ts';
import { usersQuery } from '../../shared/api/site-queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { ConfirmDialog } from '../../shared/kit/confirm-dialog.tsx';
import { Button, Field, Pill } from '../../shared/kit/controls.tsx';
import { type Column, DataTable } from '../../shared/kit/data-table.tsx';
import { FormDialog, InfoDialog, useFieldErrors } from '../../shared/kit/form-dialog.tsx';
import { RadioChoice, SecretText } from '../../shared/kit/forms.tsx';
import { Notice, QueryView } from '../../shared/kit/state.tsx';
import { SignInOf } from '../access/sign-in-of.tsx';
import { NewButton } from '../commands/new-button.tsx';
import styles from '../site/site.module.css';
import { SitePage } from '../site/site-page.tsx';
import { CreateUser } from './create-user.tsx';

type Open =
  | { what: 'create' }
  | { what: 'role' | 'disable' | 'code' | 'signIn'; user: User }
  | { what: 'shown'; name: string; code: string; expiration: number; needsStudy?: boolean };

const roleOf = (user: User): Role => user.accounts.find(({ id }) => id === user.accountId)?.role ?? 'MONITOR';

/** A mutation of one user: on success, the list of users is read again. */
function useChange(run: () => Promise<unknown>, onDone: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: run,
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['user'] });
      onDone();
    },
  });
}

function ChangeRole({ user, onClose }: { user: User; onClose: () => void }) {
  const { t } = useWords();
  const [role, setRole] = useState(roleOf(user));
  const [reason, setReason] = useState('');
  const change = useChange(
    () =>
      client.call('updateUserRole', {
        params: { userId: user.id },
        body: { role, ...(reason.trim() !== '' && { reason: reason.trim() }) },
      }),
    onClose,
  );
  const fieldError = useFieldErrors(change.error);
  return (
    <FormDialog
      title={t('users.roleTitle', { name: personName(user) })}
      intro={t('users.roleEffect')}
      submitLabel={t('users.changeRole')}
      mutation={change}
      isDisabled={role === roleOf(user)}
      onSubmit={() => change.mutate()}
      onClose={onClose}
    >
      <RadioChoice
        label={t('users.role')}
        value={role}
        options={ROLES.map((id) => ({ id, label: t(`roles.${id}`), help: t(`users.roleHelp.${id}`) }))}
        onChange={setRole}
      />
      <Field label={t('users.reason')} value={reason} onChange={setReason} error={fieldError('reason')} />
    </FormDialog>
  );
}

function Disable({ user, onClose }: { user: User; onClose: () => void }) {
  const { t } = useWords();
  return (
    <ConfirmDialog
      title={t('users.disableTitle', { name: personName(user) })}
      effect={t('users.disableEffect')}
      submitLabel={t('users.disable')}
      run={() => client.call('deleteUser', { params: { accountId: user.accountId, userId: user.id } })}
      changes={['user']}
      onClose={onClose}
    />
  );
}

function MakeCode({ user, onMade, onClose }: { user: User; onMade: (open: Open) => void; onClose: () => void }) {
  const { t } = useWords();
  const make = useMutation({
    mutationFn: () => client.call('createPasswordCode', { params: { userId: user.id } }),
    onSuccess: ({ code, expiration }) => onMade({ what: 'shown', name: personName(user), code, expiration }),
  });
  return (
    <FormDialog
      title={t('users.codeTitle', { name: personName(user) })}
      submitLabel={t('users.makeCode')}
      mutation={make}
      onSubmit={() => make.mutate()}
      onClose={onClose}
    >
      <p>{t('users.codeEffect')}</p>
    </FormDialog>
  );
}

function ShownCode({
  name,
  code,
  expiration,
  needsStudy,
  onClose,
}: Extract<Open, { what: 'shown' }> & { onClose: () => void }) {
  const { t, format } = useWords();
  return (
    <InfoDialog title={t('users.codeShownTitle', { name })} onClose={onClose}>
      <p>{t('users.codeHelp', { time: format.moment(expiration) })}</p>
      <SecretText label={t('users.code')} text={code} />
      <Notice tone="warn">{t('users.codeOnce')}</Notice>
      {needsStudy && (
        <p>
          {t('users.codeNext', { name })} <Link to="/studies">{t('state.toStudies')}</Link>
        </p>
      )}
    </InfoDialog>
  );
}

function Actions({ user, isSelf, onOpen }: { user: User; isSelf: boolean; onOpen: (open: Open) => void }) {
  const { t } = useWords();
  const name = personName(user);
  const enable = useChange(
    () => client.call('enableUser', { params: { accountId: user.accountId, userId: user.id } }),
    () => undefined,
  );
  if (user.isDisabled) {
    return (
      <Button
        small
        aria-label={t('users.enableOf', { name })}
        isDisabled={enable.isPending}
        onPress={() => enable.mutate()}
      >
        {t('users.enable')}
      </Button>
    );
  }
  return (
    <div className={styles.rowActions}>
      <Button small aria-label={t('users.codeOf', { name })} onPress={() => onOpen({ what: 'code', user })}>
        {t('users.code')}
      </Button>
      <Button small aria-label={t('signInOf.openOf', { name })} onPress={() => onOpen({ what: 'signIn', user })}>
        {t('signInOf.open')}
      </Button>
      {!isSelf && (
        <>
          <Button small aria-label={t('users.roleOf', { name })} onPress={() => onOpen({ what: 'role', user })}>
            {t('users.changeRole')}
          </Button>
          <Button small aria-label={t('users.disableOf', { name })} onPress={() => onOpen({ what: 'disable', user })}>
            {t('users.disable')}
          </Button>
        </>
      )}
    </div>
  );
}

function Content({ onOpen }: { onOpen: (open: Open) => void }) {
  const { t, format } = useWords();
  const { user: self } = useSession();
  const users = useQuery(usersQuery(self.accountId));
  const columns = useMemo(
    (): Column<User>[] => [
      {
        id: 'name',
        header: t('users.name'),
        value: personName,
        cell: (user) => (
          <div className={styles.person}>
            <Link to="/site/users/$userId/history" params={{ userId: user.id }} title={t('users.history')}>
              {personName(user)}
            </Link>
            {user.id === self.id && <Pill tone="info">{t('users.you')}</Pill>}
            <small>{user.email}</small>
          </div>
        ),
      },
      {
        id: 'role',
        header: t('users.role'),
        value: (user) => ROLES.indexOf(roleOf(user)),
        cell: (user) => t(`roles.${roleOf(user)}`),
      },
      {
        id: 'state',
        header: t('exports.stateTitle'),
        value: (user) => (user.isDisabled ? 1 : 0),
        cell: (user) =>
          user.isDisabled ? (
            <Pill>
              {user.disabledTs === undefined
                ? t('users.disabled')
                : t('users.disabledSince', { time: format.moment(user.disabledTs) })}
            </Pill>
          ) : (
            <Pill tone="good">{t('users.active')}</Pill>
          ),
      },
      {
        id: 'created',
        header: t('studies.created'),
        isNumber: true,
        isSecondary: true,
        value: (user) => user.createdTs,
        cell: (user) => format.moment(user.createdTs),
      },
      {
        id: 'actions',
        header: t('exports.actions'),
        cell: (user) => <Actions user={user} isSelf={user.id === self.id} onOpen={onOpen} />,
      },
    ],
    [t, format, self.id, onOpen],
  );
  return (
    <QueryView query={users}>
      {({ items }) => (
        <DataTable
          caption={t('site.users')}
          rows={items}
          columns={columns}
          rowId={(user) => user.id}
          initialSort={{ id: 'name', desc: false }}
        />
      )}
    </QueryView>
  );
}

export function Users() {
  const { t } = useWords();
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  return (
    <SitePage
      title={t('site.users')}
      summary={t('users.summary')}
      isForAdministrators
      actions={<NewButton id="users.add" label={t('users.add')} onPress={() => setOpen({ what: 'create' })} />}
    >
      <Content onOpen={setOpen} />
      {open?.what === 'create' && <CreateUser onMade={(made) => setOpen({ what: 'shown', ...made })} onClose={close} />}
      {open?.what === 'role' && <ChangeRole user={open.user} onClose={close} />}
      {open?.what === 'disable' && <Disable user={open.user} onClose={close} />}
      {open?.what === 'signIn' && (
        <SignInOf person={{ id: open.user.id, name: personName(open.user) }} onClose={close} />
      )}
      {open?.what === 'code' && <MakeCode user={open.user} onMade={setOpen} onClose={close} />}
      {open?.what === 'shown' && <ShownCode {...open} onClose={close} />}
    </SitePage>
  );
}
