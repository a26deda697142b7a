/** What a recovery found and did, in sentences for the failure page. */
import type { BackupSearch } from '../../src-server/site/recovery/newest-good.ts';
import type { Recovered } from '../../src-server/site/recovery/recover.ts';
import type { RecoveryAnswer } from '../desktop-api.ts';
import { recoveryWords } from './recovery-words.ts';
import type { PageLanguage } from './words.ts';

const timeText = (ms: number, language: PageLanguage): string =>
  new Intl.DateTimeFormat(language, { dateStyle: 'full', timeStyle: 'short' }).format(ms);

const sizeText = (bytes: number, language: PageLanguage): string => {
  const [unit, divisor] = bytes >= 1e9 ? (['gigabyte', 1e9] as const) : (['megabyte', 1e6] as const);
  const format = { style: 'unit', unit, maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(language, format).format(Math.max(bytes / divisor, 0.1));
};

export function searchAnswer(
  { good, rejected, locked, places }: BackupSearch,
  holdsRecordings: boolean,
  language: PageLanguage,
): RecoveryAnswer {
  const words = recoveryWords[language];
  const notes = places.flatMap(({ path, isThere }) => (isThere ? [] : [words.notThere(path)]));
  for (const { path, createdTs, message } of rejected) {
    notes.push(words.rejected(createdTs === undefined ? path : timeText(createdTs, language), message));
  }
  const lock = locked.length > 0 && { locked: words.locked(locked.join(', ')) };
  if (!good) return { kind: 'none', notes, canRebuild: holdsRecordings, ...lock };
  const facts: [string, string][] = [
    [words.made, timeText(good.createdTs, language)],
    [words.holds, words.content(good.countRecordings, sizeText(good.sizeBytes, language))],
    [words.state, good.lacking.length === 0 ? words.whole : words.lacking(good.lacking.length)],
    [words.place, good.path],
  ];
  return { kind: 'found', facts, notes, canRebuild: holdsRecordings, ...lock };
}

export function recoveredSentences(
  { damagedDir, dir, adopted, restored }: Recovered & { restored?: { createdTs: number; lost: readonly unknown[] } },
  language: PageLanguage,
): string[] {
  const words = recoveryWords[language];
  const sentences = [restored ? words.restored(timeText(restored.createdTs, language)) : words.rebuilt];
  if (adopted.added > 0) sentences.push(words.added(adopted.added, adopted.unassigned));
  if (adopted.filesReturned > 0) sentences.push(words.filesReturned(adopted.filesReturned));
  if (adopted.partial.length > 0) sentences.push(words.partial(adopted.partial.length));
  if (adopted.unreadable.length > 0) sentences.push(words.unreadable(adopted.unreadable.length));
  if (restored && restored.lost.length > 0) sentences.push(words.lost(restored.lost.length));
  if (!restored) sentences.push(words.lostByRebuild);
  sentences.push(words.kept(damagedDir));
  if (dir !== damagedDir) sentences.push(words.siteIn(dir));
  return sentences;
}
