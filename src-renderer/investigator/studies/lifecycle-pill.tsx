import type { Study } from '../../../src-server/api/contract/index.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Pill, type Tone } from '../../shared/kit/controls.tsx';

const TONES: Record<Study['lifecycleState'], Tone> = { INITIALIZED: 'neutral', IN_PROGRESS: 'good', COMPLETE: 'info' };

export function LifecyclePill({ study }: { study: Pick<Study, 'lifecycleState' | 'isArchived' | 'lockedTs'> }) {
  const { t } = useWords();
  if (study.isArchived) return <Pill>{t('studies.archived')}</Pill>;
  const state = <Pill tone={TONES[study.lifecycleState]}>{t(`studies.lifecycle.${study.lifecycleState}`)}</Pill>;
  if (study.lockedTs === undefined) return state;
  return (
    <>
      {state} <Pill tone="info">{t('studies.locked')}</Pill>
    </>
  );
}
