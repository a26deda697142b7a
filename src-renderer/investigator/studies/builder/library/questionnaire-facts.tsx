/** How a questionnaire is scored, and what its licence and its publication are. */
import type { Questionnaire } from '../../../../../src-server/api/contract/index.ts';
import { useWords } from '../../../../shared/i18n/i18n.ts';
import { Notice } from '../../../../shared/kit/state.tsx';
import styles from '../builder.module.css';

export function QuestionnaireFacts({ questionnaire }: { questionnaire: Questionnaire }) {
  const { t, format } = useWords();
  const { min, max, mostMissing, licence, source, caution, questions } = questionnaire;
  return (
    <>
      {caution && (
        <Notice tone="warn">
          <span lang="en">{caution}</span>
        </Notice>
      )}
      <dl className={styles.facts}>
        <dt>{t('builder.library.score')}</dt>
        <dd>
          {t('builder.library.range', {
            min: format.number(min),
            max: format.number(max),
            count: questions.filter(({ points }) => points).length,
          })}{' '}
          {mostMissing > 0 ? t('builder.library.missing', { count: mostMissing }) : t('builder.library.noneMissing')}
        </dd>
        <dt>{t('builder.library.licence')}</dt>
        <dd lang="en">{licence}</dd>
        <dt>{t('builder.library.source')}</dt>
        <dd lang="en">{source}</dd>
      </dl>
    </>
  );
}
