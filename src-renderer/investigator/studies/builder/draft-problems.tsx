/** Why a draft cannot be saved yet; each problem links to its place. */
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Button } from '../../../shared/kit/controls.tsx';
import { Notice } from '../../../shared/kit/state.tsx';
import styles from './builder.module.css';
import type { DraftProblem } from './problems.ts';

export function DraftProblems({
  problems,
  onGo,
}: {
  problems: readonly DraftProblem[];
  onGo: (problem: DraftProblem) => void;
}) {
  const { t } = useWords();
  return (
    <Notice tone="bad">
      <p>{t('builder.notSaved', { count: problems.length })}</p>
      <ul className={styles.problems}>
        {problems.map((problem) => (
          <li key={`${problem.path} ${problem.word}`}>
            <Button small kind="quiet" onPress={() => onGo(problem)}>
              {t('builder.problemAt', {
                part: t(`builder.parts.${problem.part}`),
                name: problem.name || t('builder.unnamed'),
              })}
            </Button>{' '}
            {t(`builder.problem.${problem.word}`)}
          </li>
        ))}
      </ul>
    </Notice>
  );
}
