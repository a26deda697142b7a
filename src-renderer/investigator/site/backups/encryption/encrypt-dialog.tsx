/** Sets up a folder of encrypted backups, then offers the key sheet. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../../../shared/api/client.ts';
import { useWords } from '../../../../shared/i18n/i18n.ts';
import { Field } from '../../../../shared/kit/controls.tsx';
import { FormDialog, useCheckedSubmit, useFieldErrors } from '../../../../shared/kit/form-dialog.tsx';
import { useRefreshBackups } from '../dialogs.tsx';
import { DriveChoice } from '../drive-choice.tsx';
import { KeySheetDialog } from './key-sheet.tsx';
import { isUsable, NewPassphrase } from './new-passphrase.tsx';

export function EncryptDialog({ suggestedFolder, onClose }: { suggestedFolder: string; onClose: () => void }) {
  const { t } = useWords();
  const refresh = useRefreshBackups();
  const [directory, setDirectory] = useState(suggestedFolder);
  const [input, setInput] = useState({ passphrase: '', again: '' });
  const encrypt = useMutation({
    mutationFn: () =>
      client.call('encryptBackups', { body: { directory: directory.trim(), passphrase: input.passphrase } }),
    onSuccess: refresh,
  });
  const errorOf = useFieldErrors(encrypt.error);
  const isValid = directory.trim() !== '' && isUsable(input);
  const { wasTried, onSubmit } = useCheckedSubmit(isValid, () => encrypt.mutate());
  if (encrypt.data) {
    const { recipient, directory: folder } = encrypt.data;
    return <KeySheetDialog directory={folder} recipient={recipient} passphrase={input.passphrase} onClose={onClose} />;
  }
  return (
    <FormDialog
      title={t('encryption.title')}
      intro={t('encryption.intro')}
      submitLabel={t('encryption.submit')}
      mutation={encrypt}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <Field
        label={t('backups.folder')}
        value={directory}
        onChange={setDirectory}
        isRequired
        help={t('encryption.folderHelp')}
        error={
          errorOf('directory') ?? (wasTried && directory.trim() === '' ? t('encryption.folderMissing') : undefined)
        }
      />
      <DriveChoice folder={directory} onChoose={setDirectory} />
      <NewPassphrase label={t('encryption.passphrase')} value={input} onChange={setInput} wasTried={wasTried} />
    </FormDialog>
  );
}
