/** Width of an element, for canvases. */
import { type RefObject, useLayoutEffect, useRef, useState } from 'react';

/** Observes the width of an element in whole CSS pixels; 0 before layout. */
export function useWidth(): [RefObject<HTMLDivElement | null>, number] {
  const reference = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = reference.current;
    if (!element) return;
    setWidth(Math.floor(element.clientWidth));
    const observer = new ResizeObserver(() => setWidth(Math.floor(element.clientWidth)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [reference, width];
}
