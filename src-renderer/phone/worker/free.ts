/** Whether this page may be loaded again on its own: only where nothing is typed, and while no sensor is recorded. */

import { onNavigate } from '../kit/route.ts';

/** Screens to look at. */
const FREE = /^(#\/?((today|week|sensors|more|about|waiting|done)(\/.*)?)?)?$/;
let holds = 0;
let waiting: (() => void) | undefined;
let stopLooking = () => {};

export const isFree = (): boolean => holds === 0 && FREE.test(location.hash);

function look(): void {
  if (!waiting || !isFree()) return;
  const act = waiting;
  waiting = undefined;
  stopLooking();
  act();
}

/** Keeps the page as it is until the returned function is called. */
export function holdPage(): () => void {
  holds += 1;
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    holds -= 1;
    look();
  };
}

/** Calls it now, or once the page is free. */
export function whenFree(act: () => void): void {
  waiting = act;
  stopLooking();
  stopLooking = onNavigate(look);
  look();
}
