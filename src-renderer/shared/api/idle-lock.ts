/** Locks the desk when nobody has used it for a while: in a browser by the input of the page, in the desktop program by the whole computer. */
import type { DesktopProgram } from '../desktop.ts';
import { noteUse, wasUnused } from './last-use.ts';

const INPUT = ['pointermove', 'pointerdown', 'keydown', 'wheel', 'touchstart', 'visibilitychange'] as const;
/** How often the time is looked at. A tab in the background is woken once a minute at most. */
const LOOK_EVERY_MS = 5_000;
/** Pointers move many times a second; other tabs need to know only roughly. */
const NOTE_EVERY_MS = 2_000;

/** Calls `onIdle` when no tab was used for `limitMs`. Returns a function that stops it. */
export function followInput(limitMs: number, onIdle: () => void): () => void {
  let notedMs = Number.NEGATIVE_INFINITY;
  const look = () => {
    if (wasUnused()) onIdle();
  };
  const onInput = () => {
    // The first movement after a night must not count as use before the time was looked at.
    if (wasUnused()) return onIdle();
    // A clock that was set back must not end the notes.
    if (document.visibilityState === 'hidden' || Math.abs(Date.now() - notedMs) < NOTE_EVERY_MS) return;
    notedMs = Date.now();
    noteUse(limitMs);
  };
  noteUse(limitMs);
  const listening = new AbortController();
  const options = { capture: true, passive: true, signal: listening.signal };
  for (const name of INPUT) document.addEventListener(name, onInput, options);
  const timer = setInterval(look, LOOK_EVERY_MS);
  return () => {
    listening.abort();
    clearInterval(timer);
  };
}

/** Calls `onIdle` when the program says so. Returns a function that stops it. */
export function followProgram(program: DesktopProgram, limitMs: number | null, onIdle: () => void): () => void {
  let isLeaving = false;
  const follow = async () => {
    while (!isLeaving) {
      const isDue = await program.nextLock(limitMs);
      if (isLeaving || !isDue) continue;
      onIdle();
      return;
    }
  };
  // The program ends, and this page with it.
  follow().catch(() => undefined);
  return () => {
    isLeaving = true;
  };
}
