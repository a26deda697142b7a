/**
 * Permanently erases a subject. Says what goes, what stays and what no program can reach; asks for a reason, the code typed again and
 * the password; and says afterwards what is left to do.
 */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Erasure, ErasurePreview, Subject } from '../../../../src-server/api/contract/index.ts';
import { client } from '../../../shared/api/client.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Field } from '../../../shared/kit/controls.tsx';
import { FormDialog, InfoDialog, useCheckedSubmit, useFieldErrors } from '../../../shared/kit/form-dialog.tsx';
import { Notice, QueryView } from '../../../shared/kit/state.tsx';
import { PasswordAgain } from '../../signatures/password-again.tsx';
import styles from './erase-dialog.module.css';

const COUNTS = ['recordings', 'days', 'annotations', 'messages', 'signatures', 'devices', 'exports'] as const;
const STAYS = ['tombstone', 'entries', 'hashes'] as const;

function Part({ title, lines }: { title: string; lines: readonly string[] }) {
  return (
    <section className={styles.part}>
      <h3>{title}</h3>
      <ul>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </section>
  );
}

/** What only people can delete. */
function OtherCopies({ copies }: { copies: readonly string[] }) {
  const { t } = useWords();
  return (
    <Part
      title={t('erasure.yours')}
      lines={[
        t('erasure.files'),
        t('erasure.backups'),
        t('erasure.mentions'),
        ...(copies.length > 0 ? [t('erasure.copies', { folders: copies.join(', ') })] : []),
      ]}
    />
  );
}

function Preview({ preview }: { preview: ErasurePreview }) {
  const { t, format } = useWords();
  const counts = COUNTS.filter((name) => preview[name] > 0).map((name) =>
    t(`erasure.counts.${name}`, { count: preview[name], size: format.bytes(preview.recordingBytes) }),
  );
  return (
    <>
      {preview.isLocked && <Notice tone="bad">{t('erasure.locked')}</Notice>}
      {preview.isBackupRunning && <Notice tone="bad">{t('erasure.backup')}</Notice>}
      <Part title={t('erasure.goes')} lines={[t('erasure.record'), ...counts]} />
      <Part title={t('erasure.stays')} lines={STAYS.map((name) => t(`erasure.staying.${name}`))} />
      <OtherCopies copies={preview.copies} />
    </>
  );
}

/** Shown once the subject is gone. */
function Erased({
  name,
  erasure,
  copies,
  onClose,
}: {
  name: string;
  erasure: Erasure;
  copies: readonly string[];
  onClose: () => void;
}) {
  const { t } = useWords();
  return (
    <InfoDialog title={t('erasure.doneTitle', { name })} onClose={onClose}>
      <Notice tone={erasure.isFinished ? 'good' : 'warn'}>
        {t(erasure.isFinished ? 'erasure.done' : 'erasure.waiting')}
      </Notice>
      <OtherCopies copies={copies} />
    </InfoDialog>
  );
}

const BACKUP_POLL_MS = 2000;

export function EraseDialog({ subject, onClose }: { subject: Subject; onClose: () => void }) {
  const { t } = useWords();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [reason, setReason] = useState('');
  const [confirmation, setConfirmation] = useState('');
  const [password, setPassword] = useState('');
  const { displayName } = subject;
  const params = { studyId: subject.studyId, subjectId: subject.id };
  const preview = useQuery({
    queryKey: ['erasure', subject.studyId, subject.id],
    queryFn: ({ signal }) => client.call('getErasurePreview', { params, signal }),
    staleTime: 0,
    gcTime: 0,
    // The dialog waits for a running backup and opens again when it is done.
    refetchInterval: ({ state }) => state.data?.isBackupRunning && BACKUP_POLL_MS,
  });
  const erase = useMutation({
    mutationFn: () =>
      client.call('eraseSubject', {
        params,
        body: { reason: reason.trim(), confirmation: confirmation.trim(), password },
      }),
  });
  async function leave() {
    onClose();
    await navigate({ to: '/studies/$studyId/subjects', params: { studyId: subject.studyId }, replace: true });
    // Nothing of the person stays in the memory of the desk, nor under the addresses that this window knows.
    queries.removeQueries({ predicate: ({ queryKey }) => queryKey.includes(subject.id) });
    await queries.invalidateQueries();
  }
  const errorOf = useFieldErrors(erase.error);
  const isTyped = confirmation.trim() === displayName;
  const { wasTried, onSubmit } = useCheckedSubmit(reason.trim() !== '' && isTyped && password !== '', () =>
    erase.mutate(),
  );
  if (erase.data) {
    return (
      <Erased
        name={displayName}
        erasure={erase.data}
        copies={preview.data?.copies ?? []}
        onClose={() => void leave()}
      />
    );
  }
  return (
    <FormDialog
      title={t('erasure.title', { name: displayName })}
      intro={t('erasure.intro')}
      submitLabel={t('erasure.action')}
      mutation={erase}
      isDisabled={!preview.data || preview.data.isLocked || preview.data.isBackupRunning}
      onClose={onClose}
      onSubmit={onSubmit}
    >
      <QueryView query={preview}>{(found) => <Preview preview={found} />}</QueryView>
      <Field
        label={t('erasure.reason')}
        help={t('erasure.reasonHelp')}
        isRequired
        maxLength={1000}
        value={reason}
        onChange={setReason}
        error={wasTried && reason.trim() === '' ? t('erasure.reasonMissing') : errorOf('reason')}
      />
      <Field
        label={t('erasure.confirmation', { name: displayName })}
        isRequired
        value={confirmation}
        onChange={setConfirmation}
        error={wasTried && !isTyped ? t('erasure.confirmationWrong') : errorOf('confirmation')}
      />
      <PasswordAgain
        value={password}
        onChange={setPassword}
        isMissing={wasTried && password === ''}
        isWrong={errorOf('password') !== undefined}
      />
      {erase.isPending && <Notice tone="info">{t('erasure.running')}</Notice>}
    </FormDialog>
  );
}
