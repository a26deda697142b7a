import { useEffect, useRef, useState } from 'react';
import { SECOND_MS } from '../../../src-server/durations.ts';

const EVERY_MS = 5 * SECOND_MS;
/** A status is announced when its text changes, so it is in the document before its first text. */
const FIRST_MS = 150;

/** Returns how long a text waits, so that a long run does not speak all the time. */
export const announceDelayMs = (sinceLastMs: number, isEnd: boolean): number =>
  isEnd ? FIRST_MS : Math.max(FIRST_MS, EVERY_MS - sinceLastMs);

/** Announces the progress of a run to screen readers: its beginning, its end, and at most every few seconds in between. */
export function Announced({ text, isEnd }: { text: string; isEnd: boolean }) {
  const [said, setSaid] = useState('');
  const lastMs = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    const timer = setTimeout(
      () => {
        // An empty text, before the run, does not delay its beginning.
        if (text !== '') lastMs.current = performance.now();
        setSaid(text);
      },
      announceDelayMs(performance.now() - lastMs.current, isEnd),
    );
    return () => clearTimeout(timer);
  }, [text, isEnd]);
  return (
    <span role="status" className="visually-hidden">
      {said}
    </span>
  );
}
