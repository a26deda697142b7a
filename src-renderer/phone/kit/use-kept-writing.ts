/** Autosaves what is being written, so that another screen, a reload or a killed page does not lose it. */
import { useEffect, useRef, useState } from 'react';
import type { Writing, WritingPlace } from '../model.ts';
import { useActions } from './use-phone.ts';
import { WritingKeeper } from './writing-keeper.ts';

const PAUSE_IN_TYPING_MS = 600;
interface WritingOnScreen extends Writing {
  place: WritingPlace;
  /** It is being sent, which removes what was kept. */
  isSending: boolean;
  restore: (kept: Writing) => void;
}

/**
 * Restores what was kept when the screen appears, before what the subject has typed by then, and keeps each change after a short pause,
 * or at once when the page is hidden or the screen is left.
 */
export function useKeptWriting(onScreen: WritingOnScreen): void {
  const actions = useActions();
  const { place, body, kind, sensorSerial, pictures, isSending } = onScreen;
  const latest = useRef(onScreen);
  const [keeper] = useState(() => new WritingKeeper((writing) => actions.keepWriting(latest.current.place, writing)));
  useEffect(() => {
    latest.current = onScreen;
  });
  const save = useRef(() => {
    if (!latest.current.isSending) void keeper.save(latest.current);
  });

  useEffect(() => {
    let isGone = false;
    const begin = (found: Writing | undefined) => {
      if (latest.current.isSending) found = undefined;
      const shown = keeper.read(found, latest.current);
      // A screen that was left meanwhile keeps what was typed there.
      if (isGone) void keeper.save(shown ?? latest.current);
      else if (shown) latest.current.restore(shown);
    };
    actions.writing(place).then(begin, () => begin(undefined));
    const hidden = () => {
      if (document.visibilityState === 'hidden') save.current();
    };
    document.addEventListener('visibilitychange', hidden);
    const { current: saveNow } = save;
    return () => {
      isGone = true;
      document.removeEventListener('visibilitychange', hidden);
      saveNow();
    };
  }, [actions, place, keeper]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each change begins the pause again
  useEffect(() => {
    const timer = setTimeout(() => save.current(), PAUSE_IN_TYPING_MS);
    return () => clearTimeout(timer);
  }, [body, kind, sensorSerial, pictures, isSending]);
}
