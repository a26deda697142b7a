/** The members of a study and their roles. */

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Role, StudyMember } from '../../../src-server/api/contract/index.ts';
import { ROLES } from '../../../src-server/study/permissions.ts';
import { personName } from '../../../src-server/study/person-name.ts';
import { client } from '../../shared/api/client.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { useSession } from '../../shared/api/session.ts';
import { membersQuery, usersQuery } from '../../shared/api/site-queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, Field, Pill } from '../../shared/kit/controls.tsx';
import { type Column, DataTable } from '../../shared/kit/data-table.tsx';
import { FormDialog, useFieldErrors } from '../../shared/kit/form-dialog.tsx';
import { RadioChoice, Select } from '../../shared/kit/forms.tsx';
import { Refused } from '../../shared/kit/refused.tsx';
import { Empty, QueryView } from '../../shared/kit/state.tsx';
import styles from '../site/site.module.css';

type Open = { what: 'set'; member?: StudyMember } | { what: 'remove'; member: StudyMember };

/** Roles that a membership can have. Administrators of the account need none. */
const STUDY_ROLES = ROLES.filter((role) => role !== 'ADMIN');

function SetMember({
  studyId,
  member,
  memberIds,
  onClose,
}: {
  studyId: string;
  member?: StudyMember;
  memberIds: ReadonlySet<string>;
  onClose: () => void;
}) {
  const { t } = useWords();
  const { user: self } = useSession();
  const queries = useQueryClient();
  const users = (useQuery(usersQuery(self.accountId)).data?.items ?? []).filter(
    (user) => !user.isDisabled && !memberIds.has(user.id) && user.accounts.every(({ role }) => role !== 'ADMIN'),
  );
  const [userId, setUserId] = useState(member?.userId ?? '');
  const [chosenRole, setRole] = useState<Role | undefined>(member?.role);
  const accountRole = users.find(({ id }) => id === userId)?.accounts[0]?.role;
  // Default to the role in the account, the most likely one, and never to a more powerful one.
  const role = chosenRole ?? accountRole ?? 'MONITOR';
  const [reason, setReason] = useState('');
  const save = useMutation({
    mutationFn: () =>
      client.call('setStudyMember', {
        params: { studyId, userId },
        body: { role, ...(reason.trim() !== '' && { reason: reason.trim() }) },
      }),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['membership', studyId] });
      onClose();
    },
  });
  const fieldError = useFieldErrors(save.error);
  return (
    <FormDialog
      title={member ? t('users.roleTitle', { name: personName(member) }) : t('members.addTitle')}
      intro={t('members.setEffect')}
      submitLabel={member ? t('users.changeRole') : t('members.add')}
      mutation={save}
      isDisabled={userId === ''}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      {!member && (
        <Select
          label={t('members.user')}
          value={userId}
          options={[
            { id: '', label: t(users.length === 0 ? 'members.allAdded' : 'members.choose') },
            ...users.map((user) => ({
              id: user.id,
              label: t('table.withNote', { name: personName(user), aside: user.email }),
            })),
          ]}
          onChange={setUserId}
        />
      )}
      <RadioChoice
        label={t('members.role')}
        value={role}
        options={STUDY_ROLES.map((id) => ({ id, label: t(`roles.${id}`), help: t(`users.roleHelp.${id}`) }))}
        onChange={setRole}
      />
      <Field label={t('users.reason')} value={reason} onChange={setReason} error={fieldError('reason')} />
    </FormDialog>
  );
}

function RemoveMember({ studyId, member, onClose }: { studyId: string; member: StudyMember; onClose: () => void }) {
  const { t } = useWords();
  const queries = useQueryClient();
  const [reason, setReason] = useState('');
  const remove = useMutation({
    mutationFn: () =>
      client.call('removeStudyMember', {
        params: { studyId, userId: member.userId },
        query: reason.trim() === '' ? {} : { reason: reason.trim() },
      }),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['membership', studyId] });
      onClose();
    },
  });
  return (
    <FormDialog
      title={t('members.removeTitle', { name: personName(member) })}
      intro={t('members.removeEffect')}
      submitLabel={t('members.remove')}
      mutation={remove}
      onSubmit={() => remove.mutate()}
      onClose={onClose}
    >
      <Field label={t('users.reason')} value={reason} onChange={setReason} />
    </FormDialog>
  );
}

function MemberTable({ members, onOpen }: { members: StudyMember[]; onOpen: (open: Open) => void }) {
  const { t, format } = useWords();
  const columns = useMemo(
    (): Column<StudyMember>[] => [
      {
        id: 'name',
        header: t('users.name'),
        value: personName,
        cell: (member) => <strong>{personName(member)}</strong>,
      },
      { id: 'email', header: t('signIn.email'), value: (member) => member.email, cell: (member) => member.email },
      {
        id: 'role',
        header: t('members.role'),
        value: (member) => ROLES.indexOf(member.role),
        cell: (member) => (
          <>
            {t(`roles.${member.role}`)} {member.isDisabled && <Pill>{t('users.disabled')}</Pill>}
          </>
        ),
      },
      {
        id: 'since',
        header: t('members.since'),
        isNumber: true,
        value: (member) => member.createdTs,
        cell: (member) => format.moment(member.createdTs),
      },
      {
        id: 'actions',
        header: t('exports.actions'),
        cell: (member) => (
          <div className={styles.actions}>
            <Button
              small
              aria-label={t('users.roleOf', { name: personName(member) })}
              onPress={() => onOpen({ what: 'set', member })}
            >
              {t('users.changeRole')}
            </Button>
            <Button
              small
              aria-label={t('members.removeOf', { name: personName(member) })}
              onPress={() => onOpen({ what: 'remove', member })}
            >
              {t('members.remove')}
            </Button>
          </div>
        ),
      },
    ],
    [t, format, onOpen],
  );
  return (
    <DataTable
      caption={t('members.title')}
      rows={members}
      columns={columns}
      rowId={(member) => member.userId}
      initialSort={{ id: 'name', desc: false }}
    />
  );
}

function Content({ studyId }: { studyId: string }) {
  const { t } = useWords();
  const members = useQuery(membersQuery(studyId));
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const memberIds = new Set(members.data?.items.map((member) => member.userId));
  return (
    <>
      <div className={styles.cardHead}>
        <h2>{t('members.title')}</h2>
        <Button icon="plus" onPress={() => setOpen({ what: 'set' })}>
          {t('members.add')}
        </Button>
      </div>
      <p className={styles.hint}>{t('members.summary')}</p>
      <QueryView query={members}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon="subjects" title={t('members.emptyTitle')} help={t('members.emptyHelp')} />
          ) : (
            <MemberTable members={items} onOpen={setOpen} />
          )
        }
      </QueryView>
      {open?.what === 'set' && (
        <SetMember studyId={studyId} member={open.member} memberIds={memberIds} onClose={close} />
      )}
      {open?.what === 'remove' && <RemoveMember studyId={studyId} member={open.member} onClose={close} />}
    </>
  );
}

export function Members() {
  const { t } = useWords();
  const { studyId } = useParams({ from: '/desk/studies/$studyId/members' });
  if (usePermissions()('study.members', studyId)) return <Content studyId={studyId} />;
  return <Refused title={t('site.forbiddenTitle')} help={t('site.forbiddenHelp')} />;
}
