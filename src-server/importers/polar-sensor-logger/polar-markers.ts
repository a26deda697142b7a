/** MARKER files of Polar Sensor Logger: starts and stops that the person pressed. */
import { throwIfAborted } from '../refusals.ts';
import type { TextFile } from '../text/text-file.ts';
import { textLines } from '../text/text-lines.ts';
import { wallClockOf } from '../text/wall-clock.ts';
import type { ImportedLabel } from '../types.ts';

const MAX_LABELS = 100_000;

/**
 * Labels in local time as if it were UTC. A repeated stop says nothing; a start without a stop is a moment.
 *
 * @param separator byte between cells
 */
export async function readMarkers(
  file: TextFile,
  separator: number,
  signal: AbortSignal | undefined,
): Promise<ImportedLabel[]> {
  const labels: ImportedLabel[] = [];
  let openUs: number | null = null;
  const push = (startUs: number, stopUs: number): void => {
    if (labels.length < MAX_LABELS) labels.push({ startUs, stopUs, displayName: 'Marker' });
  };
  for await (const line of textLines(file.rows())) {
    throwIfAborted(signal);
    const [time = '', what = ''] = line.split(String.fromCharCode(separator));
    const timeUs = wallClockOf(time);
    if (Number.isNaN(timeUs)) continue;
    if (/start/i.test(what)) {
      if (openUs !== null) push(openUs, openUs);
      openUs = timeUs;
    } else if (/stop/i.test(what) && openUs !== null) {
      push(openUs, Math.max(openUs, timeUs));
      openUs = null;
    }
  }
  if (openUs !== null) push(openUs, openUs);
  return labels;
}
