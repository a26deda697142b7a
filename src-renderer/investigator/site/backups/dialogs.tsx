/** Dialogs that make a backup now and delete one. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Backup } from '../../../../src-server/api/contract/index.ts';
import { client } from '../../../shared/api/client.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { ConfirmDialog } from '../../../shared/kit/confirm-dialog.tsx';
import { Field } from '../../../shared/kit/controls.tsx';
import { FormDialog, useFieldErrors } from '../../../shared/kit/form-dialog.tsx';
import { DriveChoice } from './drive-choice.tsx';

const BACKUP_KEY = ['job'];

/** Invalidates the backups; they are read again with the jobs that make and delete them. */
export function useRefreshBackups(): () => void {
  const queries = useQueryClient();
  return () => void queries.invalidateQueries({ queryKey: BACKUP_KEY });
}

export function MakeBackup({ onClose }: { onClose: () => void }) {
  const { t } = useWords();
  const refresh = useRefreshBackups();
  const [directory, setDirectory] = useState('');
  const make = useMutation({
    mutationFn: () =>
      client.call('createBackup', { body: directory.trim() === '' ? {} : { directory: directory.trim() } }),
    onSuccess: () => {
      refresh();
      onClose();
    },
  });
  const fieldError = useFieldErrors(make.error);
  return (
    <FormDialog
      title={t('backups.makeTitle')}
      intro={t('backups.makeIntro')}
      submitLabel={t('backups.make')}
      mutation={make}
      onSubmit={() => make.mutate()}
      onClose={onClose}
    >
      <Field
        label={t('backups.otherFolder')}
        value={directory}
        onChange={setDirectory}
        help={t('backups.otherFolderHelp')}
        error={fieldError('directory')}
      />
      <DriveChoice folder={directory} onChoose={setDirectory} />
    </FormDialog>
  );
}

export function DeleteBackup({ backup, onClose }: { backup: Backup; onClose: () => void }) {
  const { t, format } = useWords();
  return (
    <ConfirmDialog
      title={t('backups.deleteTitle')}
      effect={t('backups.deleteEffect', { time: format.moment(backup.createdTs) })}
      submitLabel={t('backups.delete')}
      run={() =>
        client.call('deleteBackup', { params: { backupId: backup.id }, query: { directory: backup.directory } })
      }
      changes={BACKUP_KEY}
      onClose={onClose}
    />
  );
}
