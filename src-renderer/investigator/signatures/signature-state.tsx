/** Whether a signed record is still what was signed. */
import type { Signature } from '../../../src-server/api/contract/index.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Pill } from '../../shared/kit/controls.tsx';

const TONES = { current: 'good', changed: 'warn', gone: 'bad' } as const;

export function SignatureState({ signature: { state, kind } }: { signature: Pick<Signature, 'state' | 'kind'> }) {
  const { t } = useWords();
  if (kind === 'study-lock' && state !== 'current') return <Pill>{t('signatures.unlockedSince')}</Pill>;
  return <Pill tone={TONES[state]}>{t(`signatures.state.${state}`)}</Pill>;
}
