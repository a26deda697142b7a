/** Dialogs of a folder that is encrypted: another passphrase, and the passphrase once for a site that does not know the key. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../../../shared/api/client.ts';
import { useWords } from '../../../../shared/i18n/i18n.ts';
import { PasswordField } from '../../../../shared/kit/controls.tsx';
import { FormDialog, useCheckedSubmit } from '../../../../shared/kit/form-dialog.tsx';
import { useRefreshBackups } from '../dialogs.tsx';
import { KeySheetDialog } from './key-sheet.tsx';
import { isUsable, NewPassphrase } from './new-passphrase.tsx';

export function PresentPassphrase({
  label,
  value,
  onChange,
  isMissing,
}: {
  label: string;
  value: string;
  onChange: (passphrase: string) => void;
  isMissing: boolean;
}) {
  const { t } = useWords();
  return (
    <PasswordField
      showLabel={t('encryption.show')}
      hideLabel={t('encryption.hide')}
      label={label}
      autoComplete="off"
      isRequired
      value={value}
      onChange={onChange}
      error={isMissing ? t('encryption.missing') : undefined}
    />
  );
}

export function ChangePassphraseDialog({
  directory,
  recipient,
  onClose,
}: {
  directory: string;
  recipient: string;
  onClose: () => void;
}) {
  const { t } = useWords();
  const [passphrase, setPassphrase] = useState('');
  const [input, setInput] = useState({ passphrase: '', again: '' });
  const change = useMutation({
    mutationFn: () =>
      client.call('changeBackupPassphrase', { body: { directory, passphrase, newPassphrase: input.passphrase } }),
  });
  const isValid = passphrase !== '' && isUsable(input);
  const { wasTried, onSubmit } = useCheckedSubmit(isValid, () => change.mutate());
  if (change.isSuccess) {
    return (
      <KeySheetDialog directory={directory} recipient={recipient} passphrase={input.passphrase} onClose={onClose} />
    );
  }
  return (
    <FormDialog
      title={t('encryption.change')}
      intro={t('encryption.changeIntro')}
      submitLabel={t('encryption.change')}
      mutation={change}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <PresentPassphrase
        label={t('encryption.present')}
        value={passphrase}
        onChange={setPassphrase}
        isMissing={wasTried && passphrase === ''}
      />
      <NewPassphrase label={t('encryption.new')} value={input} onChange={setInput} wasTried={wasTried} />
    </FormDialog>
  );
}

/** Asks for the passphrase of encrypted backups. */
export function PassphraseDialog({
  title,
  intro,
  mutation,
  onSubmit,
  onClose,
}: {
  title: string;
  intro: string;
  mutation: { isPending: boolean; error: Error | null };
  onSubmit: (passphrase: string) => void;
  onClose: () => void;
}) {
  const { t } = useWords();
  const [passphrase, setPassphrase] = useState('');
  const checked = useCheckedSubmit(passphrase !== '', () => onSubmit(passphrase));
  return (
    <FormDialog
      title={title}
      intro={intro}
      submitLabel={title}
      mutation={mutation}
      onSubmit={checked.onSubmit}
      onClose={onClose}
    >
      <PresentPassphrase
        label={t('encryption.passphrase')}
        value={passphrase}
        onChange={setPassphrase}
        isMissing={checked.wasTried && passphrase === ''}
      />
    </FormDialog>
  );
}

export function LearnKeyDialog({ directory, onClose }: { directory: string; onClose: () => void }) {
  const { t } = useWords();
  const refresh = useRefreshBackups();
  const learn = useMutation({
    mutationFn: (passphrase: string) => client.call('encryptBackups', { body: { directory, passphrase } }),
    onSuccess: () => {
      refresh();
      onClose();
    },
  });
  return (
    <PassphraseDialog
      title={t('encryption.enter')}
      intro={t('encryption.enterIntro')}
      mutation={learn}
      onSubmit={(passphrase) => learn.mutate(passphrase)}
      onClose={onClose}
    />
  );
}
