/** Sentences for codes of sensors, of the upload and of the site. */
import { hasText, useWords } from '../../shared/i18n/i18n.ts';
import type { record } from '../../shared/locales/en/record.ts';

type Live = (typeof record)['live'];

/** Words of what this page shows of a code; those that it does not know are shown with the code. */
export function useCodeWords() {
  const { t } = useWords();
  const known = <Group extends 'problems' | 'delays' | 'refusals'>(group: Group, code: string) =>
    (hasText(`live.${group}.${code}`) ? code : 'other') as keyof Live[Group] & string;
  return {
    problem: (code: string) => t(`live.problems.${known('problems', code)}`, { code }),
    delay: (code: string) => t(`live.delays.${known('delays', code)}`, { code }),
    refusal: (code: string) => t(`live.refusals.${known('refusals', code)}`, { code }),
  };
}
