import { useWords } from '../../shared/i18n/i18n.ts';
import { CopyTextButton } from '../../shared/kit/controls.tsx';
import { Notice } from '../../shared/kit/state.tsx';
import styles from './access.module.css';

/** Recovery codes, which are shown once. */
export function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  const { t } = useWords();
  return (
    <div className={styles.stack}>
      <p>{t('secondFactor.codesHelp')}</p>
      <ul className={styles.codes} aria-label={t('secondFactor.codesTitle')}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <p>
        <CopyTextButton
          label={t('secondFactor.copy')}
          copiedText={t('secondFactor.copied')}
          text={() => codes.join('\n')}
        />
      </p>
      <Notice tone="warn">{t('secondFactor.codesOnce')}</Notice>
    </div>
  );
}
