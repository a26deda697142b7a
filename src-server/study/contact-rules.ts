/** How often a piece of equipment should be heard of. What nobody waits for is never late. */
import { DAY_MS } from '../durations.ts';
import type { LifecycleState } from './lifecycle.ts';
import type { Program } from './program.ts';

/** A device calls at least every 15 minutes while it has a network; four calls missed are no accident. */
const STANDING_MS = 3_600_000;

/** Days between tasks at most, at least one; a program without tasks asks nothing. */
function longestPauseDays({ days, tasks }: Program): number | undefined {
  if (tasks.length === 0) return undefined;
  if (tasks.some((task) => task.days === 'daily')) return 1;
  const due = [...new Set(tasks.flatMap((task) => (task.days === 'daily' ? [] : task.days)))].sort((a, b) => a - b);
  const ends = [...due, days];
  return Math.max(1, ...due.map((day, index) => (ends[index + 1] ?? day) - day));
}

/**
 * Time within which it should be heard of, ms; undefined when nothing is expected of it: nobody holds it, or the study of
 * its holder does not run. Sensors and hubs have data every day; a phone has when its study's program has tasks.
 * @param isPaired it can call by itself: a hub that stands in the clinic does, held or not
 */
export function expectedContactEveryMs(
  equipment: { type: 'LINK_HUB' | 'LINK_PHONE' | 'SENSOR'; isPaired: boolean },
  study: { lifecycleState: LifecycleState; program: Program | null } | undefined,
): number | undefined {
  if (!study) return equipment.isPaired && equipment.type === 'LINK_HUB' ? STANDING_MS : undefined;
  if (study.lifecycleState !== 'IN_PROGRESS') return undefined;
  if (equipment.type !== 'LINK_PHONE') return DAY_MS;
  const pauseDays = study.program ? longestPauseDays(study.program) : undefined;
  return (pauseDays ?? 1) * DAY_MS;
}
