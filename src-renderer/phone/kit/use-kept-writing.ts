/** Autosaves what is being written, so that another screen, a reload or a killed page does not lose it. */
import { useEffect, useRef } from 'react';
import type { Writing, WritingPlace } from '../model.ts';
import { useActions } from './use-phone.ts';

const PAUSE_IN_TYPING_MS = 600;
const NOTHING: Writing = { body: '', pictures: [] };

interface WritingOnScreen extends Writing {
  place: WritingPlace;
  /** It is being sent, which removes what was kept. */
  isSending: boolean;
  restore: (kept: Writing) => void;
}

const isEmpty = ({ body, pictures, kind }: Writing): boolean =>
  body.trim() === '' && pictures.length === 0 && kind === undefined;

const isSame = (one: Writing, other: Writing): boolean =>
  one.body === other.body &&
  one.kind === other.kind &&
  (one.sensorSerial ?? '') === (other.sensorSerial ?? '') &&
  one.pictures.length === other.pictures.length &&
  one.pictures.every((picture, index) => picture === other.pictures[index]);

/**
 * Restores what was kept when the screen appears, unless the subject was faster, and keeps each change after a short pause, or
 * at once when the page is hidden or the screen is left.
 */
export function useKeptWriting(onScreen: WritingOnScreen): void {
  const actions = useActions();
  const { place, body, kind, sensorSerial, pictures, isSending } = onScreen;
  const latest = useRef(onScreen);
  const kept = useRef(NOTHING);
  const isRead = useRef(false);
  useEffect(() => {
    latest.current = onScreen;
  });
  const save = useRef(() => {
    const now = latest.current;
    if (now.isSending || isSame(kept.current, now)) return;
    // An empty screen removes what is kept only when it has shown it.
    if (!isRead.current && isEmpty(now)) return;
    const writing: Writing = {
      body: now.body,
      pictures: now.pictures,
      ...(now.kind && { kind: now.kind }),
      ...(now.sensorSerial !== undefined && { sensorSerial: now.sensorSerial }),
    };
    kept.current = writing;
    // Every screen shows a store without room; the text stays on this one.
    actions.keepWriting(now.place, isEmpty(writing) ? undefined : writing).catch(() => undefined);
  });

  useEffect(() => {
    let isGone = false;
    const begin = (found: Writing | undefined) => {
      if (isGone) return;
      isRead.current = true;
      if (!found || !isEmpty(latest.current)) return;
      kept.current = found;
      latest.current.restore(found);
    };
    actions.writing(place).then(begin, () => undefined);
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
  }, [actions, place]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each change begins the pause again
  useEffect(() => {
    const timer = setTimeout(() => save.current(), PAUSE_IN_TYPING_MS);
    return () => clearTimeout(timer);
  }, [body, kind, sensorSerial, pictures, isSending]);
}
