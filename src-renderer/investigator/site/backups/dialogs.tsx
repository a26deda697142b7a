/** Dialogs that make a backup now and delete one. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Backup } from '../../../../src-server/api/contract/index.ts';
import { client } from '../../../shared/api/client.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Field } from '../../../shared/kit/controls.tsx';
import { FormDialog, useFieldErrors } from '../../../shared/kit/form-dialog.tsx';

/** Invalidates the backups; they are read again with the jobs that make and delete them. */
export function useRefreshBackups(): () => void {
  const queries = useQueryClient();
  return () => void queries.invalidateQueries({ queryKey: ['job'] });
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
    </FormDialog>
  );
}

export function DeleteBackup({ backup, onClose }: { backup: Backup; onClose: () => void }) {
  const { t, format } = useWords();
  const refresh = useRefreshBackups();
  const remove = useMutation({
    mutationFn: () =>
      client.call('deleteBackup', { params: { backupId: backup.id }, query: { directory: backup.directory } }),
    onSuccess: () => {
      refresh();
      onClose();
    },
  });
  return (
    <FormDialog
      title={t('backups.deleteTitle')}
      submitLabel={t('backups.delete')}
      mutation={remove}
      onSubmit={() => remove.mutate()}
      onClose={onClose}
    >
      <p>{t('backups.deleteEffect', { time: format.moment(backup.createdTs) })}</p>
    </FormDialog>
  );
}
