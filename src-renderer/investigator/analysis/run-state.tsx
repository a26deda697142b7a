/** The state of an analysis run in a word, and how far it is while it is computed. */
import type { AnalysisRun } from '../../../src-server/api/contract/index.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Pill, type Tone } from '../../shared/kit/controls.tsx';
import { ProgressBar } from '../../shared/kit/progress.tsx';
import styles from './analysis.module.css';

const TONES: Record<AnalysisRun['state'], Tone> = {
  RUNNING: 'info',
  READY: 'good',
  OUTDATED: 'warn',
  FAILED: 'bad',
  CANCELLED: 'neutral',
  ADOPTED: 'good',
  REPLACED: 'neutral',
};

export function RunState({ run }: { run: Pick<AnalysisRun, 'state' | 'counts'> }) {
  const { t } = useWords();
  const { state, counts } = run;
  if (state !== 'RUNNING') return <Pill tone={TONES[state]}>{t(`runs.runStates.${state}`)}</Pill>;
  const ended = counts.total - counts.open;
  const label = t('runs.progress', { done: ended, count: counts.total });
  return (
    <div className={styles.progress}>
      <span>{label}</span>
      <ProgressBar label={label} done={ended} total={counts.total} />
    </div>
  );
}
