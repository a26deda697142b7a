/** Whether the hash chain of the audit trail was intact when the whole site was last checked. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { usePermissions } from '../../shared/api/permissions.ts';
import { siteChecksQuery } from '../../shared/api/queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Pill } from '../../shared/kit/controls.tsx';
import styles from './history.module.css';

export function ChainState() {
  const { t, format } = useWords();
  const can = usePermissions();
  const checked = useQuery(siteChecksQuery())
    .data?.filter(({ state }) => state === 'done')
    .sort((a, b) => (b.finishedTs ?? 0) - (a.finishedTs ?? 0))[0];
  const audit = checked?.result?.audit as { isIntact?: boolean; message?: string } | undefined;
  return (
    <p className={styles.chain}>
      {audit?.isIntact === undefined ? (
        <Pill>{t('history.chainUnknown')}</Pill>
      ) : audit.isIntact ? (
        <Pill tone="good">{t('history.chainIntact', { time: format.moment(checked?.finishedTs ?? 0) })}</Pill>
      ) : (
        <Pill tone="bad">{t('history.chainBroken', { time: format.moment(checked?.finishedTs ?? 0) })}</Pill>
      )}
      <span>{t('history.chainHelp')}</span>
      {can('site.manage') && <Link to="/site">{t('history.check')}</Link>}
    </p>
  );
}
