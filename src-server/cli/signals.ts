/** Resolves on the first SIGTERM or SIGINT. A second one exits immediately. */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(1));
        resolve();
      });
    }
  });
}

/** Shorter than the 90 s after which systemd kills a service, so that the reason is in its log. */
const LONGEST_STOP_MS = 60_000;
const HELD_MS = 3000;

/**
 * Ends the process in any case: with exit code 1 when `close` does not end within a minute, and when something left behind, such as a
 * socket, would keep a process alive that has closed everything. All acknowledged data is on the disk by then.
 */
export async function endAfter(
  close: () => Promise<void>,
  {
    longestMs = LONGEST_STOP_MS,
    heldMs = HELD_MS,
    say = (text: string) => void process.stderr.write(`${text}\n`),
  } = {},
): Promise<void> {
  const held = () => process.getActiveResourcesInfo().join(', ');
  const late = setTimeout(() => {
    say(`Closing took longer than ${longestMs / 1000} s, so the program ends now. Open: ${held()}.`);
    process.exit(1);
  }, longestMs);
  await close();
  clearTimeout(late);
  // Does not keep the process alive itself: it fires only where something else does.
  setTimeout(() => {
    say(`Closed. Still open, and ended with the program: ${held()}.`);
    process.exit();
  }, heldMs).unref();
}
