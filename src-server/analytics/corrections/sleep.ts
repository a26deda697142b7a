/** Sleep as a person says, over what was detected. */
import type { MotionSpan } from '../motion/index.ts';
import { markPosture, type SleepResult } from '../sleep/detect.ts';
import type { Span } from '../types.ts';

export interface SleepEdit extends Span {
  isAsleep: boolean;
}

const overlaps = (a: { onsetMs: number; wakeMs: number }, { startMs, stopMs }: Span): boolean =>
  a.onsetMs < stopMs && a.wakeMs > startMs;

/**
 * Applies edits in order. "Asleep" makes the span one sleep period in place of those that it touches: what is new of it is asleep, and
 * what was awake within them stays awake. "Awake" takes its seconds out of the sleep and trims periods that begin or end in it.
 *
 * @param sleep changed in place
 * @param startSecond of row 0
 */
export function correctSleep(
  sleep: SleepResult,
  motion: Pick<MotionSpan, 'count' | 'lyingRollDegrees' | 'recorded'>,
  startSecond: number,
  edits: readonly SleepEdit[],
): void {
  const { asleep, sleepingPosture } = sleep;
  const rowOf = (ms: number): number => Math.min(asleep.length, Math.max(0, Math.round(ms / 1000) - startSecond));
  const wake = (startMs: number, stopMs: number): void => {
    if (stopMs <= startMs) return;
    asleep.fill(0, rowOf(startMs), rowOf(stopMs));
    sleepingPosture.fill(0, rowOf(startMs), rowOf(stopMs));
  };
  for (const edit of edits) {
    const touched = sleep.periods.filter((period) => overlaps(period, edit));
    const others = sleep.periods.filter((period) => !touched.includes(period));
    if (edit.isAsleep) {
      const fresh = new Uint8Array(asleep.length);
      for (let row = rowOf(edit.startMs); row < rowOf(edit.stopMs); row++) fresh[row] = motion.recorded[row]!;
      for (const { onsetMs, wakeMs } of touched) {
        fresh.fill(0, rowOf(onsetMs), rowOf(wakeMs));
        wake(onsetMs, edit.startMs);
        wake(edit.stopMs, wakeMs);
      }
      const posture = new Uint8Array(asleep.length);
      markPosture(motion, { asleep: fresh, sleepingPosture: posture, periods: [] });
      for (let row = 0; row < fresh.length; row++) {
        if (fresh[row] !== 1) continue;
        asleep[row] = 1;
        sleepingPosture[row] = posture[row]!;
      }
      sleep.periods = [...others, { onsetMs: edit.startMs, wakeMs: edit.stopMs }];
      continue;
    }
    wake(edit.startMs, edit.stopMs);
    const trimmed = touched.flatMap(({ onsetMs, wakeMs }) => {
      const begins = onsetMs >= edit.startMs;
      const ends = wakeMs <= edit.stopMs;
      if (begins && ends) return [];
      return [{ onsetMs: begins ? edit.stopMs : onsetMs, wakeMs: ends ? edit.startMs : wakeMs }];
    });
    sleep.periods = [...others, ...trimmed];
  }
  sleep.periods.sort((a, b) => a.onsetMs - b.onsetMs);
}
