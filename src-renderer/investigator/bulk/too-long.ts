import { useWords } from '../../shared/i18n/i18n.ts';

/** Returns what is wrong with a text that the site would refuse for its length, once for each row. */
export function useTooLong(text: string, longest: number): string | undefined {
  const { t, format } = useWords();
  return text.length > longest ? t('bulk.tooLong', { most: format.number(longest) }) : undefined;
}
