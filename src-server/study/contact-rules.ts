/** How often equipment is expected to make contact. Equipment from which no data is expected is never overdue. */
import { DAY_MS, HOUR_MS } from '../durations.ts';
import type { LifecycleState } from './lifecycle.ts';
import type { Program } from './program.ts';

/** A device calls at least every 15 minutes while it has a network; four missed calls are not a coincidence. */
const STANDING_MS = HOUR_MS;

/** The longest pause between tasks in days, at least one; undefined for a program without tasks. */
function longestPauseDays({ days, tasks }: Program): number | undefined {
  if (tasks.length === 0) return undefined;
  if (tasks.some((task) => task.days === 'daily')) return 1;
  const due = [...new Set(tasks.flatMap((task) => (task.days === 'daily' ? [] : task.days)))].sort((a, b) => a - b);
  const ends = [...due, days];
  return Math.max(1, ...due.map((day, index) => (ends[index + 1] ?? day) - day));
}

/**
 * Returns the time within which equipment should make contact, ms; undefined when none is expected because no subject holds it or
 * the holder's study is not running. Sensors and hubs have data every day, a phone when its study's program has tasks.
 * @param equipment `isPaired`: it can call the site; a paired hub in the clinic is expected to, held or not
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
