/** Typing the first letters of an item goes to it, as in the lists of an operating system. */
import { type KeyboardEvent, useRef } from 'react';

const TYPED_FOR_MS = 1_000;

/** The next item of which a name begins with the text, from `first` on and around; undefined where there is none. */
export function indexOfText(
  text: string,
  first: number,
  count: number,
  namesOf: (index: number) => readonly string[],
): number | undefined {
  for (let step = 0; step < count; step++) {
    const index = (first + step) % count;
    if (namesOf(index).some((name) => name.toLowerCase().startsWith(text))) return index;
  }
  return undefined;
}

/**
 * @param namesOf what a typed text is compared with
 * @returns `find` gives the item that a key leads to: undefined for other keys and where nothing matches; `isTyping` says whether a key
 *   would continue a text
 */
export function useTypeAhead(count: number, namesOf: (index: number) => readonly string[]) {
  const typed = useRef({ text: '', atMs: 0 });
  const isTyping = ({ timeStamp }: Pick<KeyboardEvent, 'timeStamp'>) =>
    typed.current.text !== '' && timeStamp - typed.current.atMs < TYPED_FOR_MS;
  const find = (event: KeyboardEvent, from: number): number | undefined => {
    if (event.key.length !== 1 || event.key === ' ' || event.ctrlKey || event.metaKey || event.altKey) return undefined;
    const isLonger = isTyping(event);
    typed.current = { text: (isLonger ? typed.current.text : '') + event.key.toLowerCase(), atMs: event.timeStamp };
    // A further letter may keep the item; the first one moves on to the next.
    return indexOfText(typed.current.text, from + (isLonger ? 0 : 1), count, namesOf);
  };
  return { find, isTyping };
}
