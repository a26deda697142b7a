/** Says at a survey which questionnaires of the library it is scored as. */
import { useQuery } from '@tanstack/react-query';
import { questionnairesQuery } from '../../../../shared/api/questionnaire-queries.ts';
import { useWords } from '../../../../shared/i18n/i18n.ts';
import { Notice } from '../../../../shared/kit/state.tsx';
import styles from '../builder.module.css';
import type { Question } from '../draft.ts';
import { QuestionnaireFacts } from './questionnaire-facts.tsx';
import { recognised } from './recognised.ts';

export function RecognisedNotice({ questions }: { questions: readonly Question[] }) {
  const { t } = useWords();
  const library = useQuery(questionnairesQuery());
  const { scored, changed } = recognised(questions, library.data ?? []);
  return (
    <>
      {scored.map((one) => (
        <details key={one.id} className={styles.details}>
          <summary>{t('builder.library.isScored', { name: one.name })}</summary>
          <div>
            <p>{t('builder.library.isScoredHelp')}</p>
            <QuestionnaireFacts questionnaire={one} />
          </div>
        </details>
      ))}
      {changed.map((one) => (
        <Notice key={one.id} tone="warn">
          {t('builder.library.isChanged', { name: one.name })}
        </Notice>
      ))}
    </>
  );
}
