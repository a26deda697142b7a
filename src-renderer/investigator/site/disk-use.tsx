/** What fills the disk of the site, and what can be removed without loss. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { diskUseQuery } from '../../shared/api/site-queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Notice, QueryView } from '../../shared/kit/state.tsx';
import styles from './site.module.css';

/** Smaller parts make no difference. */
const SHOWN_BYTES = 1e6;

export function DiskUse() {
  const { t, format } = useWords();
  const use = useQuery(diskUseQuery());
  return (
    <QueryView query={use}>
      {({ neededBytes, neededForAllBytes, level, promisedBytes, emergencyBytes, othersBytes, parts }) => (
        <>
          {level === 'scarce' && (
            <Notice tone="warn">{t('diskUse.scarce', { size: format.bytes(neededForAllBytes) })}</Notice>
          )}
          {level === 'low' && <Notice tone="bad">{t('diskUse.full', { size: format.bytes(neededBytes) })}</Notice>}
          {level === 'emergency' && (
            <Notice tone="bad">
              {t('diskUse.emergency', { size: format.bytes(neededBytes), left: format.bytes(emergencyBytes) })}
            </Notice>
          )}
          <dl className={styles.facts}>
            {parts
              .filter(({ sizeBytes }, index) => index === 0 || sizeBytes >= SHOWN_BYTES)
              .map(({ part, sizeBytes }) => (
                <div key={part} className={styles.fact}>
                  <dt>{t(`diskUse.part.${part}`)}</dt>
                  <dd>
                    {format.bytes(sizeBytes)} <small className={styles.hint}>{t(`diskUse.advice.${part}`)}</small>
                  </dd>
                </div>
              ))}
            {othersBytes >= SHOWN_BYTES && (
              <div className={styles.fact}>
                <dt>{t('diskUse.others')}</dt>
                <dd>
                  {format.bytes(othersBytes)} <small className={styles.hint}>{t('diskUse.othersAdvice')}</small>
                </dd>
              </div>
            )}
            {promisedBytes >= SHOWN_BYTES && (
              <div className={styles.fact}>
                <dt>{t('diskUse.promised')}</dt>
                <dd>
                  {format.bytes(promisedBytes)} <small className={styles.hint}>{t('diskUse.promisedAdvice')}</small>
                </dd>
              </div>
            )}
          </dl>
          <p className={styles.hint}>
            {t('diskUse.help')} <Link to="/site/backups">{t('site.backups')}</Link>
          </p>
        </>
      )}
    </QueryView>
  );
}
