/**
 * The sheet of paper for the safe: which backups, which key, how to restore, and the passphrase, printed or written by hand. Only on
 * paper; it leaves the page as soon as the dialog closes.
 */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { createPortal } from 'react-dom';
import { siteQuery } from '../../../../shared/api/queries.ts';
import { useWords } from '../../../../shared/i18n/i18n.ts';
import { Button } from '../../../../shared/kit/controls.tsx';
import { InfoDialog } from '../../../../shared/kit/form-dialog.tsx';
import { Checkbox } from '../../../../shared/kit/forms.tsx';
import { Notice } from '../../../../shared/kit/state.tsx';
import styles from './encryption.module.css';

const LINES = [1, 2];
const STEPS = ['sheetInstall', 'sheetRecover', 'sheetCommand', 'sheetAge'] as const;

export function KeySheetDialog({
  directory,
  recipient,
  passphrase,
  onClose,
}: {
  directory: string;
  recipient: string;
  /** Known only right after it was typed. */
  passphrase?: string;
  onClose: () => void;
}) {
  const { t, format } = useWords();
  const site = useQuery(siteQuery()).data;
  const [isPrinted, setPrinted] = useState(false);
  return (
    <InfoDialog title={t(passphrase === undefined ? 'encryption.sheet' : 'encryption.doneTitle')} onClose={onClose}>
      {passphrase !== undefined && <Notice tone="good">{t('encryption.done', { directory })}</Notice>}
      <p>{t('encryption.sheetHelp')}</p>
      {passphrase !== undefined && (
        <Checkbox
          label={t('encryption.printPassphrase')}
          help={t('encryption.printPassphraseHelp')}
          isSelected={isPrinted}
          onChange={setPrinted}
        />
      )}
      <div>
        <Button icon="download" onPress={() => window.print()}>
          {t('encryption.printSheet')}
        </Button>
      </div>
      {createPortal(
        <div className={styles.keySheet} data-testid="key-sheet">
          <h1>{t('encryption.sheetTitle')}</h1>
          <dl>
            <dt>{t('site.name')}</dt>
            <dd>{site?.displayName}</dd>
            <dt>{t('backups.folder')}</dt>
            <dd>{directory}</dd>
            <dt>{t('encryption.publicKey')}</dt>
            <dd className={styles.key}>{recipient}</dd>
            <dt>{t('encryption.printed')}</dt>
            <dd>{format.moment(Date.now())}</dd>
          </dl>
          <div className={styles.secret}>
            {t('encryption.passphrase')}
            {isPrinted && passphrase !== undefined ? (
              <strong>{passphrase}</strong>
            ) : (
              LINES.map((line) => <span key={line} className={styles.line} />)
            )}
          </div>
          <p>{t('encryption.sheetWarning')}</p>
          <h2>{t('encryption.sheetRestore')}</h2>
          <ol>
            {STEPS.map((step) => (
              <li key={step}>{t(`encryption.${step}`)}</li>
            ))}
          </ol>
        </div>,
        document.body,
      )}
    </InfoDialog>
  );
}
