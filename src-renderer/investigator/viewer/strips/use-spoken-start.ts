/** The value of a slider whose value is the start of the view. */
import { type RefObject, useRef, useState } from 'react';
import type { ViewerModel } from '../data/model.ts';
import { useFollowing } from '../drawing/use-painting.ts';

const startSecondOf = (model: ViewerModel): number => Math.round(model.state.get().view.startMs / 1000);

/**
 * Keeps `aria-valuenow` and `aria-valuetext` of a slider at the start of the view without a render: a fast pan passes several
 * seconds per frame. Rounded to seconds, because a screen reader could not follow a value that changes every frame.
 * Returns the first value, for the elements that React renders.
 */
export function useSpokenStart(
  model: ViewerModel,
  slider: RefObject<HTMLElement | null>,
  textOf: (second: number) => string,
): number {
  const [first] = useState(() => startSecondOf(model));
  const spoken = useRef<{ second: number; textOf: unknown } | null>(null);
  useFollowing(model, () => {
    const second = startSecondOf(model);
    if (!slider.current || (spoken.current?.second === second && spoken.current.textOf === textOf)) return;
    spoken.current = { second, textOf };
    slider.current.setAttribute('aria-valuenow', String(second));
    slider.current.setAttribute('aria-valuetext', textOf(second));
  });
  return first;
}
