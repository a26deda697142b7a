/** Whether the backups of the schedule are encrypted, and what can be done about it. */
import { lazy, Suspense, useState } from 'react';
import type { BackupStatus } from '../../../../../src-server/api/contract/index.ts';
import { useWords } from '../../../../shared/i18n/i18n.ts';
import { Button } from '../../../../shared/kit/controls.tsx';
import { Notice } from '../../../../shared/kit/state.tsx';
import styles from '../../site.module.css';

const EncryptDialog = lazy(async () => ({ default: (await import('./encrypt-dialog.tsx')).EncryptDialog }));
const ChangePassphraseDialog = lazy(async () => ({
  default: (await import('./key-dialogs.tsx')).ChangePassphraseDialog,
}));
const LearnKeyDialog = lazy(async () => ({ default: (await import('./key-dialogs.tsx')).LearnKeyDialog }));
const KeySheetDialog = lazy(async () => ({ default: (await import('./key-sheet.tsx')).KeySheetDialog }));

type Open = 'encrypt' | 'change' | 'learn' | 'sheet';

/** An encrypted folder begins empty, so it is not the one that has the backups. */
function emptyFolderBeside(directory: string, isOfSite: boolean): string {
  if (isOfSite) return '';
  const separator = directory.includes('\\') ? '\\' : '/';
  return `${directory}${directory.endsWith(separator) ? '' : separator}encrypted`;
}

export function Encryption({ status, isOfSite }: { status: BackupStatus; isOfSite: boolean }) {
  const { t } = useWords();
  const [open, setOpen] = useState<Open | null>(null);
  const { directory, encryption } = status;
  const close = () => setOpen(null);
  const isReady = encryption?.state === 'ready';
  const problem = encryption && encryption.state !== 'ready' ? encryption.state : undefined;
  return (
    <>
      {problem && <Notice tone="warn">{t(`encryption.state.${problem}`)}</Notice>}
      <div className={styles.actions}>
        {encryption?.state === 'key-unknown' && (
          <Button small onPress={() => setOpen('learn')}>
            {t('encryption.enter')}
          </Button>
        )}
        {isReady && (
          <>
            <Button small onPress={() => setOpen('change')}>
              {t('encryption.change')}
            </Button>
            <Button small onPress={() => setOpen('sheet')}>
              {t('encryption.sheet')}
            </Button>
          </>
        )}
        {(!encryption || encryption.state === 'other-folder') && (
          <Button small icon="shield" onPress={() => setOpen('encrypt')}>
            {t('encryption.title')}
          </Button>
        )}
      </div>
      <Suspense>
        {open === 'encrypt' && (
          <EncryptDialog suggestedFolder={emptyFolderBeside(directory, isOfSite)} onClose={close} />
        )}
        {open === 'learn' && <LearnKeyDialog directory={directory} onClose={close} />}
        {open === 'change' && encryption && (
          <ChangePassphraseDialog directory={directory} recipient={encryption.recipient} onClose={close} />
        )}
        {open === 'sheet' && encryption && (
          <KeySheetDialog directory={directory} recipient={encryption.recipient} onClose={close} />
        )}
      </Suspense>
    </>
  );
}
