/** Annotations of the Movesense app: moments with a type and a text, as labels; pauses explain gaps in the signals. */
import { throwIfAborted } from '../refusals.ts';
import type { TextFile } from '../text/text-file.ts';
import { textLines } from '../text/text-lines.ts';
import type { ImportedLabel } from '../types.ts';

const MAX_LABELS = 100_000;

export interface Pause {
  fromUs: number;
  toUs: number;
}

export async function movesenseAnnotations(
  file: TextFile,
  notes: string[],
  signal: AbortSignal | undefined,
): Promise<{ labels: ImportedLabel[]; pauses: Pause[]; startsUs: number[] }> {
  const labels: ImportedLabel[] = [];
  const pauses: Pause[] = [];
  const startsUs: number[] = [];
  let pausedUs: number | null = null;
  let broken = 0;
  for await (const line of textLines(file.rows())) {
    throwIfAborted(signal);
    if (line.trim() === '') continue;
    const [time = '', type = '', ...content] = line.split(',');
    const timeUs = microsecondsOf(time.trim());
    if (timeUs === null || type.trim() === '') {
      broken++;
      continue;
    }
    if (/^recordingstart$/i.test(type)) startsUs.push(timeUs);
    if (/^recordingpause$/i.test(type)) pausedUs ??= timeUs;
    if (/^recording(?:resume|stop)$/i.test(type) && pausedUs !== null) {
      pauses.push({ fromUs: pausedUs, toUs: timeUs });
      pausedUs = null;
    }
    if (labels.length === MAX_LABELS) continue;
    const value = content
      .join(',')
      .trim()
      .replace(/^"(.*)"$/, '$1');
    labels.push({
      startUs: timeUs,
      stopUs: timeUs,
      displayName: nameOf(type.trim()),
      ...(value === '' ? {} : { value }),
    });
  }
  if (broken > 0) notes.push(`${file.name}: ${broken} lines are no annotations and were left out.`);
  return { labels, pauses, startsUs };
}

/** `VideoAnnotationStart` -> `Video annotation start`; what a person typed stays. */
function nameOf(type: string): string {
  if (!/^(?:[A-Z][a-z]+)+$/.test(type)) return type;
  const words = type.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
  return words[0]!.toUpperCase() + words.slice(1);
}

/** Seconds since 1970 with up to ten decimals, of which a double would lose the last. */
function microsecondsOf(text: string): number | null {
  const [, seconds, fraction = ''] = /^(\d{9,11})(?:\.(\d{1,12}))?$/.exec(text) ?? [];
  if (seconds === undefined) return null;
  return Number(seconds) * 1e6 + Math.round(Number(`0.${fraction || '0'}`) * 1e6);
}
