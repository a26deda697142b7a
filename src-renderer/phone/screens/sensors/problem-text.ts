import type { Words } from '../../words/words.ts';

/** The sentence for a failure of the sensor, the link or the browser's chooser. */
export function problemText({ t, has }: Words, code: string): string {
  const key = `record.problems.${code}`;
  return has(key) ? t(key) : t('record.problems.other');
}
