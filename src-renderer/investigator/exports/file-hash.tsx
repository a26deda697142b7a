/** The SHA-256 of an export file, for checking any copy of it. */
import { useState } from 'react';
import { useWords } from '../../shared/i18n/i18n.ts';
import { IconButton } from '../../shared/kit/controls.tsx';
import styles from './exports.module.css';

export function Hash({ sha256 }: { sha256: string }) {
  const { t } = useWords();
  return (
    <small className={styles.hash} title={`${sha256}\n${t('exports.hashHelp')}`}>
      {t('exports.hash', { start: sha256.slice(0, 8) })}
    </small>
  );
}

export function CopyHash({ sha256, name }: { sha256: string; name: string }) {
  const { t } = useWords();
  const [isCopied, setCopied] = useState(false);
  return (
    <>
      <IconButton
        small
        kind="quiet"
        icon={isCopied ? 'check' : 'copy'}
        label={t('exports.copyHash', { name })}
        onPress={() => {
          navigator.clipboard?.writeText(sha256).then(
            () => setCopied(true),
            () => setCopied(false),
          );
        }}
      />
      <span role="status" className="visually-hidden">
        {isCopied ? `${t('exports.hashCopied')} ${t('exports.hashHelp')}` : ''}
      </span>
    </>
  );
}
