/** Since when the audit trail is signed outside of the database, and what its last comparison with the signed copies found. */
import { useQuery } from '@tanstack/react-query';
import { siteQuery } from '../../shared/api/queries.ts';
import { useDiagnosticTexts } from '../../shared/i18n/diagnostic-text.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Notice } from '../../shared/kit/state.tsx';
import styles from './history.module.css';

export function AnchorState() {
  const { t, format } = useWords();
  const textsOf = useDiagnosticTexts();
  const audit = useQuery(siteQuery()).data?.audit;
  if (!audit) return null;
  const { compared, continued } = audit;
  const problems = compared?.problems ?? [];
  return (
    <>
      <p className={styles.chain}>
        <span>
          {t('history.anchoredSince', {
            time: format.moment(audit.anchoredSinceTs),
            sequence: format.number(audit.anchoredSinceSequence),
          })}
        </span>
        <span>
          {compared
            ? t('history.comparedWith', {
                time: format.moment(compared.comparedTs),
                count: compared.countBackups,
                exports: format.number(compared.countExports),
              })
            : t('history.neverCompared')}
        </span>
        {continued && (
          <span>
            {t('history.continuedFrom', {
              time: format.moment(continued.timeTs),
              backup: format.moment(continued.backupTs),
              sequence: format.number(continued.sequence),
            })}{' '}
            {continued.isNewKey && t('history.continuedNewKey')}
          </span>
        )}
      </p>
      {problems.length > 0 && (
        <Notice tone="bad">
          <p>{t('history.contradicted')}</p>
          <ul>
            {textsOf(problems).map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </Notice>
      )}
    </>
  );
}
