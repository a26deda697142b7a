/** Sends the reminders of visits when they are due. Those of a time when the site was closed are sent after the next start, while the visit is still to come. */
import type { Store } from '../services/index.ts';

const CHECK_INTERVAL_MS = 60_000;

/** Checks every minute. Returns a function that stops it, which resolves once nothing is being sent. */
export function startVisitReminders(
  { participation }: Pick<Store, 'participation'>,
  onProblem: (error: unknown) => void,
): () => Promise<void> {
  let sending: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    sending = sending.then(() => participation.remind(onProblem)).catch(onProblem);
  }, CHECK_INTERVAL_MS);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await sending;
  };
}
