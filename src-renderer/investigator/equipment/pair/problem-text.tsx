import { useWords } from '../../../shared/i18n/i18n.ts';

/** Why a device that called was not let in, and what to do so that it is the next time. */
export function ProblemText({ code, clockDifferenceMs }: { code: string; clockDifferenceMs: number | undefined }) {
  const { t, format } = useWords();
  const duration = format.duration(Math.abs(clockDifferenceMs ?? 0) / 1000);
  return <p>{code === 'PAIRING_CLOCK' ? t('pairing.clock', { duration }) : t('pairing.problem', { code })}</p>;
}
