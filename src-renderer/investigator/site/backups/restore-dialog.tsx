/** Restores one backup into a new folder: shows what it holds, and asks for the folder and the secrets. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Backup } from '../../../../src-server/api/contract/index.ts';
import { client } from '../../../shared/api/client.ts';
import { ApiError } from '../../../shared/api/queries.ts';
import { restorePlanQuery } from '../../../shared/api/site-queries.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Field } from '../../../shared/kit/controls.tsx';
import { Faint } from '../../../shared/kit/data-table.tsx';
import { FormDialog, useCheckedSubmit, useFieldErrors } from '../../../shared/kit/form-dialog.tsx';
import { Notice, QueryView } from '../../../shared/kit/state.tsx';
import { PasswordAgain } from '../../signatures/password-again.tsx';
import styles from '../site.module.css';
import { useRefreshBackups } from './dialogs.tsx';
import { PresentPassphrase } from './encryption/key-dialogs.tsx';
import { useRestoreProblem } from './restore-problem.ts';

interface Plan {
  folder: string;
  siteName?: string | undefined;
  neededBytes: number;
  freeBytes: number;
}

/** What the backup holds, as far as it is known without reading all of it. */
function Contents({ backup, plan }: { backup: Backup; plan: Plan }) {
  const { t, format } = useWords();
  const { check, countRecordings } = backup;
  const checkText = () => {
    if (!check) return t('restores.notChecked');
    const time = format.moment(check.checkedTs);
    const count = check.problems.length;
    return count === 0 ? t('restores.checkedGood', { time }) : t('restores.checkedBad', { time, count });
  };
  return (
    <>
      <dl className={styles.facts}>
        <dt>{t('restores.asOf')}</dt>
        <dd>{format.moment(backup.createdTs)}</dd>
        <dt>{t('restores.site')}</dt>
        <dd>{plan.siteName ?? <Faint>{t('restores.unknown')}</Faint>}</dd>
        <dt>{t('studies.recordings')}</dt>
        <dd>{countRecordings !== undefined && format.number(countRecordings)}</dd>
        <dt>{t('exports.size')}</dt>
        <dd>{format.bytes(plan.neededBytes)}</dd>
        <dt>{t('restores.lastCheck')}</dt>
        <dd>{checkText()}</dd>
        <dt>{t('encryption.label')}</dt>
        <dd>{t(backup.isEncrypted ? 'encryption.on' : 'encryption.off')}</dd>
        <dt>{t('restores.room')}</dt>
        <dd>{t('restores.roomOf', { free: format.bytes(plan.freeBytes), needed: format.bytes(plan.neededBytes) })}</dd>
      </dl>
      {!backup.isOwn && <Notice tone="warn">{t('restores.otherSite')}</Notice>}
      {backup.state !== 'complete' && <Notice tone="warn">{t('restores.damaged')}</Notice>}
    </>
  );
}

export function RestoreBackup({ backup, onClose }: { backup: Backup; onClose: () => void }) {
  const { t, format, language } = useWords();
  const refresh = useRefreshBackups();
  const problemOf = useRestoreProblem();
  const { id, directory, isEncrypted = false } = backup;
  const plan = useQuery(restorePlanQuery(id, directory));
  const [typedFolder, setFolder] = useState<string>();
  const [passphrase, setPassphrase] = useState('');
  const [password, setPassword] = useState('');
  const folder = typedFolder ?? plan.data?.folder ?? '';
  const restore = useMutation({
    mutationFn: () =>
      client.call('restoreBackup', {
        body: { backupId: id, directory, folder: folder.trim(), password, ...(isEncrypted && { passphrase }) },
      }),
    onSuccess: () => {
      refresh();
      onClose();
    },
  });
  const errorOf = useFieldErrors(restore.error);
  const isFilled = folder.trim() !== '' && password !== '' && (!isEncrypted || passphrase !== '');
  const { wasTried, onSubmit } = useCheckedSubmit(isFilled, () => restore.mutate());
  const folderError = () => {
    if (wasTried && folder.trim() === '') return t('restores.folderMissing');
    const error = errorOf('folder');
    return error !== undefined && language !== 'en' ? t('restores.folderWrong') : error;
  };
  // Of the disk of the suggestion; another one is compared when the form is sent.
  const missingBytes = plan.data && typedFolder === undefined ? plan.data.neededBytes - plan.data.freeBytes : 0;
  const { error } = restore;
  const isOther = error instanceof ApiError && error.errors.length === 0;
  return (
    <FormDialog
      title={t('restores.title')}
      intro={t('restores.intro')}
      submitLabel={t('restores.submit')}
      mutation={{ isPending: restore.isPending, error: isOther ? null : error }}
      isDisabled={!plan.data}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <QueryView query={plan}>{(found) => <Contents backup={backup} plan={found} />}</QueryView>
      {missingBytes > 0 && <Notice tone="bad">{t('restores.noRoom', { missing: format.bytes(missingBytes) })}</Notice>}
      <Field
        label={t('restores.folder')}
        help={t('restores.folderHelp')}
        isRequired
        value={folder}
        onChange={setFolder}
        error={folderError()}
      />
      {isEncrypted && (
        <PresentPassphrase
          label={t('restores.passphrase')}
          value={passphrase}
          onChange={setPassphrase}
          isMissing={wasTried && passphrase === ''}
        />
      )}
      <PasswordAgain
        value={password}
        onChange={setPassword}
        isMissing={wasTried && password === ''}
        isWrong={errorOf('password') !== undefined}
      />
      {isOther && <Notice tone="bad">{problemOf(error)}</Notice>}
    </FormDialog>
  );
}
