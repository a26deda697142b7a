import type { StudyDetail } from '../../../../src-server/api/contract/index.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { FactPanel } from '../../../shared/kit/page.tsx';
import { usePlacement } from '../../recordings/sensor-words.ts';
import styles from './overview.module.css';

/** Activities, surveys, sensor placements and program of a study, one line each. */
export function StudyFacts({ study }: { study: StudyDetail }) {
  const { t, format } = useWords();
  const placement = usePlacement();
  const named = (names: string[]) => (names.length > 0 ? format.list(names) : t('study.none'));
  const facts: [string, string][] = [
    [t('study.activities'), named(study.activities.map((activity) => activity.displayName))],
    [t('study.diaries'), named(study.diaries.map((diary) => diary.displayName))],
    [t('study.placements'), named(study.deviceConfigs.map((config) => placement(config.physicalConfig)))],
    [
      t('study.program'),
      study.program.tasks.length > 0 ? t('study.programDays', { count: study.program.days }) : t('study.none'),
    ],
  ];
  return <FactPanel label={t('study.facts')} className={styles.facts} facts={facts} />;
}
